package bench

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/clients"
	"kcompare/internal/broker"
	"kcompare/internal/child"
	"kcompare/internal/evidence"
)

// opened is this test binary as a client program that lies in one way.
func opened(t testing.TB, lie string) func(context.Context) (Player, error) {
	t.Helper()
	starter := child.NewStarter()
	t.Cleanup(starter.Close)
	program, err := clients.New(t.Context(), starter, clients.Program{
		Client: "doctored", Command: []string{os.Args[0]}, Env: []string{asProgram + "=" + lie},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Program(program)
}

// options are those of a short run on the embedded broker.
func options(t testing.TB, w evidence.BenchWork, contestants ...Contestant) Options {
	t.Helper()
	cluster, err := broker.StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Close() })
	return Options{
		Work: w, Contestants: contestants, Cluster: cluster, Topics: "kcompare-bench-", Now: time.Now,
		Load: evidence.BenchLoad{Rounds: 2, WarmUp: 1, Records: 2000, RecordBytes: 100, Keys: 10, Partitions: 3, Rate: 20000, Transaction: 100},
	}
}

// known is the evidence without what nobody can know before.
func known(t *testing.T, rounds []evidence.BenchRound) []evidence.BenchRound {
	t.Helper()
	var all []evidence.BenchRound
	for _, r := range rounds {
		if r.ElapsedUS <= 0 || r.ClientCPUUS <= 0 || r.OwnCPUUS <= 0 || r.Batches <= 0 || r.Allocated == nil || r.Allocated.Objects <= 0 {
			t.Errorf("expected a time, costs and batches, got %+v", r)
		}
		if l := r.Latency; l != nil {
			if l.P50 > l.P95 || l.P95 > l.P99 || l.P99 > l.P999 || l.P999 > l.Max || l.Max <= 0 || l.Histogram == "" {
				t.Errorf("expected latencies that rise, got %+v", l)
			}
			r.Latency = &evidence.BenchLatencies{Count: l.Count}
		}
		r.ElapsedUS, r.ClientCPUUS, r.OwnCPUUS, r.Batches, r.Allocated = 0, 0, 0, 0, nil
		all = append(all, r)
	}
	return all
}

// TestWorks plays each work from the processes to the read-back: the order turns around,
// every record is there, and nothing is left on the broker.
func TestWorks(t *testing.T) {
	for _, w := range evidence.BenchWorks() {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			open := opened(t, "")
			o := options(t, w, Contestant{Name: "a", Client: "doctored", Open: open}, Contestant{Name: "b", Client: "doctored", Open: open})
			b, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			like := evidence.BenchRound{Records: 2000, Bytes: 2000*100 + 2000*5}
			switch w {
			case evidence.BenchLatency:
				like.Latency = &evidence.BenchLatencies{Count: 2000}
			case evidence.BenchTransactions, evidence.BenchRPW:
				like.Latency = &evidence.BenchLatencies{Count: 20}
				like.Transacted = 20
			}
			var want []evidence.BenchRound
			for i, name := range []string{"a", "b", "b", "a", "a", "b"} {
				r := like
				r.Contestant, r.Round, r.Turn = name, i/2, i%2+1
				want = append(want, r)
			}
			got := known(t, b.Rounds)
			if w == evidence.BenchRPW { // how many records a poll returns is the library's affair
				for i := range got {
					want[i].Transacted, want[i].Latency = got[i].Transacted, got[i].Latency
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, c := range b.Contestants {
				if c.PeakMemoryBytes <= 0 || !strings.HasPrefix(c.Language, "Go ") || !strings.HasPrefix(c.Library, "franz-go v") || c.LeftOut != "" {
					t.Errorf("contestant %+v", c)
				}
			}
			nothingLeft(t, o.Cluster)
		})
	}
}

// nothingLeft on a broker that was there for one run.
func nothingLeft(t *testing.T, cluster broker.Cluster) {
	t.Helper()
	r, err := broker.NewReader(cluster.Addrs(), cluster.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	left, err := r.Topics(t.Context())
	if err != nil || len(left) > 0 {
		t.Errorf("expected no topics, got %v, error %v", left, err)
	}
}
