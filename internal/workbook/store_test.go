package workbook

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// made is what evidence is made of in these tests.
func made() Made {
	return Made{
		Scenarios: map[string]string{"idempotent": "aaaa", "monitoring": "bbbb"},
		Brokers:   map[string]string{brokerEmbedded: "kfake v1", brokerKafka: "Apache Kafka 4.4.0"},
		Client: func(name string) (Library, bool) {
			all := map[string]Library{"franz": {Version: "franz-go v1.22.3", BuiltIn: true}, "python": {Version: "confluent-kafka 2.16.1", Program: "cccc"}}
			l, ok := all[name]
			return l, ok
		},
	}
}

const (
	sequential = "enable.idempotence=true,sends=sequential"
	concurrent = "enable.idempotence=true,sends=concurrent"
)

func need(changes ...func(*Need)) Need {
	n := Need{Scenario: "idempotent", Variant: sequential, Client: "franz", Broker: brokerEmbedded, Parameters: usualParameters(brokerEmbedded)}
	for _, change := range changes {
		change(&n)
	}
	return n
}

func concurrently(n *Need) { n.Variant = concurrent }
func byPython(n *Need)     { n.Client = "python" }

// played is a trial as a run leaves it.
func played(n Need, changes ...func(*evidence.Trial)) evidence.Trial {
	t := evidence.Trial{
		Scenario: n.Scenario, Variant: n.Variant, Kind: evidence.Promise, Client: n.Client, Library: "franz-go v1.22.3", Number: 7,
		About: "20 payments", Config: map[string]string{"acks": "all"}, Reading: map[string]string{}, Differences: []string{},
		Faults:   []evidence.Fault{{Rule: "lose", Kind: "drop-response", API: "Produce", Planned: 3, Fired: 3, Collateral: 1}},
		Counts:   evidence.Counts{evidence.Intended: 20, evidence.Acked: 20, evidence.LogRecords: 20, evidence.Unique: 20, evidence.Duplicates: 0, evidence.LostRecords: 0},
		Requests: map[string]int64{"Metadata": 3, "Produce": 23}, Anomalies: []evidence.Anomaly{},
		Errors:     []evidence.ErrorCount{{Call: "produce", Class: "retriable", Code: "X", Text: "127.0.0.1:43211/2: Disconnected (after 5ms), PID{Id:1720770125924177830,Epoch:0}", Count: 3}},
		Answers:    []evidence.Answer{{Question: "how long", Answer: "about 320 ms", Measured: true}},
		Conditions: evidence.Conditions{Finished: true, ReadBack: evidence.ReadBackComplete, Exchanges: 42},
		ClientLog:  []string{"WARN at 127.0.0.1:43211"}, Claim: "once", Requires: []evidence.Check{}, Checks: []evidence.Check{{Left: evidence.Duplicates, Op: "==", Right: "0"}}, Allowed: []evidence.AnomalyKind{},
		Verdict: evidence.Holds, Reasons: []string{}, Repeats: true, ElapsedMS: 1518,
	}
	for _, change := range changes {
		change(&t)
	}
	return t
}

// course has evidence of what was put, in files.
func course(t *testing.T, m Made, put map[Need]evidence.Trial) fstest.MapFS {
	t.Helper()
	s := NewStore(fstest.MapFS{}, DefaultManifest(), m)
	for n, trial := range put {
		if err := s.Put(n, trial); err != nil {
			t.Fatal(err)
		}
	}
	return filesOf(t, s, fstest.MapFS{})
}

func filesOf(t *testing.T, s *Store, files fstest.MapFS) fstest.MapFS {
	t.Helper()
	changed, err := s.Changed()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range changed {
		files[name] = &fstest.MapFile{Data: content}
		if content == nil {
			delete(files, name)
		}
	}
	return files
}

func TestStoreKeepsFacts(t *testing.T) {
	n := need()
	files := course(t, made(), map[Need]evidence.Trial{n: played(n), need(concurrently): played(need(concurrently))})
	if names := slices.Collect(maps.Keys(files)); len(names) != 1 || names[0] != "evidence/idempotent-franz.json" {
		t.Fatalf("files are %q", names)
	}
	s := NewStore(files, DefaultManifest(), made())
	if err := s.Read(Wants{Needs: []Need{n}}); err != nil {
		t.Fatal(err)
	}
	got, doc, ok := s.Trial(n)
	if state, why := s.State(n); !ok || state != Fresh || why != nil {
		t.Fatalf("there %v, state %q %q", ok, state, why)
	}
	want := played(n, func(t *evidence.Trial) {
		t.Number, t.ClientLog, t.ElapsedMS = 0, nil, 1500
		t.Errors[0].Text = "broker-1:9092/2: Disconnected (after 5ms), PID{Id:P1,Epoch:0}"
	})
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("trial (-want +got):\n%s", d)
	}
	doc.Trials = nil
	wantDoc := documentOf(n, "kfake v1")
	if d := cmp.Diff(wantDoc, doc); d != "" {
		t.Errorf("document (-want +got):\n%s", d)
	}
	if doc.Again != "kcompare run idempotent --client=franz --seed=1" {
		t.Errorf("again is %q", doc.Again)
	}
}

// TestStoreWritesOnce puts the same trial of another run: not a byte may change.
func TestStoreWritesOnce(t *testing.T) {
	n := need()
	files := course(t, made(), map[Need]evidence.Trial{n: played(n)})
	s := NewStore(files, DefaultManifest(), made())
	again := played(n, func(t *evidence.Trial) {
		t.Number, t.ElapsedMS, t.Requests["Metadata"], t.Conditions.Exchanges, t.Faults[0].Collateral = 3, 2400, 8, 47, 4
		t.Errors[0].Text, t.Errors[0].Count = "127.0.0.1:9/2: Disconnected (after 17ms), PID{Id:3,Epoch:0}", 4
		t.Answers[0].Answer = "about 0.5 s"
	})
	if err := s.Put(n, again); err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Changed(); err != nil || len(changed) != 0 {
		t.Errorf("changed: %v, %q", err, slices.Collect(maps.Keys(changed)))
	}
}

// TestStaleKeepsMeasures plays both trials of a stale file again: each is held against what
// stood there, although the first that is put makes another file of it.
func TestStaleKeepsMeasures(t *testing.T) {
	both := []Need{need(), need(concurrently)}
	files := course(t, made(), map[Need]evidence.Trial{both[0]: played(both[0]), both[1]: played(both[1])})
	now := made()
	now.Scenarios["idempotent"] = "x"
	s := NewStore(files, DefaultManifest(), now)
	for _, n := range both {
		if err := s.Put(n, played(n, func(t *evidence.Trial) { t.Requests["Metadata"] = 4 })); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range both {
		if got, _, ok := s.Trial(n); !ok || got.Requests["Metadata"] != 3 {
			t.Errorf("%s: there %v, %d requests", n.Variant, ok, got.Requests["Metadata"])
		}
	}
}

// TestMeasures are a doctored time and others that are too far away to keep.
func TestMeasures(t *testing.T) {
	n := need()
	files := course(t, made(), map[Need]evidence.Trial{n: played(n, func(t *evidence.Trial) {
		t.ElapsedMS, t.Requests["Metadata"], t.Answers[0].Answer = 90_000, 300, "about 9 s"
	})})
	s := NewStore(files, DefaultManifest(), made())
	if err := s.Put(n, played(n)); err != nil {
		t.Fatal(err)
	}
	got, _, _ := s.Trial(n)
	if got.ElapsedMS != 1500 || got.Requests["Metadata"] != 3 || got.Answers[0].Answer != "about 320 ms" {
		t.Errorf("kept %d ms, %d requests, %q", got.ElapsedMS, got.Requests["Metadata"], got.Answers[0].Answer)
	}
}

// TestChanceIsKept puts a trial that no seed repeats: other figures are no news, another
// verdict or library is.
func TestChanceIsKept(t *testing.T) {
	n := need(concurrently)
	chance := func(t *evidence.Trial) { t.Repeats = false }
	more := func(t *evidence.Trial) { t.Counts[evidence.ProduceRequests] = 29 }
	older := made()
	older.Client = func(string) (Library, bool) { return Library{Version: "franz-go v1.20.0"}, true }
	for _, tt := range []struct {
		name    string
		by      Made
		library string
		want    int64
	}{{"same library", made(), "franz-go v1.22.3", 23}, {"another library", older, "franz-go v1.20.0", 29}} {
		files := course(t, tt.by, map[Need]evidence.Trial{n: played(n, chance, func(t *evidence.Trial) {
			t.Counts[evidence.ProduceRequests], t.Library = 23, tt.library
		})})
		s := NewStore(files, DefaultManifest(), made())
		if err := s.Put(n, played(n, chance, more)); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := s.Trial(n); got.Counts[evidence.ProduceRequests] != tt.want {
			t.Errorf("%s: produce_requests is %d, expected %d", tt.name, got.Counts[evidence.ProduceRequests], tt.want)
		}
	}
}

// TestStale changes everything that evidence is made of, one at a time.
func TestStale(t *testing.T) {
	client := func(l Library) func(*Made) {
		return func(m *Made) { m.Client = func(string) (Library, bool) { return l, true } }
	}
	for _, tt := range []struct {
		name   string
		need   Need
		change func(*Made)
		want   []string
	}{
		{"nothing", need(), func(*Made) {}, nil},
		{"another scenario", need(), func(m *Made) { m.Scenarios["monitoring"] = "x" }, nil},
		{"scenario", need(), func(m *Made) { m.Scenarios["idempotent"] = "x" }, []string{"the sources of scenario idempotent changed"}},
		{"built in", need(), client(Library{Version: "franz-go v1.23.0", BuiltIn: true}), []string{"franz-go v1.22.3 -> v1.23.0"}},
		{"program's library", need(byPython), client(Library{Version: "confluent-kafka 2.17.0", Program: "cccc"}), []string{"confluent-kafka 2.16.1 -> 2.17.0"}},
		{"program", need(byPython), client(Library{Version: "confluent-kafka 2.16.1", Program: "x"}), []string{"the program of client python changed"}},
		{"broker", need(), func(m *Made) { m.Brokers[brokerEmbedded] = "kfake v2" }, []string{"kfake v1 -> v2"}},
		{"a client that is not in this build", need(byPython), func(m *Made) {
			m.Client = func(string) (Library, bool) { return Library{}, false }
			m.Scenarios["idempotent"] = "x"
		}, []string{"the sources of scenario idempotent changed"}},
		{"several", need(), func(m *Made) { m.Brokers[brokerEmbedded], m.Scenarios["idempotent"] = "other 2", "x" },
			[]string{"kfake v1 -> other 2", "the sources of scenario idempotent changed"}},
	} {
		files := course(t, made(), map[Need]evidence.Trial{tt.need: played(tt.need)})
		now := made()
		tt.change(&now)
		s := NewStore(files, DefaultManifest(), now)
		state, why := s.State(tt.need)
		if d := cmp.Diff(tt.want, why); d != "" || (state == Stale) != (tt.want != nil) {
			t.Errorf("%s: %q (-want +got):\n%s", tt.name, state, d)
		}
	}
}

// TestStaleByParameters finds no evidence of other parameters, seeds and brokers, nor of a
// scene that was not cut.
func TestStaleByParameters(t *testing.T) {
	files := course(t, made(), map[Need]evidence.Trial{need(): played(need())})
	s := NewStore(files, DefaultManifest(), made())
	for file, change := range map[string]func(*Need){
		"evidence/idempotent-franz-seed=2.json":        func(n *Need) { n.Parameters.Seed = 2 },
		"evidence/idempotent-franz-messages=50.json":   func(n *Need) { n.Parameters.Messages = 50 },
		"evidence/idempotent-franz-drop-rate=0.json":   func(n *Need) { n.Parameters.DropRate = 0 },
		"evidence/idempotent-franz-kafka.json":         func(n *Need) { n.Broker, n.Parameters = brokerKafka, usualParameters(brokerKafka) },
		"evidence/idempotent-franz-kafka-nodes=3.json": func(n *Need) { n.Broker = brokerKafka },
		"evidence/idempotent-python.json":              byPython,
		"evidence/idempotent-franz.json":               func(n *Need) { n.Scene = "fault" },
	} {
		n := need(change)
		if state, _ := s.State(n); state != Missing || s.FileOf(n) != file {
			t.Errorf("%s: state %q, file %s", file, state, s.FileOf(n))
		}
	}
}

// TestLies doctors a file in every way that can be told from the file alone.
func TestLies(t *testing.T) {
	n := need()
	files := course(t, made(), map[Need]evidence.Trial{n: played(n)})
	honest := files["evidence/idempotent-franz.json"].Data
	for _, tt := range []struct{ old, new, want string }{
		{`"verdict": "holds"`, `"verdict": "violated"`, `recompute verdict`},
		{`"duplicates": 0`, `"duplicates": 3`, `it contradicts itself`},
		{`"client": "franz"`, `"client": "sarama"`, `it has a trial of idempotent on sarama`},
		{`"seed": 1`, `"seed": 2`, `are not those of its name`},
		{`"messages": "200"`, `"messages": "300"`, `are not those of its name`},
		{`"software": "kfake v1"`, `"software": "kfake v9"`, `its broker is "kfake v9", and it was made of "kfake v1"`},
		{`"elapsed_ms": 1500`, `"elapsed_ms": -5`, `elapsed_ms is -5`},
		{`"elapsed_ms": 1500`, `"elapsed_ms": 150000000000`, `elapsed_ms is 150000000000`},
		{`broker-1:9092`, `10.0.0.7:9092`, `errors[0].text has "10.0.0.7:9092", expected no address`},
		{`broker-1:9092`, `/home/me/x`, `errors[0].text has "/home/me/x`},
		{`"Metadata": 3`, `"Metadata": 0`, `requests: Metadata is 0`},
		{`{`, ``, `expected one JSON document`},
		{`"trials": [`, `"trials": [], "x": [`, `expected at least one trial`},
	} {
		doctored := bytes.Replace(honest, []byte(tt.old), []byte(tt.new), 1)
		if bytes.Equal(doctored, honest) {
			t.Errorf("%s does not stand in it", tt.old)
		}
		s := NewStore(fstest.MapFS{"evidence/idempotent-franz.json": {Data: doctored}}, DefaultManifest(), made())
		err := s.Read(Wants{Needs: []Need{n}})
		if err == nil || !strings.HasPrefix(err.Error(), "evidence/idempotent-franz.json: ") ||
			!strings.Contains(err.Error(), tt.want) || !strings.HasSuffix(err.Error(), "; remove the file, `kcompare docs render` makes it again") {
			t.Errorf("%s: %v, expected %q", tt.new, err, tt.want)
		}
		if _, _, ok := s.Trial(n); ok {
			t.Errorf("%s: there is evidence", tt.new)
		}
	}
}

// TestDoctoredLibrary is a library that was upgraded by hand: in one place or in all.
func TestDoctoredLibrary(t *testing.T) {
	n := need()
	files := course(t, made(), map[Need]evidence.Trial{n: played(n)})
	honest := files["evidence/idempotent-franz.json"].Data
	for _, times := range []int{1, -1} {
		doctored := bytes.Replace(honest, []byte("franz-go v1.22.3"), []byte("franz-go v1.22.2"), times)
		s := NewStore(fstest.MapFS{"evidence/idempotent-franz.json": {Data: doctored}}, DefaultManifest(), made())
		if state, why := s.State(n); state != Stale || !cmp.Equal(why, []string{"franz-go v1.22.2 -> v1.22.3"}) {
			t.Errorf("%d times: %q %q", times, state, why)
		}
	}
}

func TestOlderSchema(t *testing.T) {
	n := need()
	files := fstest.MapFS{"evidence/idempotent-franz.json": {Data: []byte(`{"schema": "kcompare/evidence/v0"}`)}}
	s := NewStore(files, DefaultManifest(), made())
	state, why := s.State(n)
	if state != Missing || !cmp.Equal(why, []string{"evidence/idempotent-franz.json is of schema kcompare/evidence/v0 -> kcompare/evidence/v1"}) {
		t.Errorf("%q %q", state, why)
	}
	if err := s.Read(Wants{Needs: []Need{n}}); err != nil {
		t.Error(err)
	}
	if err := s.Put(n, played(n)); err != nil {
		t.Error(err)
	}
	if _, _, ok := s.Trial(n); !ok {
		t.Error("what was put is not there")
	}
}

// TestPutRefuses what is not of the need, or holds what evidence must not hold.
func TestPutRefuses(t *testing.T) {
	for want, change := range map[string]func(*evidence.Trial){
		"put is idempotent":                     func(t *evidence.Trial) { t.Variant = concurrent },
		"the trial is of franz-go v9":           func(t *evidence.Trial) { t.Library = "franz-go v9" },
		`errors[0].text has "192.168.1.4:9092"`: func(t *evidence.Trial) { t.Errors[0].Text = "connect to 192.168.1.4:9092" },
		"recompute verdict":                     func(t *evidence.Trial) { t.Verdict = evidence.Violated },
		"elapsed_ms is -1":                      func(t *evidence.Trial) { t.ElapsedMS = -1 },
	} {
		s := NewStore(fstest.MapFS{}, DefaultManifest(), made())
		err := s.Put(need(), played(need(), change))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
		if changed, err := s.Changed(); err != nil || len(changed) != 0 {
			t.Errorf("%s: %v, changed %d files", want, err, len(changed))
		}
	}
}

func TestPlays(t *testing.T) {
	scenes := func(names ...string) func(*evidence.Trial) {
		return func(t *evidence.Trial) {
			for _, name := range names {
				t.Scenes = append(t.Scenes, evidence.Scene{Of: name})
			}
		}
	}
	scene := func(name string) func(*Need) { return func(n *Need) { n.Scene = name } }
	stale := made()
	stale.Scenarios["idempotent"] = "x"
	changed := []string{"the sources of scenario idempotent changed"}
	never := func(Need) bool { return false }
	files := course(t, made(), map[Need]evidence.Trial{
		need(): played(need(), scenes("fault")), need(concurrently): played(need(concurrently)),
	})
	for _, tt := range []struct {
		name  string
		made  Made
		needs []Need
		again func(Need) bool
		want  []Play
	}{
		{"fresh", made(), []Need{need(), need(scene("fault")), need(concurrently)}, never, nil},
		{"asked for", made(), []Need{need(), need(concurrently)}, func(n Need) bool { return n.Variant == concurrent },
			[]Play{{Need: need(concurrently)}}},
		{"missing", made(), []Need{need(byPython), need(byPython, scene("start"))}, never, []Play{{Need: need(byPython), Scenes: []string{"start"}}}},
		{"missing scenes", made(), []Need{need(scene("start")), need(), need(scene("all"))}, never,
			[]Play{{Need: need(), Scenes: []string{"all", "fault", "start"}}}},
		{"stale", stale, []Need{need()}, never,
			[]Play{{Need: need(), Scenes: []string{"fault"}, Why: changed}, {Need: need(concurrently), Why: changed}}},
	} {
		got := NewStore(files, DefaultManifest(), tt.made).Plays(tt.needs, tt.again)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestOutputs(t *testing.T) {
	m := DefaultManifest()
	m.Programs = []Program{{Name: "python/hello", Client: "python", File: "x/hello.py", Topics: []string{"orders:3"}}}
	files := fstest.MapFS{"x/hello.py": {Data: []byte("print(1)\n")}, "kcompare.yaml": {}}
	s := NewStore(files, m, made())
	if err := s.PutOutput("python/hello", []string{"connected to 127.0.0.1:4711 ", "127.0.0.1:4711, again"}); err != nil {
		t.Fatal(err)
	}
	files = filesOf(t, s, files)
	s = NewStore(files, m, made())
	want := []string{"connected to broker-1:9092", "broker-1:9092, again"}
	if got, ok := s.Output("python/hello"); !ok || !cmp.Equal(want, got) {
		t.Errorf("%v, %q", ok, got)
	}
	if state, why := s.OutputState("python/hello"); state != Fresh {
		t.Errorf("%q %q", state, why)
	}
	if same, line := s.SameOutput("python/hello", []string{"connected to 127.0.0.1:9", "127.0.0.1:10, again"}); same || line != 2 {
		t.Errorf("same %v, line %d", same, line)
	}
	files["x/hello.py"] = &fstest.MapFile{Data: []byte("print(2)\n")}
	m.Programs[0].Topics = []string{"orders:1"}
	state, why := NewStore(files, m, made()).OutputState("python/hello")
	if state != Stale || !cmp.Equal(why, []string{"the program of python/hello changed", "topics orders:3 -> orders:1"}) {
		t.Errorf("%q %q", state, why)
	}
	if err := s.PutOutput("python/hello", []string{"at 2026-11-30 12:00"}); err == nil {
		t.Error("a time of day was stored")
	}
}

func TestWordsAreNumbered(t *testing.T) {
	words := newNumbering()
	for _, tt := range [][2]string{
		{"dial tcp 127.0.0.1:53412->127.0.0.1:46669: reset", "dial tcp client->broker-1:9092: reset"},
		{"[::1]:9 and localhost:10, 127.0.0.1:46669", "broker-2:9092 and broker-3:9092, broker-1:9092"},
		{"ipv4#127.0.0.1:46669 failed", "ipv4#broker-1:9092 failed"},
		{"kcompare#producer-16: kcompare#producer-10, kcompare#producer-16", "kcompare#producer-1: kcompare#producer-2, kcompare#producer-1"},
		{"producerId=4711 ProducerId set to 12, producer id 4711", "producerId=P1 ProducerId set to P2, producer id P1"},
		{"member kcompare-0f0f0f0f-1111-2222-3333-444444444444", "member kcompare-id-1"},
		{`File "/root/.cache/x/client.py", line 3`, `File "client.py", line 3`},
		{"max 9223372036854775807, took 123456789012345678", "max 9223372036854775807, took id-2"},
		{"read/write of 3/4, a/b/c", "read/write of 3/4, a/b/c"},
	} {
		if got := words.text(tt[0]); got != tt[1] {
			t.Errorf("%s:\n got %s\nwant %s", tt[0], got, tt[1])
		}
	}
}

// TestOwnNames are those of trials on a Kafka that they share.
func TestOwnNames(t *testing.T) {
	n := need(func(n *Need) { n.Broker, n.Parameters = brokerKafka, usualParameters(brokerKafka) })
	got, err := normalised(played(n, func(t *evidence.Trial) {
		t.Config["transactional.id"] = "kcompare-payment-service-7"
		t.Errors[0].Text = "kcompare-idempotent-payments-7 [2], kcompare-idempotent-payments-8"
	}), brokerKafka)
	if err != nil {
		t.Fatal(err)
	}
	if got.Config["transactional.id"] != "kcompare-payment-service" || got.Errors[0].Text != "kcompare-idempotent-payments [2], kcompare-idempotent-payments-8" {
		t.Errorf("%q, %q", got.Config["transactional.id"], got.Errors[0].Text)
	}
}
