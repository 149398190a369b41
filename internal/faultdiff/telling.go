package faultdiff

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// What is told of a story, line by line.

// fired is how often the fault did what was planned.
func fired(t evidence.Trial) string {
	f := t.Faults[0]
	return fmt.Sprintf("fired %d of %d", f.Fired, f.Planned)
}

// consumed says what a consumer returned of so many payments, in its order.
func consumed(ids []string, count int) string {
	var all []string
	for n := 1; n <= count; n++ {
		all = append(all, payment(n).ID.String())
	}
	if slices.Equal(ids, all) {
		return fmt.Sprintf("consumer: all %d payments once, in order", count)
	}
	return "consumer: " + strings.Join(ids, " ")
}

// nothing is told of a story whose program has told everything.
func nothing(evidence.Trial, *evidence.Observed) []string { return nil }

// written is what the client said of the payments, and what stands in the log.
func written(t evidence.Trial, _ *evidence.Observed) []string {
	c := t.Counts
	said := fmt.Sprintf("client: %d acknowledged", c[evidence.Acked])
	if c[evidence.Acked] < c[evidence.Intended] {
		said += fmt.Sprintf(", %d failed, %d unknown", c[evidence.FailedRecords], c[evidence.UnknownRecords])
	}
	return []string{said, inLog(c)}
}

// inLog compares the log with what the client was given to send.
func inLog(c evidence.Counts) string {
	stands := fmt.Sprintf("log: %d of %d payments", c[evidence.Unique], c[evidence.Intended])
	if c[evidence.LostRecords]+c[evidence.Duplicates]+c[evidence.ReorderedRecords] == 0 {
		return stands + ", each once, in order"
	}
	return stands + fmt.Sprintf(", %d lost, %d duplicates, %d reordered", c[evidence.LostRecords], c[evidence.Duplicates], c[evidence.ReorderedRecords])
}

// untoldAttempts is said of stories in which that is a matter of time.
const untoldAttempts = "Not told: how often the client sent payment 3 until it was answered. That depends on when the client gave up or asked for a leader, and on how busy the machine was."

// attempted adds how often the client sent the payment that was hit.
func attempted(t evidence.Trial, o *evidence.Observed) []string {
	attempts := 0
	for _, e := range o.Trace.Exchanges {
		for _, b := range e.Batches {
			if slices.Contains(b.IDs, payment(hit).ID) {
				attempts = max(attempts, b.Attempt)
			}
		}
	}
	return append(written(t, o), fmt.Sprintf("sent payment %d: %s", hit, times(attempts)))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// transacted is how the transactions ended, as the client has it, and which payments
// a read_committed reader gets.
func transacted(_ evidence.Trial, o *evidence.Observed) []string {
	var lines []string
	for _, tx := range o.Transactions {
		lines = append(lines, fmt.Sprintf("transaction %d, asked to %s: %s", tx.N, tx.Asked, tx.Outcome))
	}
	visible := "no payment"
	if len(o.Reads) > 0 {
		var ids []string
		for _, r := range o.Reads {
			ids = append(ids, fmt.Sprint(r.ID.N))
		}
		visible = "payment " + strings.Join(ids, " and ")
	}
	return append(lines, "a read_committed reader gets "+visible)
}

// errorsOf is what the program was told of errors.
func errorsOf(t evidence.Trial) []string {
	var lines []string
	for _, e := range t.Errors {
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", e.Call, e.Code, e.Class))
	}
	return lines
}
