package report

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// differences is where clients did not do the same: in what they said, in the
// log, on the wire.
func differences(all []scenario, clients int) section {
	said := countDifferences(all, []measure{
		{evidence.Acked, "acked", always},
		{evidence.FailedRecords, "failed", always},
		{evidence.UnknownRecords, "unknown", always},
	})
	var outcomes []list
	if len(said) > 0 {
		outcomes = []list{{title: say("In what the clients said:"), entries: said}}
	}
	return section{
		heading: span{text: "Differences", mark: heading},
		lists:   append(outcomes, logDifferences(all), wireDifferences(all, clients)),
	}
}

func logDifferences(all []scenario) list {
	if !slices.ContainsFunc(all, logsCompared) {
		return list{title: say("In the log: not compared, no variant has the counts of two clients.")}
	}
	found := countDifferences(all, []measure{
		{evidence.LogRecords, "records", always},
		{evidence.Visible, "visible records", whenHidden},
		{evidence.Duplicates, "duplicates", always},
		{evidence.LostRecords, "lost", always},
		{evidence.FailedPresent, "failed but present", always},
		{evidence.ReorderedRecords, "reordered", always},
		{evidence.AbortedSeen, "aborted but visible", always},
	})
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

// countDifferences is "VARIANT: duplicates franz 70, librdkafka 84".
func countDifferences(all []scenario, measures []measure) []entry {
	var l []entry
	for _, s := range all {
		for _, v := range s.variants {
			where := v.name
			if len(all) > 1 {
				where = s.name + " " + v.name
			}
			for _, m := range measures {
				if told, differ := compareCounts(v, m.metric); differ && m.helps(v, m.metric) {
					l = append(l, entry{text: say(fmt.Sprintf("%s: %s %s", where, m.label, told))})
				}
			}
		}
	}
	return l
}

// compareCounts lists the clients' counts. With repeats a client that always
// came to 0 differs from one that came to 0..3.
func compareCounts(v variant, m evidence.Metric) (told string, differ bool) {
	var figures []string
	var counts []interval
	for _, c := range v.clients {
		if n, known := c.count(m); known {
			figures = append(figures, c.name+glue+n.String())
			counts = append(counts, n)
		}
	}
	return strings.Join(figures, ", "), len(slices.Compact(counts)) > 1
}
