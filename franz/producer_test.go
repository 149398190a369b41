package franz

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// reports collects deliveries by the value of their record.
type reports struct {
	mu  sync.Mutex
	all map[string][]drivers.Delivery
}

func (r *reports) of(value string) func(drivers.Delivery) {
	return func(d drivers.Delivery) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.all == nil {
			r.all = map[string][]drivers.Delivery{}
		}
		r.all[value] = append(r.all[value], d)
	}
}

func (r *reports) snapshot() map[string][]drivers.Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string][]drivers.Delivery{}
	for value, ds := range r.all {
		out[value] = append([]drivers.Delivery(nil), ds...)
	}
	return out
}

// Flush waits for the report of a record that kgo refused at once, which
// kgo.Client.Flush does not: drivertest once saw it return before that report.
func TestFlushWaitsForRefusals(t *testing.T) {
	cluster := newSeen(t)
	_, p := offsetPair(t, cluster)
	release := make(chan struct{})
	p.Produce(t.Context(), drivers.Record{Topic: "orders"}, func(drivers.Delivery) { <-release }) // not in a transaction
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := p.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Flush before the report returned: %v", err)
	}
	close(release)
	if err := p.Flush(t.Context()); err != nil {
		t.Error(err)
	}
}

// sameErrors compares *drivers.Error by value and what is inside by identity.
var sameErrors = cmp.FilterValues(func(a, b error) bool {
	var e *drivers.Error
	return !errors.As(a, &e) && !errors.As(b, &e)
}, cmp.Comparer(func(a, b error) bool { return a == b }))

// The context bounds the wait for room in the buffer, and nothing else.
func TestProduceContext(t *testing.T) {
	p, err := New().NewProducer(drivers.Settings{Config: map[string]string{
		"bootstrap.servers": refusing(t), "queue.buffering.max.messages": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	pending, refused := make(chan drivers.Delivery, 1), make(chan drivers.Delivery, 1)
	p.Produce(ctx, drivers.Record{Topic: "orders", Partition: 0}, func(d drivers.Delivery) { pending <- d })
	p.Produce(ctx, drivers.Record{Topic: "orders", Partition: 0}, func(d drivers.Delivery) { refused <- d })
	want := drivers.Delivery{Outcome: drivers.Failed, Partition: 0, Offset: drivers.NoOffset,
		Err: &drivers.Error{Call: "produce", Class: drivers.Retriable, Code: "CONTEXT_ENDED", Text: "context canceled", Cause: context.Canceled}}
	select {
	case got := <-refused:
		if d := cmp.Diff(want, got, sameErrors); d != "" {
			t.Error(d)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the record that found no room was never reported")
	}
	select {
	case d := <-pending:
		t.Errorf("the end of the context reached a record that was handed over: %+v", d)
	default:
	}
}

// TestRecordContext: where it is asked for, the end of the context gives the record up,
// and nobody can say what became of it.
func TestRecordContext(t *testing.T) {
	p, err := New().NewProducer(drivers.Settings{RecordContexts: true, Config: map[string]string{"bootstrap.servers": refusing(t)}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	reported := make(chan drivers.Delivery, 1)
	p.Produce(ctx, drivers.Record{Topic: "orders", Partition: 0}, func(d drivers.Delivery) { reported <- d })
	cancel()
	want := drivers.Delivery{Outcome: drivers.Failed, Partition: 0, Offset: drivers.NoOffset,
		Err: &drivers.Error{Call: "produce", Class: drivers.UnknownOutcome, Code: "CONTEXT_ENDED", Text: "context canceled", Cause: context.Canceled}}
	select {
	case got := <-reported:
		if d := cmp.Diff(want, got, sameErrors); d != "" {
			t.Error(d)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the record whose context ended was never reported")
	}
}

// TestGiveUpInFlight: it is an option of kgo's, and what is noted without it is true no
// more. Without idempotence kgo needs none.
func TestGiveUpInFlight(t *testing.T) {
	set := map[string]string{"delivery.timeout.ms": "2000", "retries": "3"}
	for name, tt := range map[string]struct {
		idempotence string
		giveUp      bool
		want        []string
	}{
		"as it is":       {"true", false, []string{"delivery.timeout.ms: " + keepsInFlight, "retries: " + keepsRetrying}},
		"given up":       {"true", true, []string{"delivery.timeout.ms: franz-go gives up an idempotent record in flight only with AllowIdempotentProduceCancellation, which is set"}},
		"not idempotent": {"false", true, nil},
	} {
		config := maps.Clone(set)
		config["enable.idempotence"] = tt.idempotence
		tr, err := translate(drivers.RoleProducer, drivers.Settings{Config: config, GiveUpInFlight: tt.giveUp})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, tr.differences); d != "" {
			t.Errorf("%s: differences (-want +got):\n%s", name, d)
		}
		cl, err := kgo.NewClient(tr.opts...)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := cl.OptValue(kgo.AllowIdempotentProduceCancellation), tt.giveUp && tt.idempotence == "true"; got != want {
			t.Errorf("%s: AllowIdempotentProduceCancellation is %v, want %v", name, got, want)
		}
		cl.Close()
	}
}

func TestLog(t *testing.T) {
	lines := make(chan string, 1000)
	p, err := New().NewProducer(drivers.Settings{
		Config: map[string]string{"bootstrap.servers": refusing(t)},
		Log: func(line string) {
			select {
			case lines <- line:
			default:
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Produce(t.Context(), drivers.Record{Topic: "orders", Partition: 0}, func(drivers.Delivery) {})
	select {
	case line := <-lines:
		if !strings.HasPrefix(line, "WARN ") && !strings.HasPrefix(line, "ERROR ") || strings.Contains(line, "\n") {
			t.Errorf("got %q", line)
		}
	case <-time.After(10 * time.Second):
		t.Error("kgo never logged that it cannot connect")
	}
}
