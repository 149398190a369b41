//go:build cgo

package librdkafka

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

func newTestProducer(t *testing.T, s drivers.Settings) drivers.Producer {
	t.Helper()
	p, err := newDriver(t).NewProducer(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func produce(ctx context.Context, p drivers.Producer, r *reports, n int) {
	p.Produce(ctx, drivers.Record{Topic: topic, Partition: 0, Value: []byte(strconv.Itoa(n))}, r.of(n))
}

// librdkafka refuses a record at once when its queue is full. The driver waits,
// so that a queue of one record takes any number of them.
func TestProduceWaitsForRoom(t *testing.T) {
	const records = 20
	p := newTestProducer(t, settings(newCluster(t).ListenAddrs()[0], "queue.buffering.max.messages", "1", "linger.ms", "0"))
	r, want := newReports(), map[int][]facts{}
	for n := range records {
		produce(within(t, deadline), p, r, n)
		want[n] = []facts{{Outcome: drivers.Acked, Partition: 0, Offset: int64(n)}}
	}
	if err := p.Flush(within(t, deadline)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, factsOf(r.get())); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

func TestProduceWaitsUntilContextEnds(t *testing.T) {
	p := newTestProducer(t, settings(deadAddress(t), "queue.buffering.max.messages", "1"))
	r := newReports()
	produce(t.Context(), p, r, 0)
	produce(within(t, 50*time.Millisecond), p, r, 1)
	want := map[int][]facts{
		1: {{Outcome: drivers.Failed, Partition: 0, Offset: drivers.NoOffset, Class: drivers.Retriable, Code: "_QUEUE_FULL"}},
	}
	if diff := cmp.Diff(want, factsOf(r.get())); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// Closing a producer that waits for room ends the wait.
func TestCloseEndsProduce(t *testing.T) {
	p := newTestProducer(t, settings(deadAddress(t), "queue.buffering.max.messages", "1"))
	r := newReports()
	produce(t.Context(), p, r, 0)
	handedOver := make(chan struct{})
	go func() {
		defer close(handedOver)
		produce(t.Context(), p, r, 1)
	}()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	r.wait(t, 2)
	<-handedOver
}

func TestRefusedAtOnce(t *testing.T) {
	p := newTestProducer(t, settings(newCluster(t).ListenAddrs()[0], "message.max.bytes", "1000"))
	r := newReports()
	p.Produce(t.Context(), drivers.Record{Topic: topic, Partition: drivers.AnyPartition, Value: bytes.Repeat([]byte("x"), 1001)}, r.of(0))
	p.Produce(t.Context(), drivers.Record{Partition: 0}, r.of(1)) // no topic
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	produce(t.Context(), p, r, 2)
	want := map[int][]facts{
		0: {{drivers.Failed, drivers.AnyPartition, drivers.NoOffset, drivers.Application, "MESSAGE_TOO_LARGE"}},
		1: {{drivers.Failed, 0, drivers.NoOffset, drivers.Application, "_INVALID_ARG"}},
		2: {{drivers.Failed, 0, drivers.NoOffset, drivers.Application, "_STATE"}},
	}
	if diff := cmp.Diff(want, factsOf(r.get())); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// Without the right to write idempotently InitProducerId fails, and the producer
// dies. The report of the record that waited says _PURGE_QUEUE, and a record
// that comes later is refused with _FATAL: neither tells the cause.
func TestReportTellsCauseOfDeath(t *testing.T) {
	cluster := newCluster(t)
	cluster.ControlKey(kmsg.InitProducerID.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.InitProducerIDResponse)
		resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		return resp, nil, true
	})
	p := newTestProducer(t, settings(cluster.ListenAddrs()[0], "enable.idempotence", "true"))
	r := newReports()
	produce(t.Context(), p, r, 0)
	r.wait(t, 1)
	produce(t.Context(), p, r, 1)
	died := facts{drivers.Failed, 0, drivers.NoOffset, drivers.Fatal, "CLUSTER_AUTHORIZATION_FAILED"}
	if diff := cmp.Diff(map[int][]facts{0: {died}, 1: {died}}, factsOf(r.get())); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// What librdkafka itself does with a client that never reached a broker: it
// drops the records without a report.
func TestCloseIsPromptWithoutBroker(t *testing.T) {
	for name, addr := range map[string]string{"refused": deadAddress(t), "silent": silentAddress(t)} {
		t.Run(name, func(t *testing.T) {
			p := newTestProducer(t, settings(addr))
			r, want := newReports(), map[int][]facts{}
			for n := range 10 {
				produce(t.Context(), p, r, n)
				want[n] = []facts{{drivers.Failed, 0, drivers.NoOffset, drivers.UnknownOutcome, "_PURGE_QUEUE"}}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, factsOf(r.get())); diff != "" {
				t.Errorf("reports (-want +got):\n%s", diff)
			}
			if err := p.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
		})
	}
}

// The answer to Produce never comes, so the record is in flight at Close.
func TestCloseGivesUpInFlight(t *testing.T) {
	cluster := newCluster(t)
	release, arrived := make(chan struct{}), make(chan struct{}, 1)
	cluster.ControlKey(kmsg.Produce.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.SleepControl(func() {
			arrived <- struct{}{}
			<-release
		})
		return nil, nil, false
	})
	defer close(release)
	p := newTestProducer(t, settings(cluster.ListenAddrs()[0]))
	r := newReports()
	produce(t.Context(), p, r, 0)
	select {
	case <-arrived:
	case <-time.After(deadline):
		t.Fatalf("no Produce came within %v", deadline)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	want := map[int][]facts{0: {{drivers.Failed, 0, drivers.NoOffset, drivers.UnknownOutcome, "_PURGE_INFLIGHT"}}}
	if diff := cmp.Diff(want, factsOf(r.get())); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

func TestFlushEnds(t *testing.T) {
	p := newTestProducer(t, settings(deadAddress(t)))
	r := newReports()
	produce(t.Context(), p, r, 0)
	if err := p.Flush(within(t, 100*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Flush with a record that cannot be sent: %v, want %v", err, context.DeadlineExceeded)
	}
	flushed := make(chan error, 1)
	go func() { flushed <- p.Flush(t.Context()) }()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-flushed:
	case <-time.After(deadline):
		t.Fatalf("Flush did not end within %v of Close", deadline)
	}
	if err := p.Flush(t.Context()); drivers.ClassOf(err) != drivers.Application {
		t.Errorf("Flush after Close: %v, want an error of class %s", err, drivers.Application)
	}
}

// A record is not flushed while its report is still being made.
func TestFlushWaitsForReport(t *testing.T) {
	p := newTestProducer(t, settings(newCluster(t).ListenAddrs()[0]))
	entered, release := make(chan struct{}), make(chan struct{})
	p.Produce(t.Context(), drivers.Record{Topic: topic}, func(drivers.Delivery) {
		close(entered)
		<-release
	})
	<-entered
	if err := p.Flush(within(t, 100*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Flush during the report: %v, want %v", err, context.DeadlineExceeded)
	}
	close(release)
	if err := p.Flush(within(t, deadline)); err != nil {
		t.Error(err)
	}
}

// confluent-kafka-go closes its channel of reports before librdkafka throws away what
// is pending: nobody hears of it. The driver's own Close reports each record.
func TestClosePlainlyIsSilent(t *testing.T) {
	for name, want := range map[string]int{"plainly": 0, "as drivers do": 3} {
		t.Run(name, func(t *testing.T) {
			p := newTestProducer(t, settings(newCluster(t).ListenAddrs()[0], "linger.ms", "10000"))
			r := newReports()
			for n := range 3 {
				produce(t.Context(), p, r, n)
			}
			closeIt := p.Close
			if name == "plainly" {
				closeIt = p.(drivers.PlainCloser).ClosePlainly
			}
			if err := closeIt(); err != nil {
				t.Fatal(err)
			}
			if got := len(r.get()); got != want {
				t.Errorf("%d records were reported, expected %d", got, want)
			}
		})
	}
}
