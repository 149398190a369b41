package report

import (
	"slices"

	"kcompare/internal/evidence"
)

// finding is an anomaly of one cause, over all repeats of a trial.
type finding struct {
	kind   evidence.AnomalyKind
	cause  string
	first  string
	counts []int64 // of the repeats that show it
}

// found is the anomalies that the variant allows, or those that it does not, by
// kind and cause.
func found(c client, allowed bool) []finding {
	var all []finding
	for _, t := range c.trials {
		for _, a := range t.Anomalies {
			if a.Allowed == allowed {
				all = addFinding(all, a)
			}
		}
	}
	return all
}

func causeSheet(v variant) sheet {
	return sheet{
		term: "causes", title: "Anomalies that are allowed, and their causes",
		columns: []column{{name: "anomaly"}, {name: "count", figure: true}, {name: "first"}, {name: "cause"}},
	}.tell(v, causes)
}

// causes says of each anomaly that the variant allows where it comes from:
// "duplicate 117: client retry without producer id, the first order-0001".
func causes(c client) []item {
	var items []item
	for _, f := range found(c, true) {
		count, seen := over(f.counts).String(), inRepeats(len(f.counts), c)
		text := string(f.kind) + " " + count + ": " + f.cause
		if f.first != "" {
			text += ", the first " + f.first
		}
		items = append(items, item{
			about: string(f.kind) + f.cause,
			text:  text + seen,
			cells: []string{string(f.kind), count + seen, f.first, f.cause},
		})
	}
	return items
}

func addFinding(all []finding, a evidence.Anomaly) []finding {
	for i := range all {
		if all[i].kind == a.Kind && all[i].cause == a.Cause {
			all[i].counts = append(all[i].counts, a.Count)
			return all
		}
	}
	return append(all, finding{kind: a.Kind, cause: a.Cause, first: a.First, counts: []int64{a.Count}})
}

// anomalies is a sentence for each: "VIOLATED: 51 records acknowledged but absent
// from the log, the first order-0004. Cause: the client renumbered a retry.".
func anomalies(c client) []phrase {
	var out []phrase
	verdict, _ := c.verdict()
	for _, f := range found(c, false) {
		noun, rest := inWords(f.kind)
		text := over(f.counts).plural(noun) + " " + rest
		if f.first != "" {
			text += ", the first " + f.first
		}
		text += inRepeats(len(f.counts), c) + "."
		if f.cause != "" {
			text += " Cause: " + f.cause + "."
		}
		sentence := say(text)
		if verdict == evidence.Violated {
			sentence = slices.Insert(sentence, 0, verdictLabel(verdict))
		}
		out = append(out, sentence)
	}
	return out
}

// restated says whether a reason of the trial is the short form of an anomaly that
// gets its own sentence. Evidence of another version may have another form; the
// reader is told twice then, and nothing is missing.
func restated(reason string, t evidence.Trial) bool {
	return slices.ContainsFunc(t.Anomalies, func(a evidence.Anomaly) bool {
		return !a.Allowed && reason == a.String()
	})
}

// inWords is what is counted, and what is wrong with it.
func inWords(k evidence.AnomalyKind) (noun, rest string) {
	switch k {
	case evidence.Lost:
		return "record", "acknowledged but absent from the log"
	case evidence.Duplicate:
		return "record", "standing in the log once too often"
	case evidence.Reordered:
		return "record", "in the log before one that was sent earlier"
	case evidence.Corrupted:
		return "record", "in the log with another checksum than was sent"
	case evidence.WrongPartition:
		return "record", "in another partition than the client said or its partitioner chooses"
	case evidence.Phantom:
		return "record", "in the log that nobody sent"
	case evidence.FailedButPresent:
		return "record", "reported as not written, yet in the log"
	case evidence.OffsetMismatch:
		return "record", "at another offset than the client told"
	case evidence.OffsetGap:
		return "gap", "between offsets, explained by no marker, aborted record or compaction"
	}
	return inWordsReading(k)
}

// inWordsReading is the anomalies of transactions and of reading.
func inWordsReading(k evidence.AnomalyKind) (noun, rest string) {
	switch k {
	case evidence.AbortedVisible:
		return "record", "of an aborted transaction that a reader got"
	case evidence.TornTransaction:
		return "transaction", "visible in part only"
	case evidence.FencedWriteVisible:
		return "record", "visible that the old instance wrote after it was fenced"
	case evidence.UncommittedVisible:
		return "record", "that a reader got before its transaction had ended"
	case evidence.StuckReader:
		return "committed record", "held back from readers by the open transaction of a dead producer"
	case evidence.InputSkipped:
		return "input", "missing in the committed output"
	case evidence.InputReprocessed:
		return "input", "standing in the committed output more than once"
	case evidence.PollSkipped:
		return "visible record", "that a consumer stepped over"
	case evidence.PollNonmonotonic:
		return "record", "that a consumer got again without a seek or a rebalance"
	}
	return "disagreement", "of the kind " + string(k)
}
