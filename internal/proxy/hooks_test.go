package proxy

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// told is what the hooks of a proxy were told. That it needs no mutex of its own
// is part of what is tested.
type told struct {
	t         *testing.T
	proxy     atomic.Pointer[Proxy]
	running   atomic.Bool
	faults    []FaultFired
	exchanges []evidence.Exchange
}

func (h *told) setUp(o *Options) {
	o.OnFault = func(f FaultFired) { h.alone(func() { h.faults = append(h.faults, f) }) }
	o.OnExchange = func(e evidence.Exchange) { h.alone(func() { h.exchanges = append(h.exchanges, e) }) }
}

// alone also asks the proxy for what it has seen, which must not lock up.
func (h *told) alone(do func()) {
	if !h.running.CompareAndSwap(false, true) {
		h.t.Error("a hook was called while another call was running")
	}
	do()
	if p := h.proxy.Load(); p != nil {
		p.Observed()
	}
	h.running.Store(false)
}

// Whatever becomes of a request, OnExchange is told once, and of its last state:
// all that it was told together is the trace. OnFault is told of each fault.
func TestHooks(t *testing.T) {
	record := func(name string, action fault.Action, n int) fault.Rule {
		return fault.Rule{Name: name, Action: action, Select: fault.Selector{API: "Produce", Record: fmt.Sprintf("payments/%d", n), Probability: 1}}
	}
	refuse := fault.Rule{Name: "refuse", Action: fault.RefuseConnection, Select: fault.Selector{Nth: 1, Probability: 1}}
	instead := fault.Rule{Name: "instead", Action: fault.AnswerInstead, Code: 3, Select: nth("InitProducerId", 1)}
	cut, held := record("truncated", fault.Truncate, 10), record("held", fault.HoldRequest, 13)
	cut.Bytes, held.Wait = 6, time.Millisecond
	h := &told{t: t}
	c := startCluster(t, func(o *Options) {
		o.Roles = map[string]string{topic: "payments"}
		o.Engine = plan(refuse, instead,
			record("lost-answer", fault.DropResponse, 2), record("lost", fault.DropRequest, 5), record("lost-acks0", fault.DropRequest, 6), record("reset", fault.ResetConnection, 7),
			record("twice", fault.DuplicateRequest, 9), cut, record("half-open", fault.HalfOpen, 11), record("stalled", fault.Stall, 12), held)
		h.setUp(o)
	}, kfake.SeedTopics(1, topic))
	h.proxy.Store(c.proxy)
	c.leaderOf(t, topic, 0, 0)
	if err := dialNode(t, c.proxy, 0).closed(); err != nil {
		t.Logf("the refused connection ended with %v", err)
	}
	sent := 0
	for i, round := range [][]kmsg.Request{
		{kmsg.NewPtrInitProducerIDRequest(), produceTo(9, 0, topic, map[int32][]byte{0: batchOf(payment(0))}), produceOne(1)},
		{produceOne(2), produceOne(3), produceOne(4)}, // an answer is lost, those behind it with it
		{produceOne(5), produceOne(8)},                // a request is lost, the next one comes too late
		{produceTo(9, 0, topic, map[int32][]byte{0: batchOf(payment(6))})},
		{produceOne(7)},
		{newRequest(17, 0)}, // refused: SaslHandshake v0
		{produceOne(9), produceOne(14)},
		{produceOne(10)},
		{produceOne(11), produceOne(15)},
		{produceOne(12), produceOne(16)},
		{produceOne(13)},
	} {
		client := dialNode(t, c.proxy, 0)
		client.send(round...)
		if sent += len(round); i == 6 {
			sent++ // the second copy
		}
		eventually(t, fmt.Sprintf("the fate of what round %d sent", i), func() bool {
			all := c.proxy.Observed().Trace.Exchanges
			return len(all) == sent && (all[sent-1].Answered || all[sent-1].Fault+all[sent-1].Result != "")
		})
		client.conn.Close()
	}
	if err := c.proxy.Close(); err != nil {
		t.Fatal(err)
	}
	onlyProblem(t, c.proxy, "SaslHandshake v0")
	seen := c.proxy.Observed()
	slices.SortFunc(h.exchanges, func(a, b evidence.Exchange) int { return cmp.Compare(a.N, b.N) })
	if diff := gocmp.Diff(seen.Trace.Exchanges, h.exchanges); diff != "" || len(h.exchanges) != sent {
		t.Errorf("%d exchanges were told of, want %d (-in the trace +told):\n%s", len(h.exchanges), sent, diff)
	}
	fired, hits := map[string][]fault.Point{}, map[string]int64{}
	for _, f := range h.faults {
		fired[f.Rule.Name] = append(fired[f.Rule.Name], f.Points...)
		hits[f.Rule.Name]++
		if f.Rule.Action != fault.RefuseConnection && f.Request.Fault != string(f.Rule.Action) {
			t.Errorf("rule %s was told of with the request %+v", f.Rule.Name, f.Request)
		}
	}
	if diff := gocmp.Diff(seen.Fired, fired) + gocmp.Diff(seen.Hits, hits); diff != "" || len(fired) != 11 {
		t.Errorf("rules %v fired, want 11 (-seen +told):\n%s", hits, diff)
	}
}

// Connections do not wait for each other, but hooks are called one at a time.
func TestHooksOneAtATime(t *testing.T) {
	const clients, each = 8, 20
	h := &told{t: t}
	u := serve(t, func(frame []byte) ([]byte, bool) { return opaque(frame, nil), true })
	p := u.before(t, func(o *Options) {
		o.Keep = 10 // what alone copies
		o.Engine = plan(fault.Rule{Action: fault.Delay, Wait: 1, Select: fault.Selector{API: "SaslAuthenticate", First: clients * each, Probability: 1}})
		h.setUp(o)
	})
	h.proxy.Store(p)
	var running sync.WaitGroup
	for range clients {
		client := dialNode(t, p, 0)
		running.Go(func() {
			for range each {
				client.send(newRequest(int16(kmsg.SASLAuthenticate), 2))
				if _, err := client.from.next(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if len(h.faults) != clients*each || len(h.exchanges) != clients*each {
		t.Errorf("told of %d faults and %d exchanges, want %d each", len(h.faults), len(h.exchanges), clients*each)
	}
}

// A request whose answer never came is settled when its connection has ended, and
// so is one that the trace has no room for.
func TestExchangesBeyondKeep(t *testing.T) {
	h := &told{t: t}
	u := serve(t, func([]byte) ([]byte, bool) { return nil, true }) // never answers
	p := u.before(t, func(o *Options) { o.Keep = 1; h.setUp(o) })
	client := dialNode(t, p, 0)
	client.send(kmsg.NewPtrMetadataRequest(), kmsg.NewPtrMetadataRequest(), kmsg.NewPtrListGroupsRequest())
	eventually(t, "three frames at the broker", func() bool { return u.frames() == 3 })
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range h.exchanges {
		got = append(got, fmt.Sprintf("%d %s forwarded %v answered %v", e.N, e.API, e.Forwarded, e.Answered))
	}
	want := []string{"1 Metadata forwarded true answered false", "2 Metadata forwarded true answered false", "3 ListGroups forwarded true answered false"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("told of (-want +got):\n%s", diff)
	}
}

// Requests are counted by client id, and the ids are bounded.
func TestByClient(t *testing.T) {
	u := serve(t, func(frame []byte) ([]byte, bool) { return opaque(frame, nil), true })
	p := u.before(t, nil)
	client := dialNode(t, p, 0)
	for n := range mostClients + 20 {
		format := kmsg.NewRequestFormatter(kmsg.FormatterClientID(fmt.Sprintf("client-%03d", n)))
		for range 2 {
			client.conn.Write(format.AppendRequest(nil, kmsg.NewPtrSASLAuthenticateRequest(), 0))
			if _, err := client.from.next(); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := map[string]map[string]int64{OtherClients: {"SaslAuthenticate": 40}}
	for n := range mostClients {
		want[fmt.Sprintf("client-%03d", n)] = map[string]int64{"SaslAuthenticate": 2}
	}
	if diff := gocmp.Diff(want, p.Observed().ByClient); diff != "" {
		t.Errorf("by client (-want +got):\n%s", diff)
	}
}

// A proxy that lives for long counts what others keep.
func TestLongLived(t *testing.T) {
	c := startCluster(t, func(o *Options) {
		o.LongLived, o.Keep, o.Roles = true, 1, map[string]string{topic: "payments"}
		o.Engine = plan(fault.Rule{Name: "late", Action: fault.Delay, Wait: 1, Select: fault.Selector{API: "Produce", Role: "payments", Probability: 1}})
	}, kfake.SeedTopics(1, topic))
	c.leaderOf(t, topic, 0, 0)
	client := dialNode(t, c.proxy, 0)
	for n := range 30 {
		client.ask(produceOne(n))
	}
	seen := c.proxy.Observed()
	type kept struct {
		Exchanges, BrokerSide, Fired int
		Hits, Requests, Cut          int64
	}
	want := kept{Exchanges: produceFactor, Hits: 30, Requests: 30, Cut: 30 - produceFactor}
	if got := (kept{len(seen.Trace.Exchanges), len(seen.BrokerSide), len(seen.Fired), seen.Hits["late"], seen.Requests["Produce"], seen.Trace.Cut}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
