package verdict_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
	"kcompare/internal/verdict"
)

// kept is a promise that was tried, completely observed, and kept.
func kept() evidence.Trial {
	return evidence.Trial{
		Scenario: "idempotent", Variant: "enable.idempotence=true,sends=sequential", Kind: evidence.Promise, Client: "franz",
		Faults: []evidence.Fault{{Rule: "lose-answers", Kind: "drop-response", API: "Produce", Planned: 70, Fired: 70}},
		Counts: evidence.Counts{
			evidence.Intended: 200, evidence.Acked: 200, evidence.LogRecords: 200, evidence.Unique: 200,
			evidence.Duplicates: 0, evidence.ResponsesDropped: 70,
		},
		Conditions: evidence.Conditions{Finished: true, ReadBack: evidence.ReadBackComplete, Exchanges: 280},
		Checks:     []evidence.Check{{Left: evidence.LogRecords, Op: "==", Right: "intended"}},
	}
}

func duplicates(n int64) evidence.Anomaly {
	return evidence.Anomaly{Kind: evidence.Duplicate, Count: n, Cause: "broker appended the same batch twice", First: "order-0003"}
}

const duplicateReason = "duplicate: 3, the first is order-0003 (broker appended the same batch twice)"

// unsound are the conditions that have to be in order, each broken.
func unsound() map[string]struct {
	change   func(*evidence.Trial)
	reason   string
	distrust bool // anomalies in the log prove nothing then
} {
	type row = struct {
		change   func(*evidence.Trial)
		reason   string
		distrust bool
	}
	return map[string]row{
		"error": {change: func(t *evidence.Trial) { t.Conditions.Error = "the scenario could not go on: produce: closed" },
			reason: "the scenario could not go on: produce: closed"},
		"program": {change: func(t *evidence.Trial) { t.Conditions.Program = "the client's program ended: exit status 1" },
			reason: "the client's program ended: exit status 1", distrust: true},
		"not finished": {change: func(t *evidence.Trial) { t.Conditions.Finished, t.Conditions.Pending = false, 3 },
			reason: "not finished, 3 records pending"},
		"not finished by one": {change: func(t *evidence.Trial) { t.Conditions.Finished, t.Conditions.Pending = false, 1 },
			reason: "not finished, 1 record pending"},
		"read-back": {change: func(t *evidence.Trial) { t.Conditions.ReadBack = "payments-0 stopped at offset 12" },
			reason: "the read-back is not complete: payments-0 stopped at offset 12", distrust: true},
		"no read-back": {change: func(t *evidence.Trial) { t.Conditions.ReadBack = "" },
			reason: "the read-back is not complete", distrust: true},
		"no reading by the client": {change: func(t *evidence.Trial) { t.Conditions.ClientRead = "payments-0 did not reach offset 12" },
			reason: "the client could not read the topics itself: payments-0 did not reach offset 12"},
		"no trace": {change: func(t *evidence.Trial) { t.Conditions.Exchanges = 0 }, reason: "the trace is empty"},
		"leak": {change: func(t *evidence.Trial) { t.Conditions.Leaks, t.Conditions.FirstLeak = 2, "payments-1 offset 7" },
			reason: "2 batches in the log never passed the proxy, the first at payments-1 offset 7", distrust: true},
		"problem": {change: func(t *evidence.Trial) { t.Conditions.Problems = []string{"somebody connected past the proxy"} },
			reason: "somebody connected past the proxy", distrust: true},
		"unchecked": {change: func(t *evidence.Trial) { t.Conditions.Unchecked = "leaks could not be checked" },
			reason: "leaks could not be checked", distrust: true},
		"open transaction": {change: func(t *evidence.Trial) { t.Conditions.OpenAtEnd = "payments-0: last stable offset 3, end offset 4" },
			reason: "a transaction is open still, nobody knows what will be visible: payments-0: last stable offset 3, end offset 4"},
		"shared batches": {change: func(t *evidence.Trial) { t.Conditions.SharedBatches = 1 },
			reason: "1 batch with several records, where one each was asked for"},
		"fault not fired": {change: func(t *evidence.Trial) {
			t.Faults[0].Fired, t.Faults[0].Missed = 68, []string{"payments/3 attempt 1", "payments/9 attempt 2"}
		}, reason: "drop-response: 70 planned, 68 fired, missed payments/3 attempt 1, payments/9 attempt 2"},
		"one planned fault missed, another fired in its place": {change: func(t *evidence.Trial) {
			t.Faults[0].Missed = []string{"payments/3 attempt 1"}
		}, reason: "drop-response: 70 planned, 70 fired, missed payments/3 attempt 1"},
		"faults not fired": {change: func(t *evidence.Trial) {
			t.Faults[0].Fired, t.Faults[0].Missed = 0, []string{"payments/3 attempt 1"}
		}, reason: "drop-response: 70 planned, 0 fired, missed payments/3 attempt 1, ..."},
		"fault not fired, nobody knows where": {change: func(t *evidence.Trial) { t.Faults[0].Fired = 69 },
			reason: "drop-response: 70 planned, 69 fired"},
		"never fired, and nobody could plan it": {change: func(t *evidence.Trial) {
			t.Faults[0].Planned, t.Faults[0].Fired, t.Faults[0].Unplanned = 0, 0, "connections"
		}, reason: "drop-response never fired"},
		"no fault planned": {change: func(t *evidence.Trial) { t.Faults[0].Planned, t.Faults[0].Fired = 0, 0 },
			reason: "no fault was planned: nothing was tested"},
	}
}

// Each broken condition takes holds away, from every kind; a broken promise
// stays broken as long as the log can be trusted, a control does not.
func TestConditions(t *testing.T) {
	for name, tt := range unsound() {
		for _, kind := range []evidence.Kind{evidence.Promise, evidence.Control, evidence.Observation} {
			trial := kept()
			trial.Kind = kind
			tt.change(&trial)
			check(t, name+", "+string(kind), trial, evidence.Inconclusive, tt.reason)

			trial.Anomalies = []evidence.Anomaly{duplicates(3)}
			if kind == evidence.Promise && !tt.distrust {
				check(t, name+", broken promise", trial, evidence.Violated, duplicateReason)
			} else {
				check(t, name+", anomalies, "+string(kind), trial, evidence.Inconclusive, tt.reason)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(*evidence.Trial)
		want    evidence.Verdict
		reasons []string
	}{
		"kept": {change: func(*evidence.Trial) {}, want: evidence.Holds},
		"open transaction, which it is about": {change: func(t *evidence.Trial) {
			t.Kind, t.Conditions.OpenAtEnd = evidence.Control, "payments-0: last stable offset 3, end offset 4"
			t.Allowed = []evidence.AnomalyKind{evidence.StuckReader}
		}, want: evidence.Holds},
		"unsupported, whatever else": {change: func(t *evidence.Trial) {
			t.Conditions = evidence.Conditions{Unsupported: "max.in.flight=1 cannot be expressed by franz"}
			t.Anomalies = []evidence.Anomaly{duplicates(3)}
		}, want: evidence.NotSupported, reasons: []string{"max.in.flight=1 cannot be expressed by franz"}},
		"no fault is applicable": {change: func(t *evidence.Trial) {
			t.Faults = []evidence.Fault{{Kind: "drop-response", API: "AddPartitionsToTxn", NotApplicable: "KIP-890 clients never send it"}}
		}, want: evidence.NotSupported, reasons: []string{"drop-response is not applicable: KIP-890 clients never send it"}},
		"one of two faults is applicable": {change: func(t *evidence.Trial) {
			t.Faults = append(t.Faults, evidence.Fault{Kind: "delay", NotApplicable: "never sent"})
		}, want: evidence.Holds},
		"the applicable one of two faults plans nothing": {change: func(t *evidence.Trial) {
			t.Faults = []evidence.Fault{{Kind: "delay", Planned: 4, Fired: 4, NotApplicable: "never sent"}, {Kind: "drop-response"}}
		}, want: evidence.Inconclusive, reasons: []string{"no fault was planned: nothing was tested"}},
		"a fault that nobody could plan": {change: func(t *evidence.Trial) {
			t.Faults[0].Planned, t.Faults[0].Unplanned = 0, "connections"
		}, want: evidence.Holds},
		"it fired, and a planned one did not": {change: func(t *evidence.Trial) {
			t.Faults = append(t.Faults, evidence.Fault{Kind: "delay", Fired: 9, Unplanned: "connections"})
			t.Faults[0].Fired = 69
		}, want: evidence.Inconclusive, reasons: []string{"drop-response: 70 planned, 69 fired"}},
		"a variant without faults": {change: func(t *evidence.Trial) { t.Faults = nil }, want: evidence.Holds},
		"all broken conditions are listed": {change: func(t *evidence.Trial) {
			t.Conditions = evidence.Conditions{Pending: 2, ReadBack: "timeout", Leaks: 1, FirstLeak: "payments-0 offset 3"}
			t.Faults[0].Fired = 1
		}, want: evidence.Inconclusive, reasons: []string{
			"not finished, 2 records pending", "the read-back is not complete: timeout", "the trace is empty",
			"1 batch in the log never passed the proxy, the first at payments-0 offset 3", "drop-response: 70 planned, 1 fired",
		}},
		"a condition comes before a failing check": {change: func(t *evidence.Trial) {
			t.Counts[evidence.LogRecords] = 203
			t.Faults[0].Fired = 69
		}, want: evidence.Inconclusive, reasons: []string{"drop-response: 70 planned, 69 fired"}},
		"anomaly and check": {change: func(t *evidence.Trial) {
			t.Counts[evidence.LogRecords] = 203
			t.Anomalies = []evidence.Anomaly{duplicates(3)}
		}, want: evidence.Violated, reasons: []string{duplicateReason, "log_records is 203, expected to equal intended (200)"}},
		"allowed anomaly": {change: func(t *evidence.Trial) {
			t.Allowed = []evidence.AnomalyKind{evidence.Duplicate}
			t.Anomalies = []evidence.Anomaly{duplicates(3)}
		}, want: evidence.Holds},
		"anomaly of a control": {change: func(t *evidence.Trial) {
			t.Kind, t.Anomalies = evidence.Control, []evidence.Anomaly{duplicates(3)}
		}, want: evidence.Violated, reasons: []string{duplicateReason}},
		"anomaly of an observation": {change: func(t *evidence.Trial) {
			t.Kind, t.Checks, t.Anomalies = evidence.Observation, nil, []evidence.Anomaly{duplicates(3)}
		}, want: evidence.Holds},
		"a control that behaves": {change: func(t *evidence.Trial) {
			t.Kind, t.Checks = evidence.Control, []evidence.Check{{Left: evidence.Duplicates, Op: ">", Right: "0"}}
		}, want: evidence.Violated, reasons: []string{"duplicates is 0, expected more than 0"}},
		"a control that misbehaves too little": {change: func(t *evidence.Trial) {
			t.Kind, t.Checks = evidence.Control, []evidence.Check{{Left: evidence.Duplicates, Op: "==", Right: "responses_dropped"}}
		}, want: evidence.Violated, reasons: []string{"duplicates is 0, expected to equal responses_dropped (70)"}},
		"a requirement that is met": {change: func(t *evidence.Trial) { t.Requires = allAcked() }, want: evidence.Holds},
		"a requirement comes before a failing check": {change: func(t *evidence.Trial) {
			t.Requires, t.Counts[evidence.Acked], t.Counts[evidence.LogRecords] = allAcked(), 197, 203
		}, want: evidence.Inconclusive, reasons: []string{"the claim cannot be judged: acked is 197, expected to equal intended (200)"}},
		"a requirement hides no anomaly": {change: func(t *evidence.Trial) {
			t.Requires, t.Counts[evidence.Acked] = allAcked(), 197
			t.Kind, t.Anomalies = evidence.Control, []evidence.Anomaly{duplicates(3)}
		}, want: evidence.Violated, reasons: []string{duplicateReason}},
		"a requirement that is not known": {change: func(t *evidence.Trial) {
			t.Requires = allAcked()
			delete(t.Counts, evidence.Acked)
		}, want: evidence.Inconclusive, reasons: []string{"acked is not known, acked == intended cannot be checked"}},
		"at least": {change: func(t *evidence.Trial) {
			t.Checks = []evidence.Check{{Left: evidence.Unique, Op: ">=", Right: "200"}, {Left: evidence.Unique, Op: ">=", Right: "201"}}
		}, want: evidence.Violated, reasons: []string{"unique is 200, expected at least 201"}},
		"left count is absent": {change: func(t *evidence.Trial) { delete(t.Counts, evidence.LogRecords) },
			want: evidence.Inconclusive, reasons: []string{"log_records is not known, log_records == intended cannot be checked"}},
		"right count is absent": {change: func(t *evidence.Trial) { delete(t.Counts, evidence.Intended) },
			want: evidence.Inconclusive, reasons: []string{"intended is not known, log_records == intended cannot be checked"}},
		"unknown comparison": {change: func(t *evidence.Trial) { t.Checks[0].Op = "<" },
			want: evidence.Inconclusive, reasons: []string{"log_records < intended cannot be checked: expected ==, >= or > as comparison"}},
		"a failing check comes before an absent count": {change: func(t *evidence.Trial) {
			t.Counts[evidence.LogRecords] = 203
			t.Checks = append(t.Checks, evidence.Check{Left: evidence.Visible, Op: ">", Right: "0"})
		}, want: evidence.Violated, reasons: []string{"log_records is 203, expected to equal intended (200)"}},
		"an answer as expected, and none of the claim's business": {change: func(t *evidence.Trial) {
			t.Checks = nil
			t.Answers = []evidence.Answer{{Question: "acks", Answer: "-1", Expected: "-1"}, {Question: "linger", Answer: "5 ms"}}
		}, want: evidence.Holds},
		"another answer": {change: func(t *evidence.Trial) {
			t.Answers = []evidence.Answer{{Question: "acks", Answer: "1", Expected: "-1"}}
		}, want: evidence.Violated, reasons: []string{"acks: 1, expected -1"}},
		"no answer": {change: func(t *evidence.Trial) {
			t.Answers = []evidence.Answer{{Question: "acks", Expected: "-1"}, {Question: "after", Measured: true}}
		}, want: evidence.Inconclusive, reasons: []string{"acks: there is no answer"}},
		"a measured answer claims nothing": {change: func(t *evidence.Trial) {
			t.Checks, t.Answers = nil, []evidence.Answer{{Question: "after", Answer: "5 ms", Measured: true}}
		}, want: evidence.Inconclusive, reasons: []string{"there is no check: nothing was claimed"}},
		"an observation that did not find out": {change: func(t *evidence.Trial) {
			t.Kind, t.Checks, t.Answers = evidence.Observation, nil, []evidence.Answer{{Question: "acks"}}
		}, want: evidence.Inconclusive, reasons: []string{"acks: there is no answer"}},
		"what was measured or stored takes no part": {change: func(t *evidence.Trial) {
			t.ElapsedMS, t.Unstable, t.Verdict, t.Reasons = 1<<40, true, evidence.Violated, []string{"old"}
		}, want: evidence.Holds},
	} {
		trial := kept()
		tt.change(&trial)
		check(t, name, trial, tt.want, tt.reasons...)
	}
}

func allAcked() []evidence.Check {
	return []evidence.Check{{Left: evidence.Acked, Op: "==", Right: "intended"}}
}

func check(t *testing.T, name string, trial evidence.Trial, want evidence.Verdict, reasons ...string) {
	t.Helper()
	type judgement struct {
		Verdict evidence.Verdict
		Reasons []string
	}
	v, why := verdict.Judge(trial)
	if diff := cmp.Diff(judgement{want, append([]string{}, reasons...)}, judgement{v, why}); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestExit(t *testing.T) {
	of := func(v evidence.Verdict) evidence.Trial { return evidence.Trial{Verdict: v} }
	unstable := evidence.Trial{Verdict: evidence.Holds, Unstable: true}
	for name, tt := range map[string]struct {
		trials     []evidence.Trial
		want       int
		unfinished int
	}{
		"nothing":              {nil, 0, 0},
		"not finished":         {[]evidence.Trial{of(evidence.Holds)}, 4, 2},
		"holds":                {[]evidence.Trial{of(evidence.Holds), of(evidence.NotSupported)}, 0, 0},
		"inconclusive":         {[]evidence.Trial{of(evidence.Holds), of(evidence.Inconclusive)}, 4, 0},
		"unstable":             {[]evidence.Trial{unstable, of(evidence.Holds)}, 4, 0},
		"not judged":           {[]evidence.Trial{of("")}, 4, 0},
		"violated":             {[]evidence.Trial{of(evidence.Holds), of(evidence.Violated)}, 3, 0},
		"violated comes first": {[]evidence.Trial{unstable, of(evidence.Inconclusive), of(evidence.Violated), of(evidence.Holds)}, 3, 0},
	} {
		if got := verdict.Exit(evidence.Document{Trials: tt.trials, Unfinished: tt.unfinished}); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", name, got, tt.want)
		}
	}
}

func TestRecompute(t *testing.T) {
	good, bad := kept(), kept()
	good.Verdict, bad.Verdict = evidence.Holds, evidence.Holds
	bad.Counts[evidence.LogRecords], bad.Counts[evidence.Unique] = 203, 203
	errs := verdict.Recompute(evidence.Document{Trials: []evidence.Trial{good, bad, good}})
	var got []string
	for _, err := range errs {
		got = append(got, err.Error())
	}
	want := []string{`recompute verdict of idempotent enable.idempotence=true,sends=sequential on franz: ` +
		`stored is "holds", the evidence says "violated": log_records is 203, expected to equal intended (200)`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestEditedEvidence: documents that no audit can have written.
func TestEditedEvidence(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(*evidence.Trial)
		want string
	}{
		"a loss without an anomaly": {func(t *evidence.Trial) { t.Counts[evidence.LostRecords] = 1 },
			"lost is 1, and the anomalies of kind lost add up to 0"},
		"an anomaly without its count": {func(t *evidence.Trial) {
			t.Allowed = []evidence.AnomalyKind{evidence.Lost}
			t.Anomalies = []evidence.Anomaly{{Kind: evidence.Lost, Count: 2}}
		}, "lost is absent, and the anomalies of kind lost add up to 2"},
		"duplicates that are not in the log": {func(t *evidence.Trial) {
			t.Counts[evidence.Duplicates] = 5
			t.Anomalies = []evidence.Anomaly{duplicates(5)}
		}, "log_records 200, unique 200 and duplicates 5 do not add up"},
		"a negative count": {func(t *evidence.Trial) { t.Counts[evidence.Acked] = -5 }, "acked is -5, expected 0 or more"},
		"a transaction without end": {func(t *evidence.Trial) { t.Counts[evidence.Transactions] = 3; t.Counts[evidence.Committed] = 2 },
			"3 transactions, and 2 committed, aborted or undecided"},
		"a record without fate": {func(t *evidence.Trial) { t.Counts[evidence.Acked] = 199 }, "200 records intended, and only 199 acked, failed or unknown"},
		"an unknown kind":       {func(t *evidence.Trial) { t.Kind = "foo" }, `kind is "foo", expected promise, control or observation`},
	} {
		trial := kept()
		tt.edit(&trial)
		trial.Verdict, _ = verdict.Judge(trial)
		var got []string
		for _, err := range verdict.Recompute(evidence.Document{Trials: []evidence.Trial{trial}}) {
			got = append(got, err.Error())
		}
		want := "evidence of idempotent enable.idempotence=true,sends=sequential on franz: " + tt.want
		if !slices.Contains(got, want) {
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
	}
	honest := kept()
	honest.Verdict = evidence.Holds
	if errs := verdict.Recompute(evidence.Document{Trials: []evidence.Trial{honest}}); len(errs) > 0 {
		t.Errorf("honest evidence: %v", errs)
	}
}

// TestMarkUnstable: two repeats of one trial, and a trial beside them that is the
// same twice.
func TestMarkUnstable(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*evidence.Trial) // of the second repeat
		want   bool
	}{
		"the same":                   {func(*evidence.Trial) {}, false},
		"verdict":                    {func(t *evidence.Trial) { t.Verdict = evidence.Inconclusive }, true},
		"answer":                     {func(t *evidence.Trial) { t.Answers[0].Answer = "1" }, true},
		"answer that nobody gave":    {func(t *evidence.Trial) { t.Answers = nil }, true},
		"measured answer":            {func(t *evidence.Trial) { t.Answers[1].Answer = "9 ms" }, false},
		"counts":                     {func(t *evidence.Trial) { t.Counts[evidence.Acked] = 199 }, true},
		"anomalies":                  {func(t *evidence.Trial) { t.Anomalies[0].Count = 4 }, true},
		"faults":                     {func(t *evidence.Trial) { t.Faults[0].Fired = 69 }, true},
		"collateral and time":        {func(t *evidence.Trial) { t.Faults[0].Collateral, t.ElapsedMS = 9, 9 }, false},
		"counts that need not":       {func(t *evidence.Trial) { t.Repeats, t.Counts[evidence.Acked] = false, 199 }, false},
		"a mark that is there stays": {func(t *evidence.Trial) { t.Unstable = true }, true},
	} {
		trials := []evidence.Trial{repeated(), repeated(), repeated(), repeated()}
		trials[1].Client, trials[3].Client = "librdkafka", "librdkafka"
		tt.change(&trials[2])
		verdict.MarkUnstable(trials)
		if trials[2].Unstable != tt.want || trials[1].Unstable || trials[3].Unstable {
			t.Errorf("%s: unstable is %t, want %t; beside it %t, want false", name, trials[2].Unstable, tt.want, trials[1].Unstable || trials[3].Unstable)
		}
	}
}

func repeated() evidence.Trial {
	t := kept()
	t.Verdict, t.Repeats = evidence.Holds, true
	t.Anomalies = []evidence.Anomaly{duplicates(3)}
	t.Answers = []evidence.Answer{{Question: "acks", Answer: "-1"}, {Question: "after", Answer: "5 ms", Measured: true}}
	return t
}
