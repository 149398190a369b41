package proxy

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// produced is a broker's answer to a Produce v8.
func produced(frame []byte) []byte {
	resp := kmsg.NewPtrProduceResponse()
	resp.Version = 8
	return opaque(frame, resp.AppendTo(nil))
}

func produceV8(n int) *kmsg.ProduceRequest {
	return produceTo(8, -1, topic, map[int32][]byte{0: batchOf(payment(n))})
}

// A broker that hangs up ends a stalled connection for the proxy alone.
func TestStallOutlivesTheBroker(t *testing.T) {
	u := serve(t, func(frame []byte) ([]byte, bool) { return produced(frame), false })
	p := u.before(t, func(o *Options) {
		o.Engine = plan(fault.Rule{Action: fault.Stall, Select: nth("Produce", 1)})
	})
	client := dialNode(t, p, 0)
	client.send(produceV8(1))
	client.quiet(p, 1, 1)
	client.send(produceV8(2))
	eventually(t, "a request that nobody takes", func() bool {
		all := p.Observed().Trace.Exchanges
		return len(all) == 2 && all[1].Result == "not forwarded: the connection to the broker had ended"
	})
	client.silent()
	client.conn.Close()
	if err := p.Drained(within(t)); err != nil {
		t.Error(err)
	}
}

// A fault that ends the connection ends a stalled one too.
func TestFaultsBehindAStall(t *testing.T) {
	for _, tt := range []struct {
		rule      fault.Rule
		second    string // fate of the second record
		collat    map[string]int64
		responses int64
		requests  int64
	}{
		{
			rule:   fault.Rule{Action: fault.DropResponse},
			second: "payments/2 forwarded answered drop-response Produce 2", responses: 2,
		},
		{
			rule:   fault.Rule{Action: fault.DropRequest},
			second: "payments/2 drop-request Produce 2", responses: 1, requests: 1,
		},
		{
			rule:   fault.Rule{Action: fault.HoldRequest, Wait: time.Millisecond},
			second: "payments/2 forwarded answered hold-request Produce 2", responses: 2,
		},
	} {
		t.Run(string(tt.rule.Action), func(t *testing.T) {
			tt.rule.Name, tt.rule.Select = "two", nth("Produce", 2)
			c := payments(t, fault.Rule{Name: "one", Action: fault.Stall, Select: nth("Produce", 1)}, tt.rule)
			client := dialNode(t, c.proxy, 0)
			client.send(produceAll(1, 2)...)
			if err := client.closed(); err != nil {
				t.Errorf("the connection ended with %v", err)
			}
			client.conn.Close()
			seen := c.settled(t)
			want := []string{"payments/1 forwarded answered stall Produce 1", tt.second}
			if diff := cmp.Diff(want, fates(seen)); diff != "" {
				t.Errorf("fates (-want +got):\n%s", diff)
			}
			if seen.ResponsesDropped != tt.responses || seen.RequestsDropped != tt.requests || len(seen.Collateral) > 0 {
				t.Errorf("answers lost %d, requests lost %d, collateral %v, want %d, %d and none",
					seen.ResponsesDropped, seen.RequestsDropped, seen.Collateral, tt.responses, tt.requests)
			}
		})
	}
}

// Behind a lost answer nothing is kept back: the connection ends.
func TestStallBehindADroppedAnswer(t *testing.T) {
	c := payments(t,
		fault.Rule{Name: "one", Action: fault.DropResponse, Select: nth("Produce", 1)},
		fault.Rule{Name: "two", Action: fault.Stall, Select: nth("Produce", 2)},
	)
	c.holdProduce(2, 2)
	client := dialNode(t, c.proxy, 0)
	client.send(produceAll(1, 2)...)
	if err := client.closed(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
	client.conn.Close()
	seen := c.settled(t)
	want := []string{"payments/1 forwarded answered drop-response Produce 1", "payments/2 forwarded answered collateral"}
	if diff := cmp.Diff(want, fates(seen)); diff != "" || len(seen.Fired["two"]) > 0 {
		t.Errorf("fired %v, fates (-want +got):\n%s", seen.Fired, diff)
	}
}

// What would have come to the client late, otherwise, cut or by the proxy itself does
// not come at all behind a stall, and has not fired.
func TestHitsBehindAStall(t *testing.T) {
	c := payments(t,
		fault.Rule{Name: "one", Action: fault.Stall, Select: nth("Produce", 1)},
		fault.Rule{Name: "two", Action: fault.Stall, Select: nth("Produce", 2)},
		fault.Rule{Name: "three", Action: fault.Throttle, Rate: 1, Select: nth("Produce", 3)},
		fault.Rule{Name: "four", Action: fault.Truncate, Bytes: 1, Select: nth("Produce", 4)},
		fault.Rule{Name: "five", Action: fault.AnswerInstead, Code: 7, Select: nth("Produce", 5)},
	)
	client := dialNode(t, c.proxy, 0)
	client.send(produceAll(1, 2, 3, 4, 5)...)
	client.quiet(c.proxy, 5, 4)
	client.conn.Close()
	seen := c.settled(t)
	want := []string{
		"payments/1 forwarded answered stall Produce 1",
		"payments/2 forwarded answered stall Produce 2",
		"payments/3 forwarded answered collateral",
		"payments/4 forwarded answered collateral",
		"payments/5 collateral",
	}
	if diff := cmp.Diff(want, fates(seen)); diff != "" {
		t.Errorf("fates (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(count("one", 3), seen.Collateral); diff != "" {
		t.Errorf("collateral (-want +got):\n%s", diff)
	}
}

// A half-open connection takes what the client sends, has no broker behind it, and
// ends when the client hangs up.
func TestHalfOpenTakesRequests(t *testing.T) {
	u := serve(t, func(frame []byte) ([]byte, bool) { return produced(frame), true })
	p := u.before(t, func(o *Options) {
		o.Engine = plan(fault.Rule{Name: "half", Action: fault.HalfOpen, Select: nth("Produce", 2)})
	})
	client := dialNode(t, p, 0)
	client.ask(produceV8(1))
	client.send(produceV8(2))
	eventually(t, "the end of the broker connection", func() bool { return u.left() == 1 })
	client.send(produceV8(3))
	client.quiet(p, 3, 1)
	client.conn.Close()
	if err := p.Drained(within(t)); err != nil {
		t.Fatal(err)
	}
	seen := p.Observed()
	if got := seen.Trace.Exchanges[2].Result; got != "not forwarded: the connection is half open by rule half" {
		t.Errorf("the result of the third request is %q", got)
	}
	if u.frames() != 1 || seen.ProduceRequests != 2 {
		t.Errorf("the broker got %d requests, %d counted, want 1 and 2", u.frames(), seen.ProduceRequests)
	}
}

// The broker hangs up when the connection is half open already, and still owes an
// answer: the client is not told of that either.
func TestHalfOpenAndTheBrokerHangsUp(t *testing.T) {
	decided := make(chan bool)
	u := serve(t, func([]byte) ([]byte, bool) { <-decided; return nil, false })
	p := u.before(t, func(o *Options) {
		o.Engine = plan(fault.Rule{Action: fault.HalfOpen, Select: nth("Produce", 2)})
	})
	client := dialNode(t, p, 0)
	client.send(produceV8(1), produceV8(2))
	eventually(t, "the fault", func() bool { return len(p.Observed().Fired["rule 1"]) == 1 })
	close(decided)
	eventually(t, "the end of the broker connection", func() bool { return u.left() == 1 })
	client.silent()
}

// Behind a lost answer the connection ends, although the request after it was taken to
// go nowhere.
func TestHalfOpenBehindADroppedAnswer(t *testing.T) {
	decided := make(chan bool)
	u := serve(t, func(frame []byte) ([]byte, bool) { <-decided; return produced(frame), true })
	p := u.before(t, func(o *Options) {
		o.Engine = plan(
			fault.Rule{Name: "one", Action: fault.DropResponse, Select: nth("Produce", 1)},
			fault.Rule{Name: "two", Action: fault.HalfOpen, Select: nth("Produce", 2)},
		)
	})
	client := dialNode(t, p, 0)
	client.send(produceV8(1), produceV8(2))
	eventually(t, "the second fault", func() bool { return len(p.Observed().Fired["two"]) == 1 })
	close(decided)
	if err := client.closed(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
}

// With acks=0 a request can go nowhere, and those behind it are lost for good; an
// answer that never comes cannot be kept back.
func TestSilenceWithAcks0(t *testing.T) {
	one := func(n int) *kmsg.ProduceRequest {
		return produceTo(9, 0, topic, map[int32][]byte{0: batchOf(payment(n))})
	}
	t.Run("half-open", func(t *testing.T) {
		c := payments(t, fault.Rule{Action: fault.HalfOpen, Select: nth("Produce", 2)})
		client := dialNode(t, c.proxy, 0)
		client.send(one(1), one(2), one(3))
		client.quiet(c.proxy, 3, 0)
		client.conn.Close()
		seen := c.settled(t)
		want := []string{"payments/1 forwarded", "payments/2 half-open Produce 2", "payments/3 collateral"}
		if diff := cmp.Diff(want, fates(seen)); diff != "" || seen.RequestsDropped != 2 {
			t.Errorf("requests lost %d, fates (-want +got):\n%s", seen.RequestsDropped, diff)
		}
	})
	for _, rule := range []fault.Rule{
		{Action: fault.Stall}, {Action: fault.Throttle, Rate: 1}, {Action: fault.Truncate, Bytes: 1},
	} {
		t.Run(string(rule.Action), func(t *testing.T) {
			rule.Select = nth("Produce", 1)
			c := payments(t, rule)
			client := dialNode(t, c.proxy, 0)
			client.send(one(1))
			client.conn.Close()
			seen := c.settled(t)
			if len(seen.Problems) != 1 || !strings.Contains(seen.Problems[0], "acks=0") || len(seen.Fired) > 0 {
				t.Errorf("problems %q, fired %v, want a problem that names acks=0", seen.Problems, seen.Fired)
			}
		})
	}
}

// Close ends a connection whatever fault is going on in it, at once.
func TestCloseDuringFaults(t *testing.T) {
	for _, rule := range []fault.Rule{
		{Action: fault.Stall}, {Action: fault.HalfOpen}, {Action: fault.Throttle, Rate: 1},
		{Action: fault.Delay, Wait: time.Hour}, {Action: fault.HoldRequest, Wait: time.Hour, Until: "EndTxn"},
		{Action: fault.PauseNode, Wait: time.Hour},
	} {
		t.Run(string(rule.Action), func(t *testing.T) {
			rule.Select = nth("Produce", 2)
			u := serve(t, func(frame []byte) ([]byte, bool) { return produced(frame), true })
			control := &stuckControl{began: make(chan bool)}
			p := u.before(t, func(o *Options) { o.Engine, o.Control = plan(rule), control })
			client := dialNode(t, p, 0)
			client.ask(produceV8(1))
			client.send(produceV8(2))
			if rule.Action == fault.PauseNode {
				<-control.began
			} else {
				reached := u.frames
				if rule.Action == fault.HalfOpen || rule.Action == fault.HoldRequest {
					reached = func() int { return len(p.Observed().Trace.Exchanges) }
				}
				eventually(t, "the second request", func() bool { return reached() == 2 })
			}
			done := make(chan error)
			go func() { done <- p.Close() }()
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(drainTimeout - time.Second): // that is no way to be finished
				t.Fatal("Close did not return")
			}
			if problems := p.Observed().Problems; len(problems) > 0 {
				t.Errorf("problems: %q", problems)
			}
			if _, err := client.from.next(); err == nil {
				t.Error("the client got an answer")
			} else if errors.Is(err, errFrame) {
				t.Error(err)
			}
		})
	}
}
