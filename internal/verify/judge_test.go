package verify

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/config"
	"kcompare/internal/source"
)

// pair is two clients with settings, of the first two libraries or of one.
func pair(t *testing.T, a, b Settings) []candidate {
	libraries := both(t)
	return []candidate{
		{Client: Client{Name: "one", Driver: libraries[0], Config: a}, played: a},
		{Client: Client{Name: "two", Driver: libraries[1], Config: b}, played: b},
	}
}

// rowsOf judges one experiment of which each client saw what is said.
func rowsOf(candidates []candidate, s Sight, a, b outcome) []Key {
	r := &run{experiment: Experiment{Name: "e", Sights: []Sight{s}}, candidates: candidates, plays: [][]outcome{{a, b}}}
	return judge(Options{Role: config.Producer}, candidates, []*run{r})
}

// note is an outcome in which linger.ms was seen as o.
func note(o Observation) outcome {
	return outcome{seen: Seen{Notes: map[string]Observation{"o": o}}}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	set := Settings{"linger.ms": "5"}
	sight := Sight{Key: "linger.ms", See: noted("o")}
	times := Sight{Key: "linger.ms", See: noted("o"), Alike: near(0, 2)}
	within := Sight{Key: "linger.ms", See: noted("o"), Within: "no"}
	chance := Sight{Key: "linger.ms", See: noted("o"), GivenOnly: true}
	given := func(result Result, reason string, observed map[string]string) []Key {
		return []Key{{Key: "linger.ms", Given: true, Value: "5", Result: result, Reason: reason, Observed: observed, Experiment: "e"}}
	}
	xx, xy := map[string]string{"one": "x", "two": "x"}, map[string]string{"one": "x", "two": "y"}
	tests := map[string]struct {
		settings Settings
		sight    Sight
		a, b     outcome
		want     []Key
	}{
		"same":                  {set, sight, note(saw("x")), note(saw("x")), given(Same, "", xx)},
		"different":             {set, sight, note(saw("x")), note(saw("y")), given(Different, "", xy)},
		"near":                  {set, times, note(Observation{Text: "x", Number: 5}), note(Observation{Text: "y", Number: 7}), given(Same, "", xy)},
		"not near":              {set, times, note(Observation{Text: "x", Number: 5}), note(Observation{Text: "y", Number: 7.1}), given(Different, "", xy)},
		"neither saw it":        {set, sight, note(unseen("why")), note(unseen("why")), given(NotObservable, "why", map[string]string{})},
		"one did not see it":    {set, sight, note(saw("x")), note(unseen("why")), given(NotObservable, "two: why", map[string]string{"one": "x"})},
		"an empty word":         {set, sight, note(saw("")), note(saw("")), given(NotObservable, "experiment e saw nothing of it", map[string]string{})},
		"never noted":           {set, sight, outcome{}, note(saw("x")), given(NotObservable, "one: the experiment did not come to it", map[string]string{"two": "x"})},
		"not with these":        {set, sight, outcome{err: fmt.Errorf("play: %w", &impossible{"no"})}, note(saw("x")), given(NotObservable, "one: no", map[string]string{"two": "x"})},
		"it failed":             {set, sight, outcome{err: errors.New("late")}, note(saw("x")), given(NotObservable, "one: experiment e failed: late", map[string]string{"two": "x"})},
		"in one library alone":  {set, within, note(saw("x")), note(saw("x")), given(NotObservable, "no", xx)},
		"not given, same":       {Settings{}, sight, note(saw("x")), note(saw("x")), nil},
		"not given, different":  {Settings{}, sight, note(saw("x")), note(saw("y")), []Key{{Key: "linger.ms", Result: Different, Observed: xy, Experiment: "e"}}},
		"not given, by chance":  {Settings{}, chance, note(saw("x")), note(saw("y")), nil},
		"given, chance or not":  {set, chance, note(saw("x")), note(saw("y")), given(Different, "", xy)},
		"of another kind":       {Settings{"group.id": "g"}, sight, note(saw("x")), note(saw("x")), []Key{{Key: "group.id", Given: true, Value: "g", Result: NotObservable, Reason: unproven("group.id", config.Producer), Observed: map[string]string{}}}},
		"nothing on the wire":   {Settings{"log.queue": "true"}, sight, note(saw("x")), note(saw("x")), []Key{{Key: "log.queue", Given: true, Value: "true", Result: NotObservable, Reason: unproven("log.queue", config.Producer), Observed: map[string]string{}}}},
		"a secret is not shown": {Settings{"sasl.password": "geheim"}, sight, note(saw("x")), note(saw("x")), []Key{{Key: "sasl.password", Given: true, Value: "(secret)", Result: NotObservable, Reason: unproven("sasl.password", config.Producer), Observed: map[string]string{}}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, rowsOf(pair(t, tc.settings, tc.settings), tc.sight, tc.a, tc.b)); d != "" {
				t.Error(d)
			}
		})
	}
}

// What keeps one client from an experiment keeps all from it.
func TestObstacle(t *testing.T) {
	t.Parallel()
	set := Settings{"linger.ms": "5"}
	candidates := pair(t, set, set)
	r := &run{experiment: Experiment{Name: "e", Sights: []Sight{{Key: "linger.ms", See: noted("o")}}}, candidates: candidates, obstacles: []string{"no", ""}}
	playAll(t.Context(), Options{}, []*run{r})
	want := []Key{{Key: "linger.ms", Given: true, Value: "5", Result: NotObservable, Reason: "one: no", Observed: map[string]string{}, Experiment: "e"}}
	if d := cmp.Diff(want, judge(Options{}, candidates, []*run{r})); d != "" {
		t.Error(d)
	}
}

// A key that differs in one experiment is different, whatever another one saw.
func TestOneDifferenceStands(t *testing.T) {
	t.Parallel()
	candidates := pair(t, Settings{"linger.ms": "5"}, Settings{"linger.ms": "5"})
	sights := []Sight{{Key: "linger.ms", See: noted("o")}}
	same := &run{experiment: Experiment{Name: "same", Sights: sights}, candidates: candidates, plays: [][]outcome{{note(saw("x")), note(saw("x"))}}}
	other := &run{experiment: Experiment{Name: "other", Sights: sights}, candidates: candidates, plays: [][]outcome{{note(saw("x")), note(saw("y"))}}}
	for _, runs := range [][]*run{{same, other}, {other, same}} {
		if got := judge(Options{}, candidates, runs)[0]; got.Result != Different || got.Experiment != "other" {
			t.Errorf("got %+v, want the difference", got)
		}
	}
}

// What a library cannot express is different, and left out for that library alone.
func TestUnsupportedIsDifferent(t *testing.T) {
	t.Parallel()
	libraries := both(t)
	conf := Settings{"batch.num.messages": "5", "acks": "all"}
	got, err := prepareAll(Options{Clients: []Client{{Name: "franz", Driver: libraries[0], Config: conf}, {Name: "librdkafka", Driver: libraries[1], Config: conf}}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Settings{{"acks": "all"}, conf}, []Settings{got[0].played, got[1].played}); d != "" {
		t.Error(d)
	}
	want := []Key{
		{Key: "acks", Given: true, Value: "all", Result: NotObservable, Reason: unproven("acks", config.Producer), Observed: map[string]string{}},
		{Key: "batch.num.messages", Given: true, Value: "5", Result: Different, Reason: "it is left out for the client that has no such thing",
			Observed: map[string]string{"franz": "franz cannot: franz-go has nothing like it"}},
	}
	if d := cmp.Diff(want, judge(Options{}, got, nil)); d != "" {
		t.Error(d)
	}
}

// Settings that only one library refuses as a whole differ in the keys that it names.
func TestOneRefuses(t *testing.T) {
	t.Parallel()
	libraries := both(t)
	conf := Settings{"linger.ms": "5", "client.id": ""} // the second is set below, so long that kgo refuses it
	for range 300 {
		conf["client.id"] += "x"
	}
	report, err := Verify(t.Context(), Options{Clients: []Client{{Name: "franz", Driver: libraries[0], Config: conf}, {Name: "librdkafka", Driver: libraries[1], Config: conf}}})
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]Result{}
	for _, k := range report.Keys {
		results[k.Key] = k.Result
	}
	if d := cmp.Diff(map[string]Result{"client.id": Different, "linger.ms": Different}, results); d != "" {
		t.Error(d)
	}
}

func TestAllRefuse(t *testing.T) {
	t.Parallel()
	libraries := both(t)
	conf := Settings{"acks": "1", "enable.idempotence": "true"}
	_, err := Verify(t.Context(), Options{Clients: []Client{{Name: "franz", Driver: libraries[0], Config: conf}, {Name: "librdkafka", Driver: libraries[1], Config: conf}}})
	var wrong *drivers.ConfigError
	if !errors.As(err, &wrong) {
		t.Fatalf("got %v, want a ConfigError", err)
	}
	if d := cmp.Diff([]string{"acks", "enable.idempotence"}, wrong.Keys); d != "" {
		t.Error(d)
	}
}

func TestFromBlock(t *testing.T) {
	t.Parallel()
	text := func(key, value string) source.Entry {
		return source.Entry{Key: key, KeyAt: source.Pos{Line: 3, Column: 1}, Value: source.Value{Kind: source.Text, Text: value}}
	}
	tests := map[string]struct {
		entries  []source.Entry
		settings Settings
		unread   map[string]string
		err      string
	}{
		"aliases":      {[]source.Entry{text("queue.buffering.max.ms", "5")}, Settings{"linger.ms": "5"}, nil, ""},
		"two names":    {[]source.Entry{text("linger.ms", "1"), text("queue.buffering.max.ms", "5")}, nil, nil, "f:3:1: linger.ms: it is set twice, perhaps under another name; give it once"},
		"misspelled":   {[]source.Entry{text("linger.mss", "1")}, nil, nil, "f:3:1: linger.mss: unknown setting, did you mean linger.ms?"},
		"Java's alone": {[]source.Entry{text("buffer.memory", "1")}, Settings{}, map[string]string{"buffer.memory": "a setting of kafka-clients 4.4.0, which no client here has"}, ""},
		"None":         {[]source.Entry{{Key: "acks", Value: source.Value{Kind: source.Null}}}, Settings{}, nil, ""},
		"kgo's":        {[]source.Entry{{Key: "ProducerLinger", Canonical: "linger.ms", CanonicalValue: "5", Value: source.Value{Kind: source.Code}}}, Settings{"linger.ms": "5"}, nil, ""},
		"a callback":   {[]source.Entry{{Key: "error_cb", Value: source.Value{Kind: source.Code}}}, Settings{}, map[string]string{"error_cb": "code of the application"}, ""},
		"computed":     {[]source.Entry{{Key: "acks", Value: source.Value{Kind: source.Computed, Source: "n()"}}}, Settings{}, map[string]string{"acks": "the file computes it: n()"}, ""},
		"computed id":  {[]source.Entry{{Key: "transactional.id", Value: source.Value{Kind: source.Computed, Source: "n()"}}}, Settings{"transactional.id": "kcompare-verify"}, map[string]string{"transactional.id": "the file computes it: n(); kcompare-verify stands in for it"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s, unread, err := FromBlock("f", source.Block{Entries: tc.entries})
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Fatalf("got %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.settings, s); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tc.unread, unread); d != "" && len(unread)+len(tc.unread) > 0 {
				t.Error(d)
			}
		})
	}
}
