package diff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/diff"
	"kcompare/internal/evidence"
)

// trial is one that repeats by its seed and holds.
func trial(client string, changes ...func(*evidence.Trial)) evidence.Trial {
	t := evidence.Trial{
		Scenario: "idempotent", Variant: "sends=sequential", Kind: evidence.Promise, Client: client, Library: client + " 1",
		Config: map[string]string{"acks": "all"}, Consuming: map[string]string{"group.id": "g"}, Reading: map[string]string{"check.crcs": "true"},
		Differences: []string{"linger.ms: rounded"},
		Faults:      []evidence.Fault{{Rule: "lose", Kind: "drop-response", API: "Produce", Planned: 3, Fired: 3, Collateral: 1}},
		Counts:      evidence.Counts{evidence.Acked: 200, evidence.Duplicates: 3, evidence.LostRecords: 0},
		Requests:    map[string]int64{"Produce": 200, "Metadata": 3},
		Anomalies:   []evidence.Anomaly{{Kind: evidence.Duplicate, Count: 3, Allowed: true, Cause: "client retry", First: "order-1"}},
		Errors:      []evidence.ErrorCount{{Call: "produce", Class: "fatal", Code: "X", Text: "some", Count: 2}},
		Answers:     []evidence.Answer{{Question: "who", Answer: "me"}, {Question: "how long", Answer: "3 ms", Measured: true}},
		Verdict:     evidence.Holds, Repeats: true, ElapsedMS: 100,
	}
	for _, change := range changes {
		change(&t)
	}
	return t
}

func document(trials ...evidence.Trial) evidence.Document {
	return evidence.Document{
		Kcompare: "0.1.0", Platform: "linux/amd64", Seed: 1, Broker: evidence.Broker{Kind: "embedded", Software: "kfake", Nodes: 3},
		Parameters: map[string]string{"messages": "200", "trial-timeout": "1m"}, Trials: trials,
	}
}

type change = func(*evidence.Trial)

func unrepeated(t *evidence.Trial) { t.Repeats = false }

func inconclusive(t *evidence.Trial) {
	t.Verdict, t.Reasons = evidence.Inconclusive, []string{"the trace is empty"}
}

func unsupported(t *evidence.Trial) {
	*t = evidence.Trial{Scenario: t.Scenario, Variant: t.Variant, Kind: t.Kind, Client: t.Client, Verdict: evidence.NotSupported}
}

// TestTrials changes one thing each in a trial that is there on both sides.
func TestTrials(t *testing.T) {
	one := func(what diff.What, name, old, new string) []diff.Change {
		return []diff.Change{{What: what, Name: name, Old: old, New: new}}
	}
	for _, tt := range []struct {
		name     string
		old, new []change
		changes  []diff.Change
		chance   []diff.Change
		unclear  []string
		exit     int
	}{
		{name: "the same"},
		{name: "what is measured", new: []change{func(t *evidence.Trial) {
			t.ElapsedMS, t.Answers[1].Answer, t.Faults[0].Collateral, t.Errors[0].Count, t.Errors[0].Text, t.Requests["Metadata"] = 9, "9 ms", 7, 1, "other", 90
		}}},
		{name: "verdict", new: []change{func(t *evidence.Trial) { t.Verdict = evidence.Violated }},
			changes: one(diff.Verdict, "", "holds", "violated"), exit: 3},
		{name: "count that the seed repeats", new: []change{func(t *evidence.Trial) { t.Counts[evidence.Duplicates] = 4 }},
			changes: one(diff.Count, "duplicates", "3", "4"), exit: 3},
		{name: "count that is not known any more", new: []change{func(t *evidence.Trial) { delete(t.Counts, evidence.Acked) }},
			changes: one(diff.Count, "acked", "200", ""), exit: 3},
		{name: "count that the seed does not repeat", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) { t.Counts[evidence.Duplicates] = 4 }}},
		{name: "count of which one side says that it repeats", new: []change{unrepeated, func(t *evidence.Trial) { t.Counts[evidence.Duplicates] = 4 }}},
		{name: "count that appears", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) { t.Counts[evidence.LostRecords] = 51 }},
			changes: one(diff.Count, "lost", "0", "51"), exit: 3},
		{name: "count that appears twice", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) { t.Counts[evidence.LostRecords] = 2 }},
			chance: one(diff.Count, "lost", "0", "2")},
		{name: "anomaly that is not permitted and appears once", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) {
			t.Anomalies = append(t.Anomalies, evidence.Anomaly{Kind: evidence.Lost, Count: 1, Cause: "reused"})
		}}, changes: one(diff.Anomaly, "lost: reused", "", "not permitted"), exit: 3},
		{name: "anomaly that is permitted and appears once", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) {
			t.Anomalies = append(t.Anomalies, evidence.Anomaly{Kind: evidence.FailedButPresent, Count: 1, Cause: "silent", Allowed: true})
		}}, chance: one(diff.Anomaly, "failed-but-present: silent", "", "permitted")},
		{name: "anomaly that is permitted and vanishes", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) { t.Anomalies = nil }},
			changes: one(diff.Anomaly, "duplicate: client retry", "permitted", ""), exit: 3},
		{name: "code that appears once beside another", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) {
			t.Errors[0].Count = 9
			t.Errors = append(t.Errors, evidence.ErrorCount{Call: "produce", Class: "retriable", Code: "Y", Count: 1})
		}}, chance: one(diff.Error, "produce", "X (fatal)", "X (fatal) and Y (retriable)")},
		{name: "code that appears often beside another", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) {
			t.Errors = append(t.Errors, evidence.ErrorCount{Call: "produce", Class: "retriable", Code: "Y", Count: 3})
		}}, changes: one(diff.Error, "produce", "X (fatal)", "X (fatal) and Y (retriable)"), exit: 3},
		{name: "count that vanishes", old: []change{unrepeated}, new: []change{unrepeated, func(t *evidence.Trial) { t.Counts[evidence.Duplicates] = 0 }},
			changes: one(diff.Count, "duplicates", "3", "0"), exit: 3},
		{name: "anomaly", new: []change{func(t *evidence.Trial) {
			t.Anomalies = append(t.Anomalies, evidence.Anomaly{Kind: evidence.Lost, Count: 1, Cause: "reused", First: "order-2"})
		}}, changes: one(diff.Anomaly, "lost: reused", "", "not permitted"), exit: 3},
		{name: "cause", new: []change{func(t *evidence.Trial) { t.Anomalies[0].Cause = "renumbered" }}, changes: []diff.Change{
			{What: diff.Anomaly, Name: "duplicate: client retry", Old: "permitted"},
			{What: diff.Anomaly, Name: "duplicate: renumbered", New: "permitted"},
		}, exit: 3},
		{name: "permission", new: []change{func(t *evidence.Trial) { t.Anomalies[0].Allowed = false }},
			changes: one(diff.Anomaly, "duplicate: client retry", "permitted", "not permitted"), exit: 3},
		{name: "first record of an anomaly", new: []change{func(t *evidence.Trial) { t.Anomalies[0].First = "order-7" }}},
		{name: "code", new: []change{func(t *evidence.Trial) { t.Errors[0].Code = "Y" }},
			changes: one(diff.Error, "produce", "X (fatal)", "Y (fatal)"), exit: 3},
		{name: "class", new: []change{func(t *evidence.Trial) { t.Errors[0].Class = "retriable" }},
			changes: one(diff.Error, "produce", "X (fatal)", "X (retriable)"), exit: 3},
		{name: "another call fails", new: []change{func(t *evidence.Trial) {
			t.Errors = append(t.Errors, evidence.ErrorCount{Who: "old instance", Call: "commit", Class: "fenced", Code: "Z"})
		}}, changes: one(diff.Error, "old instance: commit", "", "Z (fenced)"), exit: 3},
		{name: "answer", new: []change{func(t *evidence.Trial) { t.Answers[0].Answer = "you" }},
			changes: one(diff.Answer, "who", "me", "you"), exit: 3},
		{name: "fault that does not apply", new: []change{func(t *evidence.Trial) { t.Faults[0].NotApplicable = "never sent" }},
			changes: one(diff.Fault, "lose", "", "never sent"), exit: 3},
		{name: "settings", new: []change{func(t *evidence.Trial) {
			t.Config, t.Consuming, t.Reading = map[string]string{"acks": "1"}, nil, map[string]string{"check.crcs": "true", "x": ""}
		}}, changes: []diff.Change{
			{What: diff.Setting, Name: "acks", Old: `"all"`, New: `"1"`},
			{What: diff.Setting, Name: "consumers: group.id", Old: `"g"`},
			{What: diff.Setting, Name: "own reading: x", New: `""`},
		}, exit: 3},
		{name: "difference", new: []change{func(t *evidence.Trial) { t.Differences = nil }},
			changes: one(diff.Difference, "linger.ms: rounded", "approximate", ""), exit: 3},
		{name: "inconclusive now", new: []change{inconclusive, func(t *evidence.Trial) { t.Counts = nil }},
			unclear: []string{"new is inconclusive: the trace is empty"}, exit: 4},
		{name: "requests of a trial that did not end", new: []change{inconclusive, func(t *evidence.Trial) { t.Requests = map[string]int64{"Metadata": 1} }},
			unclear: []string{"new is inconclusive: the trace is empty"}, exit: 4},
		{name: "inconclusive before", old: []change{inconclusive}, new: []change{func(t *evidence.Trial) { t.Verdict = evidence.Violated }},
			unclear: []string{"old is inconclusive: the trace is empty"}, exit: 4},
		{name: "not supported before", old: []change{unsupported}, changes: one(diff.Verdict, "", "not-supported", "holds"), exit: 3},
		{name: "never supported", old: []change{unsupported}, new: []change{unsupported}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := diff.Compare(document(trial("franz", tt.old...)), document(trial("franz", tt.new...)))
			if err != nil {
				t.Fatal(err)
			}
			want := diff.Trial{
				Scenario: "idempotent", Variant: "sends=sequential", Kind: evidence.Promise, OldClient: "franz", NewClient: "franz", Result: diff.Same,
				Changes: append([]diff.Change{}, tt.changes...), Chance: append([]diff.Change{}, tt.chance...), Unclear: append([]string{}, tt.unclear...),
			}
			switch {
			case len(tt.changes) > 0:
				want.Result = diff.Changed
			case len(tt.unclear) > 0:
				want.Result = diff.Unclear
			}
			if d := cmp.Diff([]diff.Trial{want}, got.Trials); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			if exit := diff.Exit(got); exit != tt.exit {
				t.Errorf("exit %d, expected %d", exit, tt.exit)
			}
		})
	}
}

// TestRepeats: repeats that do not agree, of which one is as before, prove nothing.
func TestRepeats(t *testing.T) {
	repeats := func(verdicts ...evidence.Verdict) evidence.Document {
		var all []evidence.Trial
		for i, v := range verdicts {
			all = append(all, trial("franz", func(t *evidence.Trial) { t.Repeat, t.Verdict = i+1, v }))
		}
		return document(all...)
	}
	for _, tt := range []struct {
		name     string
		old, new evidence.Document
		result   diff.Result
	}{
		{"alike", repeats(evidence.Holds, evidence.Violated), repeats(evidence.Violated, evidence.Holds), diff.Same},
		{"once and three times", repeats(evidence.Holds), repeats(evidence.Holds, evidence.Holds, evidence.Holds), diff.Same},
		{"one is as before", repeats(evidence.Holds), repeats(evidence.Holds, evidence.Violated), diff.Unclear},
		{"none is as before", repeats(evidence.Holds, evidence.Holds), repeats(evidence.Violated, evidence.Violated), diff.Changed},
		{"one shows something", repeats(evidence.Inconclusive, evidence.Holds), repeats(evidence.Violated), diff.Changed},
	} {
		got, err := diff.Compare(tt.old, tt.new)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Trials) != 1 || got.Trials[0].Result != tt.result {
			t.Errorf("%s: %+v, expected %s", tt.name, got.Trials, tt.result)
		}
	}
}

// TestExperiments: what is not the same experiment is said, and what follows from it.
func TestExperiments(t *testing.T) {
	another := func(t *evidence.Trial) {
		t.Counts[evidence.Duplicates], t.Errors[0].Code, t.Requests["Fetch"] = 4, "Y", 1
	}
	for _, tt := range []struct {
		name   string
		change func(*evidence.Document)
		notes  []string
		whats  string // that are told all the same
		exit   int
	}{
		{"the same", func(*evidence.Document) {}, []string{}, "count error request", 3},
		{"seed", func(d *evidence.Document) { d.Seed = 2 }, []string{"seed 1 and seed 2: counts are not compared"}, "error request", 3},
		{"size", func(d *evidence.Document) { d.Parameters["messages"] = "20" }, []string{`messages is "200" and "20": counts are not compared`}, "error request", 3},
		{"patience", func(d *evidence.Document) { d.Parameters["trial-timeout"] = "2m" }, []string{`trial-timeout is "1m" and "2m"`}, "count error request", 3},
		{"broker", func(d *evidence.Document) {
			d.Broker = evidence.Broker{Kind: "kafka", Software: "Apache Kafka 4.4.0", Nodes: 1}
		}, []string{"broker embedded and kafka: errors and requests are not compared", "broker kfake, 3 nodes and Apache Kafka 4.4.0, 1 nodes"}, "count", 3},
		{"both", func(d *evidence.Document) { d.Seed, d.Broker.Kind = 2, "kafka" }, []string{
			"seed 1 and seed 2: counts are not compared", "broker embedded and kafka: errors and requests are not compared",
		}, "", 4},
		{"kcompare and platform", func(d *evidence.Document) { d.Kcompare, d.Platform = "0.2.0", "darwin/arm64" },
			[]string{"kcompare 0.1.0 and 0.2.0", "platform linux/amd64 and darwin/arm64"}, "count error request", 3},
		{"platform of before it was noted", func(d *evidence.Document) { d.Platform = "" }, []string{}, "count error request", 3},
	} {
		old, new := document(trial("franz")), document(trial("franz", another))
		tt.change(&new)
		got, err := diff.Compare(old, new)
		if err != nil {
			t.Fatal(err)
		}
		var whats []string
		for _, c := range append(got.Trials[0].Changes, got.Clients[0].Changes...) {
			whats = append(whats, string(c.What))
		}
		if d := cmp.Diff(tt.notes, got.Notes); d != "" || strings.Join(whats, " ") != tt.whats || diff.Exit(got) != tt.exit {
			t.Errorf("%s: exit %d, changes of %v, notes (-want +got):\n%s", tt.name, diff.Exit(got), whats, d)
		}
	}
}

// TestRequests: an API counts when no trial of the client asked it before, or none does
// any more.
func TestRequests(t *testing.T) {
	asking := func(scenario, client string, apis ...string) evidence.Trial {
		return trial(client, func(t *evidence.Trial) {
			t.Scenario, t.Requests = scenario, map[string]int64{}
			for _, api := range apis {
				t.Requests[api] = 2
			}
		})
	}
	got, err := diff.Compare(
		document(asking("a", "franz", "Produce", "Heartbeat"), asking("b", "franz", "Produce"), asking("a", "java", "Produce")),
		document(asking("a", "franz", "AddPartitionsToTxn"), asking("b", "franz", "Heartbeat"), asking("a", "java", "Produce")))
	if err != nil {
		t.Fatal(err)
	}
	want := []diff.Client{
		{Old: "franz", New: "franz", OldLibrary: "franz 1", NewLibrary: "franz 1", Changes: []diff.Change{
			{What: diff.Request, Name: "AddPartitionsToTxn", New: "2"}, {What: diff.Request, Name: "Produce", Old: "4"},
		}},
		{Old: "java", New: "java", OldLibrary: "java 1", NewLibrary: "java 1", Changes: []diff.Change{}},
	}
	if d := cmp.Diff(want, got.Clients); d != "" || diff.Exit(got) != 3 {
		t.Errorf("exit %d, clients (-want +got):\n%s", diff.Exit(got), d)
	}
}

// TestTimed: a few requests that a clock sends are chance, many are not; and how often a
// real broker is asked is its matter too.
func TestTimed(t *testing.T) {
	beating := func(kind string, beats, produced int64) evidence.Document {
		doc := document(trial("franz", func(t *evidence.Trial) {
			t.Requests, t.Repeats = map[string]int64{"Produce": 1, "Heartbeat": beats}, true
			t.Counts[evidence.ProduceRequests] = produced
		}))
		doc.Broker.Kind = kind
		return doc
	}
	for _, test := range []struct {
		kind            string
		beats, produced int64
		exit            int
	}{{"embedded", 6, 1, 0}, {"embedded", 60, 1, 3}, {"embedded", 0, 2, 3}, {"kafka", 0, 2, 0}} {
		got, err := diff.Compare(beating(test.kind, test.beats, test.produced), beating(test.kind, 0, 1))
		if err != nil || diff.Exit(got) != test.exit {
			t.Errorf("%+v: exit %d, error %v: %+v", test, diff.Exit(got), err, got.Trials)
		}
	}
}

// TestClients: who is compared with whom.
func TestClients(t *testing.T) {
	for _, tt := range []struct {
		old, new         string
		compared         string
		onlyOld, onlyNew string
		exit             int
	}{
		{old: "franz java", new: "java franz", compared: "java=java franz=franz"},
		{old: "python@2.11.1 franz", new: "python franz", compared: "python@2.11.1=python franz=franz"},
		{old: "python", new: "python@2.16.1", compared: "python=python@2.16.1"},
		{old: "python@2.11.1", new: "python@2.16.1", compared: "python@2.11.1=python@2.16.1"},
		{old: "python@2.11.1 python", new: "python", compared: "python=python", onlyOld: "python@2.11.1", exit: 4},
		{old: "python", new: "python@2.11.1 python", compared: "python=python", onlyNew: "python@2.11.1"},
		{old: "python@1 python@2 franz", new: "python@3 franz", compared: "franz=franz", onlyOld: "python@1 python@2", onlyNew: "python@3", exit: 4},
		{old: "python@1", new: "python@3 python", compared: "python@1=python", onlyNew: "python@3"},
		{old: "exec:a@1 franz", new: "exec:a@2 franz", compared: "franz=franz", onlyOld: "exec:a@1", onlyNew: "exec:a@2", exit: 4},
	} {
		of := func(names string) evidence.Document {
			var all []evidence.Trial
			for name := range strings.FieldsSeq(names) {
				all = append(all, trial(name))
			}
			return document(all...)
		}
		got, err := diff.Compare(of(tt.old), of(tt.new))
		if err != nil {
			t.Fatal(err)
		}
		var compared []string
		for _, one := range got.Trials {
			compared = append(compared, one.OldClient+"="+one.NewClient)
		}
		only := func(all []diff.Name) string {
			var out []string
			for _, n := range all {
				out = append(out, n.Client)
			}
			return strings.Join(out, " ")
		}
		if strings.Join(compared, " ") != tt.compared || only(got.OnlyOld) != tt.onlyOld || only(got.OnlyNew) != tt.onlyNew || diff.Exit(got) != tt.exit {
			t.Errorf("%s and %s: compared %v, only old %v, only new %v, exit %d", tt.old, tt.new, compared, got.OnlyOld, got.OnlyNew, diff.Exit(got))
		}
	}
}

func TestNothingInCommon(t *testing.T) {
	_, err := diff.Compare(document(trial("franz")), document(trial("java")))
	if err == nil || !strings.Contains(err.Error(), "idempotent on franz and idempotent on java") {
		t.Errorf("error %v, expected what each side has", err)
	}
}

// TestVersions: of one document the versions of a client are compared.
func TestVersions(t *testing.T) {
	for _, tt := range []struct{ clients, old, new, err string }{
		{"python@2.11.1 python franz", "python@2.11.1", "python", ""},
		{"python python@2.17.0", "python@2.17.0", "python", ""},
		{"franz java@3.9.1 java@4.4.0", "java@3.9.1", "java@4.4.0", ""},
		{"franz python", "", "", "no client stands in it in two versions (franz, python)"},
		{"java@3 java@4 java", "", "", "java stands in more than two versions (java@3, java@4, java)"},
	} {
		var all []evidence.Trial
		for name := range strings.FieldsSeq(tt.clients) {
			all = append(all, trial(name))
		}
		old, new, err := diff.Versions(document(all...))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, expected %q", tt.clients, err, tt.err)
			}
			continue
		}
		if err != nil || len(old.Trials) != 1 || len(new.Trials) != 1 || old.Trials[0].Client != tt.old || new.Trials[0].Client != tt.new {
			t.Errorf("%s: %v and %v, error %v", tt.clients, old.Trials, new.Trials, err)
		}
	}
}
