package franz

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

// silent accepts connections and never answers.
func silent(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for _, conn := range conns {
			conn.Close()
		}
	})
	return l.Addr().String()
}

// refusing is an address at which nobody listens.
func refusing(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return l.Addr().String()
}

// Close gives up pending records at once, whatever the broker does, and each is
// reported once.
func TestCloseIsPrompt(t *testing.T) {
	for name, address := range map[string]string{"silent": silent(t), "refusing": refusing(t)} {
		t.Run(name, func(t *testing.T) {
			p, err := New().NewProducer(drivers.Settings{Config: map[string]string{"bootstrap.servers": address}})
			if err != nil {
				t.Fatal(err)
			}
			var got reports
			for i := range 3 {
				p.Produce(t.Context(), drivers.Record{Topic: "orders", Partition: drivers.AnyPartition}, got.of(strconv.Itoa(i)))
			}
			start := time.Now()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("Close took %v", d)
			}
			for i := range 3 {
				ds := got.snapshot()[strconv.Itoa(i)]
				if len(ds) != 1 || ds[0].Outcome != drivers.Failed || ds[0].Err.Class != drivers.UnknownOutcome {
					t.Errorf("record %d: %+v", i, ds)
				}
			}
		})
	}
}

// kgo gives its last metrics a second to reach the broker. Close does not, when
// the broker takes them and never answers.
func TestCloseDoesNotWaitForMetrics(t *testing.T) {
	type closer interface{ Close() error }
	clients := map[string]func(servers string) (closer, error){
		"producer": func(servers string) (closer, error) {
			p, err := New().NewProducer(drivers.Settings{Config: map[string]string{"bootstrap.servers": servers}})
			if err != nil {
				return nil, err
			}
			p.Produce(t.Context(), drivers.Record{Topic: "orders", Partition: 0}, func(drivers.Delivery) {})
			return p, p.Flush(t.Context())
		},
		"consumer": func(servers string) (closer, error) {
			c, err := New().NewConsumer(drivers.Settings{Config: map[string]string{"bootstrap.servers": servers, "group.id": "shop"}})
			if err != nil {
				return nil, err
			}
			return c, c.Subscribe(t.Context(), []string{"orders"})
		},
	}
	for name, open := range clients {
		t.Run(name, func(t *testing.T) {
			cluster := newSeen(t)
			subscribed := muteMetrics(t, cluster)
			client, err := open(cluster.servers())
			if err != nil {
				t.Fatal(err)
			}
			select {
			case <-subscribed:
			case <-time.After(10 * time.Second):
				t.Fatal("kgo never asked which metrics to send")
			}
			start := time.Now()
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			if d := time.Since(start); d > 700*time.Millisecond {
				t.Errorf("Close took %v", d)
			}
		})
	}
}

// muteMetrics makes the cluster ask for metrics and never answer them.
func muteMetrics(t *testing.T, cluster *seen) (subscribed chan struct{}) {
	subscribed = make(chan struct{}, 10)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	cluster.ControlKey(int16(kmsg.GetTelemetrySubscriptions), func(kmsg.Request) (kmsg.Response, error, bool) {
		subscribed <- struct{}{}
		return nil, nil, false
	})
	cluster.ControlKey(int16(kmsg.PushTelemetry), func(kmsg.Request) (kmsg.Response, error, bool) {
		<-release
		return nil, nil, false
	})
	return subscribed
}

// The other clients that wait for a broker which never answers.
func TestClosePromptlyBeforeAnyAnswer(t *testing.T) {
	address := silent(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	settings := func(extra string) drivers.Settings {
		config := pairs(extra)
		config["bootstrap.servers"] = address
		return drivers.Settings{Config: config}
	}
	p, err := New().NewTransactionalProducer(settings("transactional.id=pay"))
	if err != nil {
		t.Fatal(err)
	}
	if got := drivers.ClassOf(p.Init(ctx)); got != drivers.Retriable {
		t.Errorf("Init without an answer: class %q", got)
	}
	c, err := New().NewConsumer(settings("group.id=g"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Subscribe(ctx, []string{"orders"}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Poll(ctx); err != nil || len(got) > 0 {
		t.Errorf("Poll until its context ended: %v, %v", got, err)
	}
	start := time.Now()
	if err := errors.Join(p.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("Close took %v", d)
	}
}

// kgo's own close fails what is buffered, and its promises may still be called when it
// has returned.
func TestClosePlainlyReports(t *testing.T) {
	p, err := New().NewProducer(drivers.Settings{Config: map[string]string{
		"bootstrap.servers": newSeen(t).servers(), "linger.ms": "10000",
	}})
	if err != nil {
		t.Fatal(err)
	}
	const records = 100
	told := make(chan drivers.Delivery, records)
	for range records {
		p.Produce(t.Context(), drivers.Record{Topic: "orders", Partition: 0}, func(d drivers.Delivery) { told <- d })
	}
	if err := p.(drivers.PlainCloser).ClosePlainly(); err != nil {
		t.Fatal(err)
	}
	for n := range records {
		select {
		case d := <-told:
			if d.Outcome != drivers.Failed || d.Err.Code != "ErrClientClosed" {
				t.Fatalf("record %d: %+v", n, d)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%d of %d records were reported", n, records)
		}
	}
	if err := p.Close(); err != nil {
		t.Errorf("Close after it: %v", err)
	}
}
