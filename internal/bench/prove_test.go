package bench

import (
	"context"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/librdkafka"
)

// given is what the contestants of these tests are given. Two partitions of a node.
func given() map[string]string {
	return map[string]string{
		"acks": "all", "batch.size": "16384", "compression.type": "none", "enable.idempotence": "true", "linger.ms": "5",
		"max.in.flight.requests.per.connection": "5", "queue.buffering.max.messages": "1000000", "queue.buffering.max.kbytes": "262144",
	}
}

// builtIn are both built-in ones.
func builtIn(t *testing.T) []drivers.Driver {
	t.Helper()
	lib, err := librdkafka.New()
	if err != nil {
		t.Fatal(err)
	}
	return []drivers.Driver{franz.New(), lib}
}

// proven plays the short run of a client that was told all of it, and that does something
// else if set has anything.
func proven(t *testing.T, d drivers.Driver, work evidence.BenchWork, set map[string]string) evidence.BenchSeen {
	t.Helper()
	cluster, err := broker.StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	c := Contestant{Name: d.Client()}
	o := Options{
		Work: work, Load: evidence.BenchLoad{RecordBytes: 100, Partitions: 2}, Config: given(), Contestants: []Contestant{c},
		Cluster: cluster, Topics: "kcompare-bench", Now: time.Now,
	}
	if work == evidence.BenchConsume {
		o.Config = map[string]string{"max.partition.fetch.bytes": "100000"}
	}
	p := &looped{driver: d, lie: func(config map[string]string) { maps.Copy(config, set) }}
	defer p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	seen, err := prove(ctx, o, c, p)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// settled is what is the same in each run, in a form that is easy to compare: the largest
// batch in steps of a tenth, and how long it lingers as a power of ten milliseconds.
type settled struct {
	Acks, Idempotent, Codec string
	Partitions, InFlight    int
	Batch, Linger           int
	RecordBytes             float64
}

func settle(s evidence.BenchSeen) settled {
	linger := -1
	if s.LingerMS != nil {
		linger = int(math.Log10(*s.LingerMS + 1))
	}
	return settled{s.Acks, s.Idempotent, s.Codec, s.Partitions, s.InFlight, int(math.Round(float64(s.LargestBatch) / 1638.4)), linger, s.RecordBytes}
}

// Each figure shows what a client does, whatever it was told.
func TestProveProduce(t *testing.T) {
	t.Parallel()
	usual := settled{"all", "true", "none", 2, 5, 10, 0, 100}
	change := func(change func(*settled)) settled {
		s := usual
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name  string
		lie   map[string]string
		want  settled
		franz bool // is another case for it: it cannot, or always does
	}{
		{"as told", nil, usual, true},
		{"acks=1", map[string]string{"acks": "1", "enable.idempotence": "false"}, change(func(s *settled) { s.Acks, s.Idempotent = "1", "false" }), true},
		{"linger", map[string]string{"linger.ms": "50"}, change(func(s *settled) { s.Linger = 1 }), true},
		{"half a batch", map[string]string{"batch.size": "8192"}, change(func(s *settled) { s.Batch = 5 }), true},
		{"codec", map[string]string{"compression.type": "gzip"}, change(func(s *settled) { s.Codec, s.Batch = "gzip", 1 }), true},
		{"one in flight", map[string]string{"max.in.flight.requests.per.connection": "1"}, change(func(s *settled) { s.InFlight = 1 }), false},
		{"one in flight, without idempotence", map[string]string{"max.in.flight.requests.per.connection": "1", "enable.idempotence": "false"}, change(func(s *settled) { s.Idempotent, s.InFlight = "false", 1 }), true},
	} {
		for _, d := range builtIn(t) {
			if d.Client() == "franz" && !tt.franz {
				continue
			}
			t.Run(tt.name+"/"+d.Client(), func(t *testing.T) {
				t.Parallel()
				want := tt.want
				if d.Client() == "librdkafka" && want.Idempotent == "true" {
					want.InFlight = min(want.InFlight, 2) // one of a partition: see proof.fill
				}
				seen := proven(t, d, evidence.BenchProduce, tt.lie)
				if diff := cmp.Diff(want, settle(seen)); diff != "" {
					t.Errorf("%+v (-want +got):\n%s", seen, diff)
				}
			})
		}
	}
}
