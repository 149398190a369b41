package proxy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

func holding(wait time.Duration, until string) fault.Rule {
	return fault.Rule{Action: fault.HoldRequest, Wait: wait, Until: until, Select: nth("Produce", 1)}
}

// holdOne has a client whose only request is held, and who was told of the end.
func holdOne(t *testing.T, c *cluster, req kmsg.Request) {
	t.Helper()
	client := dialNode(t, c.proxy, 0)
	client.send(req)
	if err := client.closed(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
	client.conn.Close()
}

// The next request of the API, on whatever connection, releases the held one, and
// is answered after it: what its client does next is later. Another API, and a
// request that came before, release nothing, nor does it release what waits for
// another API.
func TestHoldUntil(t *testing.T) {
	other := fault.Rule{Name: "other", Action: fault.HoldRequest, Wait: time.Hour, Until: "EndTxn", Select: nth("Produce", 2)}
	c := payments(t, holding(time.Hour, "Metadata"), other)
	metadata := make(chan bool)
	c.ControlKey(int16(kmsg.Metadata), func(kmsg.Request) (kmsg.Response, error, bool) {
		<-metadata
		return nil, nil, false
	})
	early := dialNode(t, c.proxy, 1)
	early.send(kmsg.NewPtrMetadataRequest())
	eventually(t, "a Metadata request in the trace", func() bool { return len(c.proxy.Observed().Trace.Exchanges) == 1 })
	holdOne(t, c, produceOne(1))
	holdOne(t, c, produceOne(2))
	close(metadata)
	early.receive(kmsg.NewPtrMetadataRequest())
	early.ask(produceTo(9, 1, "kcompare-other", map[int32][]byte{0: batchOf(payment(9))}))
	if seen := c.proxy.Observed(); len(seen.Fired) > 0 || c.endOffset(topic, 0) != 0 {
		t.Fatalf("fired %v, %d records in the log, before anything released it", seen.Fired, c.endOffset(topic, 0))
	}
	dialNode(t, c.proxy, 2).ask(kmsg.NewPtrMetadataRequest())
	seen := c.proxy.Observed()
	want := []fault.Point{{Rule: "rule 1", API: "Produce", Ordinal: 1}}
	if diff := cmp.Diff(map[string][]fault.Point{"rule 1": want}, seen.Fired); diff != "" || c.endOffset(topic, 0) != 1 {
		t.Errorf("%d records in the log, fired (-want +got):\n%s", c.endOffset(topic, 0), diff)
	}
	held := seen.Trace.Exchanges[1]
	if !held.Forwarded || !held.Answered || held.Delivered || held.Batches[0].Code != "ok" ||
		!strings.HasPrefix(held.Result, "held, delivered after ") || !strings.HasSuffix(held.Result, ": ok") {
		t.Errorf("the held request: %+v", held)
	}
	if len(seen.Problems) > 0 || seen.ResponsesDropped != 1 || seen.RequestsDropped != 0 {
		t.Errorf("problems %q, answers lost %d, requests lost %d", seen.Problems, seen.ResponsesDropped, seen.RequestsDropped)
	}
}

// What a broker refuses releases nothing. Of several APIs the first one does that is
// done.
func TestHoldUntilDone(t *testing.T) {
	c := payments(t, holding(time.Hour, "Metadata, Produce"))
	holdOne(t, c, produceOne(1))
	client := dialNode(t, c.proxy, 0)
	client.ask(produceTo(9, 1, "no-such-topic", map[int32][]byte{0: batchOf(payment(9))}))
	if seen := c.proxy.Observed(); len(seen.Fired) > 0 {
		t.Fatalf("fired %v, and the only Produce was refused", seen.Fired)
	}
	client.ask(produceTo(9, 1, topic, map[int32][]byte{0: batchOf(payment(9))}))
	if seen := c.proxy.Observed(); len(seen.Fired) != 1 || c.endOffset(topic, 0) != 2 {
		t.Errorf("fired %v, %d records in the log, want that and the held one", seen.Fired, c.endOffset(topic, 0))
	}
}

// Nothing releases it: it is delivered after Wait, also when it has no answer.
func TestHoldForAtMostWait(t *testing.T) {
	for _, acks := range []int16{-1, 0} {
		const wait = 100 * time.Millisecond
		c := payments(t, holding(wait, "EndTxn"))
		start := time.Now()
		holdOne(t, c, produceTo(9, acks, topic, map[int32][]byte{0: batchOf(payment(1))}))
		seen := c.settled(t)
		if took := time.Since(start); took < wait {
			t.Errorf("acks=%d: delivered after %v, want at least %v", acks, took, wait)
		}
		answers := int64(-acks)
		if c.endOffset(topic, 0) != 1 || len(seen.Fired["rule 1"]) != 1 || len(seen.Problems) > 0 || seen.ResponsesDropped != answers {
			t.Errorf("acks=%d: %d records in the log, fired %v, problems %q, %d answers lost, want 1, 1, none, %d",
				acks, c.endOffset(topic, 0), seen.Fired, seen.Problems, seen.ResponsesDropped, answers)
		}
	}
}

// A client that hangs up before its turn has its request held all the same.
func TestHoldAfterTheClientIsGone(t *testing.T) {
	c := payments(t, fault.Rule{Action: fault.HoldRequest, Wait: time.Hour, Until: "Metadata", Select: nth("Produce", 2)})
	appended := make(chan bool)
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		<-appended
		return nil, nil, false
	})
	client := dialNode(t, c.proxy, 0)
	client.send(produceAll(1, 2)...)
	eventually(t, "both requests in the trace", func() bool { return len(c.proxy.Observed().Trace.Exchanges) == 2 })
	client.conn.Close()
	close(appended)
	dialNode(t, c.proxy, 1).ask(kmsg.NewPtrMetadataRequest())
	if got := c.endOffset(topic, 0); got != 2 {
		t.Errorf("%d records in the log, want both", got)
	}
}

// However long the answers before it take, and however long it is held after one of
// them was lost: the broker connection is kept.
func TestHoldKeepsTheBrokerConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for longer than drainTimeout")
	}
	const longer = drainTimeout + 300*time.Millisecond
	for _, tt := range []struct {
		name     string
		before   time.Duration // that the broker needs for the first request
		held     time.Duration
		answered string // what becomes of the first answer
	}{
		{"slow answer before it", longer, time.Millisecond, "payments/1 forwarded answered delivered"},
		{"lost answer before it", 0, longer, "payments/1 forwarded answered drop-response Produce 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p *Proxy
			slow := tt.before
			u := serve(t, func(frame []byte) ([]byte, bool) {
				comesTrue(func() bool { return p.Requests()["Produce"] == 2 })
				<-time.After(slow)
				slow = 0
				return produced(frame), true
			})
			rules := []fault.Rule{{Name: "hold", Action: fault.HoldRequest, Wait: tt.held, Select: nth("Produce", 2)}}
			if tt.before == 0 {
				rules = append(rules, fault.Rule{Name: "lose", Action: fault.DropResponse, Select: nth("Produce", 1)})
			}
			p = u.before(t, func(o *Options) { o.Engine = plan(rules...) })
			client := dialNode(t, p, 0)
			client.send(produceV8(1), produceV8(2))
			eventually(t, "the held request at the broker", func() bool { return len(p.Observed().Fired["hold"]) == 1 })
			if err := p.Drained(within(t)); err != nil {
				t.Fatal(err)
			}
			want := []string{tt.answered, "payments/2 forwarded answered hold-request Produce 2"}
			seen := p.Observed()
			if diff := cmp.Diff(want, fates(seen)); diff != "" || len(seen.Problems) > 0 {
				t.Errorf("problems %q, fates (-want +got):\n%s", seen.Problems, diff)
			}
		})
	}
}

// What is held when the proxy is closed was never delivered.
func TestHoldAndClose(t *testing.T) {
	c := payments(t, holding(time.Hour, ""))
	holdOne(t, c, produceOne(1))
	if err := c.proxy.Close(); err != nil {
		t.Fatal(err)
	}
	seen := c.proxy.Observed()
	if got := seen.Trace.Exchanges[0]; got.Forwarded || got.Result != "held, not delivered: the proxy is closed" {
		t.Errorf("the held request: %+v", got)
	}
	if len(seen.Fired) > 0 || len(seen.Problems) > 0 || seen.RequestsDropped != 1 || c.endOffset(topic, 0) != 0 {
		t.Errorf("fired %v, problems %q, requests lost %d, log %d", seen.Fired, seen.Problems, seen.RequestsDropped, c.endOffset(topic, 0))
	}
}

// A broker that hangs up in the meantime takes the fault with it, and that is said.
func TestHoldAndTheBrokerHangsUp(t *testing.T) {
	decided := make(chan bool)
	u := serve(t, func(frame []byte) ([]byte, bool) { <-decided; return produced(frame), false })
	p := u.before(t, func(o *Options) {
		o.Engine = plan(fault.Rule{Action: fault.HoldRequest, Wait: time.Hour, Select: nth("Produce", 2)})
	})
	client := dialNode(t, p, 0)
	client.send(produceV8(1), produceV8(2))
	eventually(t, "both requests decided", func() bool { return p.Requests()["Produce"] == 2 })
	close(decided)
	client.receive(produceV8(1))
	if err := client.closed(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
	client.conn.Close()
	if err := p.Drained(within(t)); err != nil {
		t.Fatal(err)
	}
	seen := p.Observed()
	if len(seen.Problems) != 1 || !strings.Contains(seen.Problems[0], "rule 1 did not fire") || len(seen.Fired) > 0 || seen.RequestsDropped != 1 {
		t.Errorf("problems %q, fired %v, requests lost %d", seen.Problems, seen.Fired, seen.RequestsDropped)
	}
}
