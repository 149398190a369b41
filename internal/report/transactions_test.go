package report_test

import (
	"maps"
	"slices"

	"kcompare/internal/evidence"
)

// counts is what a story counted, beside what every story does.
func counts(own evidence.Counts) change {
	return func(t *evidence.Trial) {
		t.Counts = evidence.Counts{
			evidence.FailedRecords: 0, evidence.UnknownRecords: 0, evidence.Duplicates: 0, evidence.LostRecords: 0,
			evidence.FailedPresent: 0, evidence.ReorderedRecords: 0, evidence.AbortedSeen: 0,
			evidence.ResponsesDropped: 0, evidence.RequestsDropped: 0,
		}
		maps.Copy(t.Counts, own)
	}
}

func claiming(checks ...evidence.Check) change {
	return func(t *evidence.Trial) { t.Checks = checks }
}

func check(left evidence.Metric, op, right string) evidence.Check {
	return evidence.Check{Left: left, Op: op, Right: right}
}

// told is a trial of another story than the payments.
func told(scenario, variant string, kind evidence.Kind, claim, about string) change {
	return func(t *evidence.Trial) {
		t.Scenario, t.Variant, t.Kind, t.Claim, t.About = scenario, variant, kind, claim, about
		t.Faults, t.Differences = nil, nil
		t.Config = map[string]string{"acks": "all", "enable.idempotence": "true", "linger.ms": "0", "retries": "30"}
		t.Reading = map[string]string{"auto.offset.reset": "earliest", "enable.auto.commit": "false", "isolation.level": "read_committed"}
		t.Requests = map[string]int64{"ApiVersions": 4, "FindCoordinator": 1, "InitProducerId": 1, "Metadata": 3, "Produce": 40}
	}
}

func requested(own map[string]int64) change {
	return func(t *evidence.Trial) { maps.Copy(t.Requests, own) }
}

func set(key, value string) change {
	return func(t *evidence.Trial) { t.Config[key] = value }
}

// zombies is an old instance that each library tells in another way. The library
// of the last client lets it through.
func zombies(clients ...string) evidence.Document {
	about := "20 payments; the old instance writes 10 and hangs, a new one writes all, then the old one wakes and goes on."
	fenced := told("zombie", "producer=transactional", evidence.Promise,
		"no record of the old instance is visible, and its commit does not succeed", about+" Both have the same transactional.id.")
	quiet := counts(evidence.Counts{
		evidence.Intended: 20, evidence.Acked: 30, evidence.FailedRecords: 1, evidence.LogRecords: 30, evidence.LogDelta: 36,
		evidence.Visible: 20, evidence.Unique: 20, evidence.Duplicates: 10,
		evidence.Transactions: 2, evidence.Committed: 1, evidence.AbortedEnds: 0, evidence.Undecided: 1,
		evidence.CommittedRecords: 20, evidence.AbortedRecords: 10, evidence.Torn: 0, evidence.FencedVisible: 0,
		evidence.ReadCommitted: 20, evidence.ReadUncommitted: 30,
	})
	claim := claiming(check(evidence.FencedVisible, "==", "0"), check(evidence.Committed, "==", "1"), check(evidence.Visible, "==", "intended"))
	id := set("transactional.id", "kcompare-payment-service")
	copies := anomaly(evidence.Anomaly{Kind: evidence.Duplicate, Count: 10, Allowed: true, Cause: "new session or second instance sent it", First: "order-0000"})
	errors := map[string][]evidence.ErrorCount{
		"franz": {
			{Who: "old instance", Call: "produce", Class: "fenced", Code: "INVALID_PRODUCER_EPOCH", Text: "INVALID_PRODUCER_EPOCH: Producer attempted to produce with an old epoch.", Count: 1},
			{Who: "old instance", Call: "commit", Class: "fatal", Code: "INVALID_TXN_STATE", Text: "INVALID_TXN_STATE: The producer attempted a transactional operation in an invalid state.", Count: 1},
		},
		"librdkafka": {
			{Who: "old instance", Call: "produce", Class: "fenced", Code: "_FENCED", Text: "Failed to produce: Local: This instance has been fenced by a newer instance", Count: 1},
			{Who: "old instance", Call: "commit", Class: "fenced", Code: "_FENCED", Text: "[1] fenced | by <a newer> `instance`\nsee https://example.com", Count: 1},
		},
	}
	control := told("zombie", "producer=idempotent", evidence.Control, "with plain idempotence both copies stand", about+" Neither has a transactional.id.")
	both := counts(evidence.Counts{
		evidence.Intended: 20, evidence.Acked: 31, evidence.LogRecords: 31, evidence.LogDelta: 31, evidence.Visible: 31,
		evidence.Unique: 20, evidence.Duplicates: 11, evidence.ReadCommitted: 31,
	})
	var trials []evidence.Trial
	for _, c := range clients {
		t := trial(sequentialOn, c, fenced, quiet, claim, id, copies)
		t.Errors, t.BrokerRows = errors[c], []string{"zombie-write-old", "init-over-open"}
		trials = append(trials, t)
	}
	last := &trials[len(trials)-1]
	if len(last.Errors) == 0 {
		woken(last)
	}
	doc := document(append(trials, each(sequentialOn, clients, control, both, copies, claiming(check(evidence.Duplicates, ">", "0")))...)...)
	doc.Again = "kcompare run zombie --seed=1"
	return doc
}

// woken is an old instance whose records count.
func woken(t *evidence.Trial) {
	t.Counts[evidence.FencedVisible], t.Counts[evidence.Visible], t.Counts[evidence.Committed] = 11, 31, 2
	t.Counts[evidence.AbortedRecords], t.Counts[evidence.CommittedRecords], t.Counts[evidence.ReadCommitted] = 0, 31, 31
	t.Counts[evidence.Torn], t.Counts[evidence.AbortedSeen], t.Counts[evidence.Undecided] = 1, 3, 0
	for _, a := range []evidence.Anomaly{
		{Kind: evidence.AbortedVisible, Count: 3, Cause: "the consumer returned a record of an aborted transaction", First: "order-0002"},
		{Kind: evidence.TornTransaction, Count: 1, Cause: "an acknowledged record is not visible, and the rest is", First: "order-0009"},
		{Kind: evidence.FencedWriteVisible, Count: 11, Cause: "its transaction was open when the newer instance took over", First: "order-0000"},
		{Kind: evidence.UncommittedVisible, Count: 2, Cause: "the consumer returned a record of a transaction that has not ended", First: "order-0004"},
	} {
		anomaly(a)(t)
	}
	judged(evidence.Violated,
		"aborted-visible: 3, the first is order-0002 (the consumer returned a record of an aborted transaction)",
		"torn-transaction: 1, the first is order-0009 (an acknowledged record is not visible, and the rest is)",
		"fenced-write-visible: 11, the first is order-0000 (its transaction was open when the newer instance took over)",
		"uncommitted-visible: 2, the first is order-0004 (the consumer returned a record of a transaction that has not ended)",
		"fenced_visible is 11, expected to equal 0", "committed is 2, expected to equal 1", "visible is 31, expected to equal intended (20)")(t)
}

// processors is a program that reads, processes and writes. In the observation
// the library of the last client steps over the inputs of what it aborted.
func processors(clients ...string) evidence.Document {
	about := "20 orders, one transaction each; 35 % of the answers get lost, one order in ten is invalid, one crash."
	consuming := func(t *evidence.Trial) {
		t.Consuming = map[string]string{"group.id": "kcompare-order-processor", "isolation.level": "read_committed"}
		t.Config["transactional.id"] = "kcompare-order-processor-1"
		requested(map[string]int64{"EndTxn": 24, "Fetch": 60, "TxnOffsetCommit": 22})(t)
	}
	done := counts(evidence.Counts{
		evidence.Intended: 36, evidence.Acked: 40, evidence.LogRecords: 40, evidence.LogDelta: 84, evidence.Visible: 36,
		evidence.Unique: 36, evidence.Duplicates: 4, evidence.Transactions: 24, evidence.Committed: 20, evidence.AbortedEnds: 4, evidence.Undecided: 0,
		evidence.CommittedRecords: 36, evidence.AbortedRecords: 4, evidence.Torn: 0, evidence.FencedVisible: 0,
		evidence.Inputs: 18, evidence.InputsSkipped: 0, evidence.InputsTwice: 0, evidence.ReadCommitted: 36, evidence.ReadUncommitted: 40,
		evidence.ResponsesDropped: 31,
	})
	lose := func(t *evidence.Trial) { t.Faults = losses(t.Client) }
	seek := told("read-process-write", "after-abort=seek", evidence.Promise, "each valid order counts once in the committed output, invalid ones nowhere", about)
	pollOn := told("read-process-write", "after-abort=poll-on", evidence.Observation, "after an abort the program polls on: which orders are lost?", about)
	control := told("read-process-write", "transactions=false", evidence.Control, "after the crash orders are processed twice", "20 orders, no transactions, one crash.")
	judgedAs := claiming(check(evidence.InputsSkipped, "==", "0"), check(evidence.InputsTwice, "==", "0"))
	refused := failure(evidence.ErrorCount{Call: "produce", Class: "application", Code: "MESSAGE_TOO_LARGE", Count: 2})
	twice := func(t *evidence.Trial) {
		counts(evidence.Counts{
			evidence.Intended: 36, evidence.Acked: 44, evidence.LogRecords: 44, evidence.LogDelta: 44, evidence.Visible: 44, evidence.Unique: 36,
			evidence.Duplicates: 8, evidence.Inputs: 18, evidence.InputsSkipped: 0, evidence.InputsTwice: 4, evidence.ReadCommitted: 44,
		})(t)
		t.Consuming = map[string]string{"group.id": "kcompare-order-processor", "isolation.level": "read_committed", "enable.auto.commit": "false"}
		anomaly(evidence.Anomaly{Kind: evidence.InputReprocessed, Count: 4, Allowed: true, Cause: "another instance of the program processed it again", First: "order_10"})(t)
	}
	trials := slices.Concat(
		each(sequentialOn, clients, seek, consuming, done, judgedAs, lose),
		each(sequentialOn, clients, pollOn, consuming, done, refused, lose),
		each(sequentialOn, clients, control, twice, claiming(check(evidence.InputsTwice, ">", "0"), check(evidence.InputsSkipped, "==", "0"))),
	)
	skipping(&trials[2*len(clients)-1])
	doc := document(trials...)
	doc.Again = "kcompare run read-process-write --seed=1"
	return doc
}

// losses is a plan of which clients with KIP-890 never meet a part.
func losses(client string) []evidence.Fault {
	faults := []evidence.Fault{
		{Rule: "lose-answers-to-EndTxn", Kind: "drop-response", API: "EndTxn", Planned: 7, Fired: 7, Collateral: 1},
		{Rule: "lose-answers-to-AddOffsetsToTxn", Kind: "drop-response", API: "AddOffsetsToTxn", Planned: 6, Fired: 6},
	}
	if client == "franz" {
		faults[1] = evidence.Fault{
			Rule: "lose-answers-to-AddOffsetsToTxn", Kind: "drop-response", API: "AddOffsetsToTxn",
			NotApplicable: "TxnOffsetCommit itself adds the group to the transaction (KIP-890)",
		}
	}
	return faults
}

func skipping(t *evidence.Trial) {
	t.Counts[evidence.InputsSkipped], t.Counts[evidence.Unique], t.Counts[evidence.Duplicates] = 2, 32, 8
	t.Counts[evidence.Visible], t.Counts[evidence.CommittedRecords], t.Counts[evidence.ReadCommitted] = 32, 32, 32
	anomaly(evidence.Anomaly{Kind: evidence.InputSkipped, Count: 2, Cause: "its outputs stand in the log only in aborted transactions", First: "order_3"})(t)
	t.Notes = append(t.Notes, "2 orders were invalid")
}

// shop is transactions that nothing went wrong with, under both isolation levels.
func shop(clients ...string) evidence.Document {
	about := "40 orders, one transaction each over three topics; 35 % of the answers to Produce, AddPartitionsToTxn and EndTxn get lost."
	lost := func(t *evidence.Trial) {
		t.Faults = losses(t.Client)
		t.Config = config(sequentialOn) // so many that markdown folds them
		t.Config["transactional.id"] = "kcompare-order-producer-1"
		t.Counts[evidence.ResponsesDropped] = 8
	}
	transactions := func(committed int64) change {
		return counts(evidence.Counts{
			evidence.Intended: 120, evidence.Acked: 120, evidence.LogRecords: 120, evidence.LogDelta: 200, evidence.Visible: 3 * committed,
			evidence.Unique: 120, evidence.Transactions: 40, evidence.Committed: committed, evidence.AbortedEnds: 40 - committed, evidence.Undecided: 0,
			evidence.CommittedRecords: 3 * committed, evidence.AbortedRecords: 120 - 3*committed, evidence.Torn: 0, evidence.FencedVisible: 0,
			evidence.ReadCommitted: 3 * committed, evidence.ReadUncommitted: 120,
		})
	}
	none := claiming(check(evidence.Torn, "==", "0"), check(evidence.AbortedSeen, "==", "0"))
	commit := told("transactional", "end=commit", evidence.Promise, "every transaction is visible, each of its records once", about)
	mixed := told("transactional", "end=mixed", evidence.Promise, "of each transaction all or nothing is visible, as it was ended", about)
	control := told("transactional", "isolation=read_uncommitted", evidence.Control, "a reader under read_uncommitted gets the records of aborted transactions", about)
	uncommitted := func(t *evidence.Trial) {
		delete(t.Counts, evidence.ReadCommitted)
		t.Counts[evidence.AbortedSeen] = 60
		t.Reading["isolation.level"] = "read_uncommitted"
		anomaly(evidence.Anomaly{
			Kind: evidence.AbortedVisible, Count: 60, Allowed: true,
			Cause: "the consumer returned a record of an aborted transaction, under read_uncommitted", First: "order_1",
		})(t)
	}
	doc := document(slices.Concat(
		each(sequentialOn, clients, commit, transactions(40), lost, none),
		each(sequentialOn, clients, mixed, transactions(20), lost, none),
		each(sequentialOn, clients, control, transactions(20), lost, uncommitted, claiming(check(evidence.AbortedSeen, "==", "aborted_records"))),
	)...)
	doc.Again = "kcompare run transactional --seed=1"
	return doc
}
