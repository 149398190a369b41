package audit_test

import (
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// member is a consumer of the story that reads refunds (a record at 0 and 1, both
// aborted, a marker at 2, records at 3 and 4, a marker at 5), and payments-0, where the
// inputs of the story stand at 0 to 4.
func member(steps ...evidence.Step) func(*world) {
	return func(w *world) { w.Consumers = []evidence.Consumer{{Who: "member", Steps: steps}} }
}

func assigned(topic string) evidence.Step {
	return evidence.Step{Kind: evidence.StepAssigned, Topic: topic}
}

func revoked(topic string) evidence.Step {
	return evidence.Step{Kind: evidence.StepRevoked, Topic: topic}
}

func sought(topic string, offset int64) evidence.Step {
	return evidence.Step{Kind: evidence.StepSought, Topic: topic, Offset: offset}
}

func returned(topic string, offset, count int64) evidence.Step {
	return evidence.Step{Kind: evidence.StepReturned, Topic: topic, Offset: offset, Count: count}
}

// TestMembers plants in what consumers of the story did one thing each, and sees it,
// and only it, named.
func TestMembers(t *testing.T) {
	skipped := func(n int64, first string) []evidence.Anomaly {
		return []evidence.Anomaly{{Kind: evidence.PollSkipped, Count: n, Cause: audit.MemberSkipped, First: first}}
	}
	again := func(n int64, first string) []evidence.Anomaly {
		return []evidence.Anomaly{{Kind: evidence.PollNonmonotonic, Count: n, Cause: audit.MemberAgain, First: first}}
	}
	uncommitted := func(plant func(*world)) func(*world) {
		return func(w *world) { plant(w); w.Consumers[0].Uncommitted = true }
	}
	checkPlanted(t, []planted{
		{name: "markers and aborted records are no loss", plant: member(assigned(refunds), sought(refunds, 0), returned(refunds, 3, 2))},
		{name: "a visible record", plant: member(assigned(refunds), sought(refunds, 0), returned(refunds, 4, 1)),
			anomalies: skipped(1, "kcompare-refunds-0 offset 3")},
		{name: "aborted ones, by one who was to get them", plant: uncommitted(member(assigned(refunds), sought(refunds, 0), returned(refunds, 3, 2))),
			anomalies: skipped(2, "kcompare-refunds-0 offset 0")},
		{name: "between two records", plant: member(assigned(payments), returned(payments, 5, 3), returned(payments, 9, 2)),
			anomalies: skipped(1, "kcompare-payments-0 offset 8")},
		{name: "inputs that stood there before", plant: member(assigned(payments), returned(payments, 1, 1), returned(payments, 4, 1)),
			anomalies: skipped(2, "kcompare-payments-0 offset 2")},
		{name: "from the inputs into the story", plant: member(assigned(payments), returned(payments, 3, 1), returned(payments, 7, 1)),
			anomalies: skipped(3, "kcompare-payments-0 offset 4")},
		{name: "by two members", plant: func(w *world) {
			over := []evidence.Step{assigned(payments), returned(payments, 5, 1), returned(payments, 7, 1)}
			w.Consumers = []evidence.Consumer{{Who: "one", Steps: over}, {Who: "two", Steps: over}}
		}, anomalies: skipped(2, "kcompare-payments-0 offset 6")},
		{name: "one leap within another", plant: func(w *world) {
			w.Consumers = []evidence.Consumer{
				{Steps: []evidence.Step{sought(payments, 5), returned(payments, 9, 1)}},
				{Steps: []evidence.Step{sought(payments, 6), returned(payments, 7, 1)}},
			}
		}, anomalies: skipped(5, "kcompare-payments-0 offset 5")},
		{name: "where it begins is the group's affair", plant: member(assigned(payments), returned(payments, 9, 1))},
		{name: "forward by a seek", plant: member(assigned(payments), returned(payments, 5, 1), sought(payments, 9), returned(payments, 9, 1))},
		{name: "over a rebalance", plant: member(assigned(payments), returned(payments, 5, 1), revoked(payments), assigned(payments), returned(payments, 9, 1))},
		{name: "what it never came to", plant: member(assigned(payments), returned(payments, 5, 1))},
		{name: "another partition is another matter", plant: member(assigned(payments), returned(payments, 5, 1), returned(refunds, 3, 1))},

		{name: "one again", plant: member(assigned(payments), returned(payments, 5, 3), returned(payments, 7, 2)),
			anomalies: again(1, "kcompare-payments-0 offset 7")},
		{name: "all again", plant: member(assigned(payments), returned(payments, 5, 3), returned(payments, 5, 3), returned(payments, 8, 1)),
			anomalies: again(3, "kcompare-payments-0 offset 5")},
		{name: "back by a seek", plant: member(assigned(payments), returned(payments, 5, 3), sought(payments, 5), returned(payments, 5, 3))},
		{name: "not where it was sought to", plant: member(assigned(payments), returned(payments, 5, 3), sought(payments, 7), returned(payments, 6, 1)),
			anomalies: again(1, "kcompare-payments-0 offset 6")},
		{name: "back after a rebalance", plant: member(assigned(payments), returned(payments, 5, 3), revoked(payments), assigned(payments), returned(payments, 5, 3))},
		{name: "of a partition that was taken away", plant: member(assigned(payments), returned(payments, 5, 3), revoked(payments), returned(payments, 5, 3))},
		{name: "not read back", plant: func(w *world) {
			member(assigned(payments), returned(payments, 5, 1), returned(payments, 7, 1), returned(payments, 7, 1))(w)
			w.Trial.Conditions.ReadBack = "kcompare-payments-0 stopped at offset 12"
		}, absent: []evidence.Metric{
			evidence.LogDelta, evidence.LogRecords, evidence.Visible, evidence.Unique, evidence.Duplicates,
			evidence.LostRecords, evidence.FailedPresent, evidence.ReorderedRecords, evidence.AbortedSeen,
		}},
	})
}
