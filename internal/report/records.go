package report

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// recordDifferences tells in what the logs of a variant differ: first who has something
// there that the variant does not permit, with its cause, then what else differs. What
// was told already is compared between the rest only.
func recordDifferences(v variant) []string {
	wrong, rest := standOut(v)
	told := func(m measure) bool {
		return slices.ContainsFunc(wrong, func(c client) bool { return tells(c, m.metric) })
	}
	return slices.Concat(
		wrongs(wrong, len(v.clients)),
		countDifferences(rest, filter(recordMeasures(), told)),
		countDifferences(v, filter(recordMeasures(), func(m measure) bool { return !told(m) })),
	)
}

// tells says whether a figure follows from the anomalies of a client that are not
// permitted: a loss or a duplicate shows in the number of unique records, too.
func tells(c client, m evidence.Metric) bool {
	kind, isSum := m.Anomaly()
	return slices.ContainsFunc(found(c, false), func(f finding) bool {
		return isSum && f.kind == kind || m == evidence.Unique && (f.kind == evidence.Lost || f.kind == evidence.Duplicate)
	})
}

// recordMeasures is unique records and duplicates; together they are all records, which
// would say the same once more.
func recordMeasures() []measure {
	return slices.Concat([]measure{
		{evidence.Unique, "unique records", always},
		{evidence.Duplicates, "duplicates", always},
		{evidence.LostRecords, "lost", always},
	}, viewRows(), anomalyRows())
}

// standOut is the clients in whose log something is that is not permitted, and the
// variant without them. Where that is so of all clients nobody stands out.
func standOut(v variant) (wrongs []client, rest variant) {
	rest.name = v.name
	for _, c := range v.clients {
		if wrong(c) == "" {
			rest.clients = append(rest.clients, c)
		} else {
			wrongs = append(wrongs, c)
		}
	}
	if !slices.ContainsFunc(rest.clients, client.ran) {
		return nil, v
	}
	return wrongs, rest
}

// wrongs is a sentence for each group of clients that have the same wrong, of so many in
// all.
func wrongs(all []client, clients int) []string {
	var shares []share
	for _, c := range all {
		shares = append(shares, share{c.name, wrong(c)})
	}
	var out []string
	for _, g := range groups(shares, clients) {
		name := listed(g.clients)
		if len(all) == 1 {
			name += " alone"
		}
		out = append(out, name+": "+g.text)
	}
	return out
}

// wrong is "51 of 190 acknowledged records are not in the log (CAUSE); 46 records are there
// once too often (CAUSE)", empty where a client's log has nothing that is not permitted, or where
// nothing is forbidden.
func wrong(c client) string {
	if verdict, _ := c.verdict(); verdict != evidence.Violated {
		return ""
	}
	forbidden := found(c, false)
	var parts []string
	for _, kind := range distinct(forbidden, func(f finding) evidence.AnomalyKind { return f.kind }) {
		parts = append(parts, wrongOf(c, kind, filter(forbidden, func(f finding) bool { return f.kind == kind })))
	}
	return strings.Join(parts, "; ")
}

// wrongOf is one kind of anomaly with its causes, each with how often where there are
// several.
func wrongOf(c client, kind evidence.AnomalyKind, all []finding) string {
	var counts []int64
	repeats := 0
	var causes []string
	for _, f := range all {
		counts, repeats = append(counts, f.counts...), max(repeats, len(f.counts))
		cause := f.cause
		if len(all) > 1 && cause != "" {
			cause = over(f.counts).String() + ": " + cause
		}
		causes = append(causes, cause)
	}
	n := over(counts)
	if total, known := c.count(metricOf(kind)); known && len(all) > 1 {
		n = total
	}
	return wrongWords(c, kind, n) + inRepeats(repeats, c) + inParentheses(strings.Join(filter(causes, func(s string) bool { return s != "" }), "; "))
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// metricOf is the count that sums up the anomalies of a kind, empty if none does.
func metricOf(kind evidence.AnomalyKind) evidence.Metric {
	for _, m := range evidence.Metrics() {
		if k, is := m.Anomaly(); is && k == kind {
			return m
		}
	}
	return ""
}

// wrongWords says how many records are where they should not be, or are not where they
// should.
func wrongWords(c client, kind evidence.AnomalyKind, n interval) string {
	switch acked, known := c.count(evidence.Acked); {
	case kind == evidence.Lost && known:
		return fmt.Sprintf("%s of %s acknowledged records %s not in the log", n, acked, n.are())
	case kind == evidence.Duplicate:
		return fmt.Sprintf("%s %s there once too often", n.plural("record"), n.are())
	}
	noun, rest := inWords(kind)
	return n.plural(noun) + " " + rest
}

// are is the verb behind a figure.
func (i interval) are() string {
	if i == (interval{low: 1, high: 1}) {
		return "is"
	}
	return "are"
}
