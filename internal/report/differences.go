package report

import (
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// differences is where clients did not do the same: in the verdict, in what they
// said, in the log, on the wire.
func differences(all []scenario, clients int) section {
	lists := []list{
		{title: say("In the verdict:"), entries: eachVariant(all, verdictDifferences)},
		{title: say("In what was found out:"), entries: eachVariant(all, answerDifferences)},
		{title: say("In what the clients said:"), entries: eachVariant(all, saidDifferences)},
		{title: say("In the errors that the program saw:"), entries: eachVariant(all, errorDifferences)},
	}
	lists = filter(lists, func(l list) bool { return len(l.entries) > 0 })
	return section{
		heading: span{text: "Differences", mark: heading},
		lists:   append(lists, logDifferences(all), wireDifferences(all, clients)),
	}
}

// eachVariant is "VARIANT: what; what", one entry for each variant with differences.
func eachVariant(all []scenario, differences func(variant) []string) []entry {
	var l []entry
	for _, s := range all {
		for _, v := range s.variants {
			where := v.name
			if len(all) > 1 {
				where = s.name + " " + v.name
			}
			if found := differences(v); len(found) > 0 {
				l = append(l, entry{text: say(where + ": " + strings.Join(found, "; "))})
			}
		}
	}
	return l
}

func verdictDifferences(v variant) []string {
	var shares []share
	for _, c := range v.clients {
		if len(c.trials) > 0 {
			shares = append(shares, share{c.name, verdictCell(c).text})
		}
	}
	if told, differ := compare(shares, len(v.clients)); differ {
		return []string{told}
	}
	return nil
}

func saidDifferences(v variant) []string {
	return countDifferences(v, []measure{
		{evidence.Acked, "acked", always},
		{evidence.FailedRecords, "failed", always},
		{evidence.UnknownRecords, "unknown", always},
		{evidence.Committed, "transactions committed", always},
		{evidence.AbortedEnds, "transactions aborted", always},
		{evidence.Undecided, "transactions undecided", always},
	})
}

// errorDifferences compares which codes a call failed with. How often depends on
// the moment and is in the variant's own table. Where the broker may have made the
// difference nothing is concluded.
func errorDifferences(v variant) []string {
	out := differentCodes(v)
	if len(out) > 0 && len(brokerRows(v.trials())) > 0 {
		return []string{seeBrokers}
	}
	return out
}

func differentCodes(v variant) []string {
	ran := filter(v.clients, client.ran)
	var all []evidence.ErrorCount
	for _, c := range ran {
		all = append(all, allErrors(c)...)
	}
	var found []difference
	for _, call := range distinct(all, callOf) {
		d := difference{about: call}
		for _, c := range ran {
			d.shares = append(d.shares, share{c.name, codesOf(c, call)})
		}
		found = append(found, d)
	}
	return tell(found, len(v.clients))
}

func callOf(e evidence.ErrorCount) string { return caller(errorKind(e)) }

// codesOf is "PRODUCER_FENCED (fenced)", of several in the order of the alphabet.
func codesOf(c client, call string) string {
	own := filter(allErrors(c), func(e evidence.ErrorCount) bool { return callOf(e) == call })
	codes := distinct(own, func(e evidence.ErrorCount) string { return errorKind(e).codeAndClass() })
	if len(codes) == 0 {
		return "none"
	}
	slices.Sort(codes)
	return strings.Join(codes, " and ")
}

func logDifferences(all []scenario) list {
	if !slices.ContainsFunc(all, logsCompared) {
		return list{title: say("In the log: not compared, no variant has the counts of two clients.")}
	}
	found := eachVariant(all, recordDifferences)
	if len(found) == 0 {
		return list{title: say("In the log: none.")}
	}
	return list{title: say("In the log:"), entries: found}
}

func logsCompared(s scenario) bool {
	return slices.ContainsFunc(s.variants, func(v variant) bool {
		known := filter(v.clients, func(c client) bool { _, ok := c.count(evidence.LogRecords); return ok })
		return len(known) > 1
	})
}

// countDifferences is "duplicates: franz 70, librdkafka 84" for each measure that
// helps to judge.
func countDifferences(v variant, measures []measure) []string {
	var found []difference
	for _, m := range measures {
		d := difference{about: m.label}
		for _, c := range v.clients {
			if n, known := c.count(m.metric); known {
				d.shares = append(d.shares, share{c.name, n.String()})
			}
		}
		if m.helps(v, m.metric) {
			found = append(found, d)
		}
	}
	return tell(found, len(v.clients))
}
