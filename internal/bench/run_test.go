package bench

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/child"
	"kcompare/internal/evidence"
)

// liar is franz-go, which does one thing otherwise.
type liar struct {
	drivers.Driver
	lie string
}

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
		Load: evidence.BenchLoad{Rounds: 2, WarmUp: 1, Records: 2000, RecordBytes: 100, Keys: 10, Partitions: 3, Rate: 4000, Transaction: 100},
	}
}

func TestProduce(t *testing.T) {
	open := opened(t, "")
	b, err := Run(t.Context(), options(t, evidence.BenchProduce, Contestant{Name: "a", Client: "doctored", Open: open}, Contestant{Name: "b", Client: "doctored", Open: open}))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range b.Rounds {
		order = append(order, r.Contestant)
		if r.Void != "" || r.Records != 2000 || r.ElapsedUS <= 0 || r.ClientCPUUS <= 0 || r.OwnCPUUS <= 0 || r.Batches <= 0 {
			t.Errorf("round %+v", r)
		}
	}
	if got := strings.Join(order, " "); got != "a b b a a b" {
		t.Errorf("order %s", got)
	}
	t.Logf("%+v", b)
}
