package report

import (
	"slices"
	"time"

	"kcompare/internal/evidence"
)

// measure is a row of a variant's table: a metric, its name on the page, and
// when it helps to judge. A metric that nobody knows never does.
type measure struct {
	metric evidence.Metric
	label  string
	helps  func(variant, evidence.Metric) bool
}

// comparedRows is the rows where clients stand side by side.
func comparedRows() []measure {
	return slices.Concat([]measure{
		{evidence.Intended, "intended", always},
		{evidence.Acked, "acked", always},
		{evidence.FailedRecords, "failed", always},
		{evidence.UnknownRecords, "unknown", whenNonzero},
		{evidence.ResponsesDropped, "answers lost", always},
		{evidence.RequestsDropped, "requests lost", whenNonzero},
		{evidence.LogRecords, "in the log", always},
		{evidence.Visible, "visible (read_committed)", whenHidden},
		{evidence.Unique, "unique", whenOffset},
		{evidence.Duplicates, "duplicates", always},
		{evidence.LostRecords, "lost", always},
	}, rareRows())
}

// lessonRows is the rows for one client alone, which learners know from their
// course under these names.
func lessonRows() []measure {
	return slices.Concat([]measure{
		{evidence.Intended, "intended", always},
		{evidence.Acked, "client SENT", always},
		{evidence.FailedRecords, "client FAILED", always},
		{evidence.UnknownRecords, "client UNKNOWN", whenNonzero},
		{evidence.LogDelta, "log delta (after - before)", always},
		{evidence.Visible, "visible (read_committed)", whenHidden},
		{evidence.Unique, "unique", whenOffset},
		{evidence.Duplicates, "duplicates", always},
		{evidence.LostRecords, "lost", whenNonzero},
	}, rareRows(), []measure{
		{evidence.ResponsesDropped, "answers dropped", always},
		{evidence.RequestsDropped, "requests dropped", whenNonzero},
	})
}

func rareRows() []measure {
	return []measure{
		{evidence.FailedPresent, "failed, yet in the log", whenNonzero},
		{evidence.ReorderedRecords, "reordered", whenNonzero},
		{evidence.AbortedSeen, "aborted, yet visible", whenNonzero},
	}
}

func always(v variant, m evidence.Metric) bool {
	return v.any(m, func(interval) bool { return true })
}

func whenNonzero(v variant, m evidence.Metric) bool {
	return v.any(m, func(n interval) bool { return n.high != 0 })
}

// whenHidden: what a read_committed reader gets is news where it is not all
// that stands in the log.
func whenHidden(v variant, m evidence.Metric) bool {
	return slices.ContainsFunc(v.clients, func(c client) bool {
		n, known := c.count(m)
		all, both := c.count(evidence.LogRecords)
		return known && both && n != all
	})
}

// whenOffset: a loss and a duplicate offset each other in every other figure.
func whenOffset(v variant, m evidence.Metric) bool {
	return always(v, m) && whenNonzero(v, evidence.Duplicates) && whenNonzero(v, evidence.LostRecords)
}

// countRow is one metric, client by client; "-" where it is not known.
func countRow(v variant, m measure) row {
	r := row{label: word(m.label)}
	for _, c := range v.clients {
		cell := word("-")
		if n, known := c.count(m.metric); known {
			cell = span{text: n.String(), mark: countMark(c, m.metric)}
		}
		r.cells = append(r.cells, cell)
	}
	return r
}

// countMark marks the figure of an anomaly that violates the variant. An
// observation forbids nothing, so its verdict is asked too.
func countMark(c client, m evidence.Metric) mark {
	if verdict, _ := c.verdict(); verdict != evidence.Violated {
		return ordinary
	}
	kind, isSum := m.Anomaly()
	if isSum && slices.ContainsFunc(found(c, false), func(f finding) bool { return f.kind == kind }) {
		return bad
	}
	return ordinary
}

// elapsedRow is spelled as Go and the course spell durations: "2.3s".
func elapsedRow(v variant) row {
	r := row{label: word("elapsed")}
	for _, c := range v.clients {
		r.cells = append(r.cells, word(elapsed(c)))
	}
	return r
}

func elapsed(c client) string {
	var times []int64
	for _, t := range c.trials {
		if t.Verdict != evidence.NotSupported {
			times = append(times, t.ElapsedMS)
		}
	}
	if len(times) == 0 {
		return "-"
	}
	took := over(times)
	low, high := tenths(took.low), tenths(took.high)
	if low == high {
		return low
	}
	return low + ".." + high
}

func tenths(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Round(100 * time.Millisecond).String()
}
