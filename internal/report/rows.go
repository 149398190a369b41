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
		{evidence.UnknownRecords, "unknown", whenJudged},
	}, transactionRows(), []measure{
		{evidence.ResponsesDropped, "answers to Produce lost", whenLosing("drop-response")},
		{evidence.RequestsDropped, "Produce requests lost", whenLosing("drop-request")},
		{evidence.LogRecords, "in the log", always},
	}, viewRows(), []measure{
		{evidence.Unique, "unique", whenOffset},
		{evidence.Duplicates, "duplicates", always},
		{evidence.LostRecords, "lost", always},
	}, anomalyRows())
}

// lessonRows is the rows for one client alone, which learners know from their
// course under these names.
func lessonRows() []measure {
	return slices.Concat([]measure{
		{evidence.Intended, "intended", always},
		{evidence.Acked, "client SENT", always},
		{evidence.FailedRecords, "client FAILED", always},
		{evidence.UnknownRecords, "client UNKNOWN", whenJudged},
	}, transactionRows(), []measure{
		{evidence.LogDelta, "log delta (after - before)", always},
		{evidence.LogRecords, "data records in the log", whenMarked},
	}, viewRows(), []measure{
		{evidence.Unique, "unique", whenOffset},
		{evidence.Duplicates, "duplicates", always},
		{evidence.LostRecords, "lost", whenJudged},
	}, anomalyRows(), []measure{
		{evidence.ResponsesDropped, "answers dropped", whenLosing("drop-response")},
		{evidence.RequestsDropped, "requests dropped", whenLosing("drop-request")},
	})
}

// transactionRows is what the program asked for and what the client said of it.
func transactionRows() []measure {
	return []measure{
		{evidence.Inputs, "valid inputs", whenJudged},
		{evidence.Transactions, "transactions", whenJudged},
		{evidence.Committed, "transactions committed", whenTransactions},
		{evidence.AbortedEnds, "transactions aborted", whenJudged},
		{evidence.Undecided, "transactions undecided", whenJudged},
		{evidence.CommittedRecords, "records committed", whenOtherThan(evidence.Visible)},
	}
}

// viewRows is what of the log is there for whom: for a reader under
// read_committed, and for the client's own consumer.
func viewRows() []measure {
	return []measure{
		{evidence.AbortedRecords, "aborted data in the log", whenNotTheRest},
		{evidence.Visible, "visible (read_committed)", whenOtherThan(evidence.LogRecords)},
		{evidence.ReadCommitted, "client read, committed", whenOtherThan(evidence.Visible)},
		{evidence.ReadUncommitted, "client read, uncommitted", whenReadAlone},
	}
}

func anomalyRows() []measure {
	return []measure{
		{evidence.Torn, "torn transactions", whenJudged},
		{evidence.FencedVisible, "fenced, yet visible", whenJudged},
		{evidence.Stuck, "committed, yet held back", whenJudged},
		{evidence.InputsSkipped, "inputs skipped", whenJudged},
		{evidence.InputsTwice, "inputs processed twice", whenJudged},
		{evidence.FailedPresent, "failed, yet in the log", whenJudged},
		{evidence.ReorderedRecords, "reordered", whenJudged},
		{evidence.AbortedSeen, "aborted, yet read", whenJudged},
	}
}

func always(v variant, m evidence.Metric) bool {
	return v.any(m, func(interval) bool { return true })
}

func whenNonzero(v variant, m evidence.Metric) bool {
	return v.any(m, func(n interval) bool { return n.high != 0 })
}

// whenJudged: it did happen, or the variant claims something about it.
func whenJudged(v variant, m evidence.Metric) bool {
	return whenNonzero(v, m) || always(v, m) && claimed(v, m)
}

func claimed(v variant, m evidence.Metric) bool {
	return slices.ContainsFunc(v.trials(), func(t evidence.Trial) bool {
		return slices.ContainsFunc(t.Checks, func(c evidence.Check) bool {
			return c.Left == m || c.Right == string(m)
		})
	})
}

// whenTransactions: that none of them was committed is news too.
func whenTransactions(v variant, m evidence.Metric) bool {
	return always(v, m) && whenNonzero(v, evidence.Transactions)
}

// whenLosing: nothing was lost is news where something was to be lost.
func whenLosing(fault string) func(variant, evidence.Metric) bool {
	aimed := func(f evidence.Fault) bool { return f.Kind == fault && f.NotApplicable == "" }
	return func(v variant, m evidence.Metric) bool {
		planned := slices.ContainsFunc(v.trials(), func(t evidence.Trial) bool { return slices.ContainsFunc(t.Faults, aimed) })
		return whenNonzero(v, m) || always(v, m) && planned
	}
}

// whenOtherThan: a figure that is the same as another for every client is not
// told twice, unless the claim is about it.
func whenOtherThan(other evidence.Metric) func(variant, evidence.Metric) bool {
	return func(v variant, m evidence.Metric) bool {
		return always(v, m) && claimed(v, m) || differ(v, m, other)
	}
}

// whenReadAlone: a client that read only so shows what others would not.
func whenReadAlone(v variant, m evidence.Metric) bool {
	return whenOtherThan(evidence.LogRecords)(v, m) || always(v, m) && !always(v, evidence.ReadCommitted)
}

// whenNotTheRest: what is not visible was aborted, as a rule. It is told where the
// claim is about it, or where that is not all.
func whenNotTheRest(v variant, m evidence.Metric) bool {
	return always(v, m) && claimed(v, m) || slices.ContainsFunc(v.clients, func(c client) bool {
		aborted, known := c.count(m)
		visible, _ := c.count(evidence.Visible)
		all, both := c.count(evidence.LogRecords)
		return known && both && (aborted.low+visible.low != all.low || aborted.high+visible.high != all.high)
	})
}

// differ says whether two metrics of one client differ, where it knows both.
func differ(v variant, m, other evidence.Metric) bool {
	return slices.ContainsFunc(v.clients, func(c client) bool {
		n, known := c.count(m)
		o, both := c.count(other)
		return known && both && n != o
	})
}

// whenMarked: the end offsets count markers of transactions too.
func whenMarked(v variant, m evidence.Metric) bool { return differ(v, m, evidence.LogDelta) }

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
