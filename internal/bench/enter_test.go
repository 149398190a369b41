package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// plain is a player of a library that knows few settings and has few abilities. It plays
// nothing.
type plain struct {
	Player
	can     drivers.Abilities
	unknown []string
	wrong   string
}

func (p plain) About() About {
	return About{Library: drivers.Library{Name: "plain", Version: "v1"}, Can: p.can}
}

func (p plain) Differences(_ drivers.Role, s drivers.Settings) ([]string, error) {
	if s.Config[p.wrong] != "" {
		return nil, &drivers.ConfigError{Keys: []string{p.wrong}, Reason: "expected something else"}
	}
	for _, key := range p.unknown {
		if value := s.Config[key]; value != "" {
			return nil, &drivers.UnsupportedError{Client: "plain", Key: key, Value: value, Reason: "it has no " + key}
		}
	}
	return []string{"linger.ms: rounded", "acks: guessed"}, nil
}

func (p plain) Ready(context.Context, Stage) error         { return errors.New("not today") }
func (p plain) Play(context.Context, Turn) (Played, error) { return Played{}, errors.New("never") }
func (p plain) Process() int                               { return 0 }
func (p plain) Close()                                     {}

func opens(p plain) func(context.Context) (Player, error) {
	return func(context.Context) (Player, error) { return p, nil }
}

// TestEnter: settings that a library cannot express are dropped one by one and noted;
// who cannot play is left out with the reason, and the others play.
func TestEnter(t *testing.T) {
	can := drivers.Abilities{Bulk: true}
	o := options(t, evidence.BenchProduce,
		Contestant{Name: "honest", Open: opened(t, "")},
		Contestant{Name: "few words", Open: opens(plain{can: can, unknown: []string{"queue.buffering.max.messages", "partitioner"}})},
		Contestant{Name: "no bulk", Open: opens(plain{})},
		Contestant{Name: "compared", Open: opens(plain{can: can, unknown: []string{"linger.ms"}})},
		Contestant{Name: "not ours", Open: opens(plain{can: can, unknown: []string{"bootstrap.servers"}})},
		Contestant{Name: "broken", Open: func(context.Context) (Player, error) { return nil, errors.New("no such file") }},
	)
	o.Compare = "linger.ms"
	o.Load.Rounds, o.Load.WarmUp = 1, 0
	b, err := runWith(t.Context(), o, unproven)
	if err != nil {
		t.Fatal(err)
	}
	type entered struct {
		LeftOut       string
		Inexpressible map[string]string
		Differences   []string
	}
	got := map[string]entered{}
	for _, c := range b.Contestants[1:] {
		got[c.Name] = entered{c.LeftOut, c.Inexpressible, c.Differences}
	}
	want := map[string]entered{
		"few words": {
			Inexpressible: map[string]string{
				"queue.buffering.max.messages": "it has no queue.buffering.max.messages", "partitioner": "it has no partitioner",
			},
			Differences: []string{"acks: guessed", "linger.ms: rounded"},
		},
		"no bulk":  {LeftOut: "produce needs abilities that it does not have: bulk"},
		"compared": {LeftOut: "it cannot express what is compared: linger.ms=5 cannot be expressed by plain: it has no linger.ms"},
		"not ours": {LeftOut: "bootstrap.servers=" + o.direct() + " cannot be expressed by plain: it has no bootstrap.servers"},
		"broken":   {LeftOut: "no such file"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var rounds []string
	for _, r := range b.Rounds {
		rounds = append(rounds, r.Contestant+": "+r.Void)
	}
	if diff := cmp.Diff([]string{"honest: ", "few words: make it ready: not today"}, rounds); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestNobodyPlays: what a run cannot begin with is an error, and names it.
func TestNobodyPlays(t *testing.T) {
	can := drivers.Abilities{Bulk: true}
	for _, tt := range []struct {
		name string
		work evidence.BenchWork
		p    plain
		set  func(*Options)
		want string
	}{
		{"settings that are wrong", evidence.BenchProduce, plain{can: can, wrong: "acks"}, nil, "one: acks: expected something else"},
		{"an ability for transactions", evidence.BenchTransactions, plain{can: can}, nil, "nobody can play transactions: one: transactions needs abilities that it does not have: bulk-transactions"},
		{"abilities for rpw", evidence.BenchRPW, plain{can: can}, nil, "nobody can play rpw: one: rpw needs abilities that it does not have: bulk-transactions, groups"},
		{"an ability for latency", evidence.BenchLatency, plain{can: can}, nil, "nobody can play latency: one: latency needs abilities that it does not have: paced"},
		{"no such work", "sing", plain{}, nil, "bench sing: no such work: expected one of [produce latency consume transactions rpw]"},
		{"nobody", evidence.BenchProduce, plain{}, func(o *Options) { o.Contestants = nil }, "bench: nobody to play: expected at least one contestant"},
		{"twins", evidence.BenchProduce, plain{}, func(o *Options) { o.Contestants = append(o.Contestants, o.Contestants[0]) }, "bench: two contestants are called one"},
		{"no records", evidence.BenchProduce, plain{}, func(o *Options) { o.Load.Records = 0 }, "bench produce: records: expected at least 1 (0 for warm-up rounds and keys), got 0"},
		{"no rate", evidence.BenchLatency, plain{}, func(o *Options) { o.Load.Rate = 0 }, "bench latency: records a second: expected at least 1 (0 for warm-up rounds and keys), got 0"},
	} {
		o := options(t, tt.work, Contestant{Name: "one", Open: opens(tt.p)})
		if tt.set != nil {
			tt.set(&o)
		}
		if _, err := runWith(t.Context(), o, unproven); err == nil || err.Error() != tt.want {
			t.Errorf("%s:\n%v, want\n%s", tt.name, err, tt.want)
		}
	}
}

// stopper ends a run in the middle of its third turn.
type stopper struct {
	Player
	turns *int
	stop  context.CancelFunc
}

func (s stopper) Play(ctx context.Context, t Turn) (Played, error) {
	if *s.turns++; *s.turns > 2 {
		time.AfterFunc(0, s.stop)
		t.Load.Rate = 1 // which would take half an hour
	}
	return s.Player.Play(ctx, t)
}

// TestInterrupted: what was played is there, with how many turns are missing, and nothing
// is left on the broker.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	open, turns := opened(t, ""), 0
	o := options(t, evidence.BenchLatency, Contestant{Name: "one", Open: func(ctx context.Context) (Player, error) {
		p, err := open(ctx)
		return stopper{p, &turns, stop}, err
	}})
	b, err := runWith(ctx, o, unproven)
	if err != nil || len(b.Rounds) != 2 || b.Unfinished != 1 || strings.Contains(b.Rounds[1].Void, "canceled") {
		t.Errorf("%d rounds, %d unfinished, error %v: %+v", len(b.Rounds), b.Unfinished, err, b.Rounds)
	}
	nothingLeft(t, o.Cluster)
}

// TestAcksNone: with acks=0 a client is done before its broker is; the read-back waits,
// and records that were written before the turn are none of it.
func TestAcksNone(t *testing.T) {
	o := options(t, evidence.BenchProduce, Contestant{Name: "none", Open: opened(t, ""), Config: map[string]string{"acks": "0"}})
	b, err := runWith(t.Context(), o, unproven)
	if err != nil || len(b.Rounds) != 3 {
		t.Fatalf("%d rounds, error %v", len(b.Rounds), err)
	}
	for _, r := range b.Rounds {
		if r.Void != "" || r.Records != 2000 {
			t.Errorf("round %+v", r)
		}
	}
}
