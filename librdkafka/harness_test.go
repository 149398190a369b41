//go:build cgo

package librdkafka

import (
	"context"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"kcompare/drivers"
)

// deadline is when a test gives up waiting for a condition.
const deadline = 20 * time.Second

// prompt is how long Close may take when librdkafka does not come back: its
// patience, and the slowness of a busy machine.
const prompt = 4 * time.Second

// topic has one partition.
const topic = "kcompare-test"

func newCluster(t *testing.T) *kfake.Cluster {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic))
	if err != nil {
		t.Fatalf("start kfake: %v", err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

// settings reach addr; pairs are keys and values.
func settings(addr string, pairs ...string) drivers.Settings {
	config := map[string]string{"bootstrap.servers": addr}
	for i := 0; i < len(pairs); i += 2 {
		config[pairs[i]] = pairs[i+1]
	}
	return drivers.Settings{Config: config}
}

// deadAddress refuses connections.
func deadAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// silentAddress takes connections and never answers.
func silentAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// reports collects deliveries by the number of the record.
type reports struct {
	mu   sync.Mutex
	all  map[int][]drivers.Delivery
	came chan struct{}
}

func newReports() *reports {
	return &reports{all: map[int][]drivers.Delivery{}, came: make(chan struct{}, 1000)}
}

func (r *reports) of(n int) func(drivers.Delivery) {
	return func(d drivers.Delivery) {
		r.mu.Lock()
		r.all[n] = append(r.all[n], d)
		r.mu.Unlock()
		r.came <- struct{}{}
	}
}

// wait takes the next n reports.
func (r *reports) wait(t *testing.T, n int) {
	t.Helper()
	late := time.After(deadline)
	for i := range n {
		select {
		case <-r.came:
		case <-late:
			t.Fatalf("%d of %d reports came within %v", i, n, deadline)
		}
	}
}

func (r *reports) get() map[int][]drivers.Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

// facts is what of a delivery does not depend on wording.
type facts struct {
	Outcome   drivers.Outcome
	Partition int32
	Offset    int64
	Class     drivers.Class
	Code      string
}

func factsOf(all map[int][]drivers.Delivery) map[int][]facts {
	short := map[int][]facts{}
	for n, ds := range all {
		for _, d := range ds {
			f := facts{Outcome: d.Outcome, Partition: d.Partition, Offset: d.Offset}
			if d.Err != nil {
				f.Class, f.Code = d.Err.Class, d.Err.Code
			}
			short[n] = append(short[n], f)
		}
	}
	return short
}

// waitUntilGone waits for the end of every goroutine of a client, the binding's
// included.
func waitUntilGone(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(deadline)
	for left := clientStacks(); len(left) > 0; left = clientStacks() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%d goroutines of clients did not end within %v:\n%s", len(left), deadline, strings.Join(left, "\n\n"))
		}
	}
}

// clientStacks is the stacks that go through the driver or its binding, without
// the tests' own.
func clientStacks() []string {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	var found []string
	for stack := range strings.SplitSeq(string(all), "\n\n") {
		driver := strings.Contains(stack, "kcompare/librdkafka.") || strings.Contains(stack, "confluent-kafka-go")
		if driver && !strings.Contains(stack, "testing.tRunner") {
			found = append(found, stack)
		}
	}
	return found
}
