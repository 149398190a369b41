package proxy

import (
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// payments starts a cluster whose topic is led by node 0, under a plan.
func payments(t *testing.T, rules ...fault.Rule) *cluster {
	t.Helper()
	c := startCluster(t, func(o *Options) {
		o.Engine = plan(rules...)
		o.Roles = map[string]string{"kcompare-payments": "payments"}
	}, kfake.SeedTopics(1, topic))
	c.leaderOf(t, topic, 0, 0)
	return c
}

const topic = "kcompare-payments"

func produceOne(n int) *kmsg.ProduceRequest {
	return produceTo(9, -1, topic, map[int32][]byte{0: batchOf(payment(n))})
}

func produceAll(ns ...int) []kmsg.Request {
	var all []kmsg.Request
	for _, n := range ns {
		all = append(all, produceOne(n))
	}
	return all
}

// fates is what the trace says of each Produce, in a form that is easy to
// compare: record, then what happened to request and answer.
func fates(seen Observed) []string {
	var all []string
	for _, e := range seen.Trace.Exchanges {
		if e.API != "Produce" {
			continue
		}
		words := []string{e.Batches[0].IDs[0].String()}
		for _, w := range []struct {
			word string
			is   bool
		}{
			{"forwarded", e.Forwarded}, {"answered", e.Answered}, {"delivered", e.Delivered},
			{e.Fault, e.Fault != ""}, {"collateral", e.Collateral},
		} {
			if w.is {
				words = append(words, w.word)
			}
		}
		all = append(all, strings.Join(append(words, e.Points...), " "))
	}
	return all
}

// settled waits until every connection is gone, so that the account is final.
func (c *cluster) settled(t *testing.T) Observed {
	t.Helper()
	eventually(t, "the end of all connections", func() bool {
		c.proxy.mu.Lock()
		defer c.proxy.mu.Unlock()
		return c.proxy.opened > 0 && len(c.proxy.conns) == 0
	})
	return c.proxy.Observed()
}

func count(rule string, n int64) map[string]int64 { return map[string]int64{rule: n} }

// Five requests in flight on one connection: each action is done in the turn of
// the request that it is for.
func TestActionsWithFiveInFlight(t *testing.T) {
	const replaced, instead = "forwarded answered delivered", "delivered"
	for _, tt := range []struct {
		name      string
		rule      fault.Rule
		answers   []string // codes, in the order of arrival
		end       error    // how the connection ends; nil where it stays open
		log       int64    // records that the broker appended
		fates     []string
		collat    map[string]int64
		responses int64 // answers to Produce that were lost
		requests  int64 // requests that were lost
		late      int64 // requests that came after the end of the connection was decided
		rest      int   // bytes of an answer that was cut
		quiet     bool  // the connection stays open, and nothing comes
	}{
		{
			name: "drop-response", rule: fault.Rule{Action: fault.DropResponse, Select: nth("Produce", 2)},
			answers: []string{"ok"}, end: io.EOF, log: 5,
			fates: []string{
				"payments/1 forwarded answered delivered",
				"payments/2 forwarded answered drop-response Produce 2",
				"payments/3 forwarded answered collateral", "payments/4 forwarded answered collateral", "payments/5 forwarded answered collateral",
			},
			collat: count("rule 1", 3), responses: 4,
		},
		{
			name: "drop-request", rule: fault.Rule{Action: fault.DropRequest, Select: nth("Produce", 3)},
			answers: []string{"ok", "ok"}, end: io.EOF, log: 2,
			fates: []string{
				"payments/1 forwarded answered delivered", "payments/2 forwarded answered delivered",
				"payments/3 drop-request Produce 3", "payments/4", "payments/5",
			},
			requests: 1, late: 2,
		},
		{
			name: "reset-connection", rule: fault.Rule{Action: fault.ResetConnection, Select: nth("Produce", 3)},
			answers: []string{"ok", "ok"}, end: syscall.ECONNRESET, log: 2,
			fates: []string{
				"payments/1 forwarded answered delivered", "payments/2 forwarded answered delivered",
				"payments/3 reset-connection Produce 3", "payments/4", "payments/5",
			},
			requests: 1, late: 2,
		},
		{
			name: "replace-response", rule: fault.Rule{Action: fault.ReplaceResponse, Code: 7, Select: nth("Produce", 2)},
			answers: []string{"ok", "REQUEST_TIMED_OUT", "ok", "ok", "ok"}, log: 5,
			fates: []string{
				"payments/1 " + replaced, "payments/2 " + replaced + " replace-response Produce 2",
				"payments/3 " + replaced, "payments/4 " + replaced, "payments/5 " + replaced,
			},
		},
		{
			name: "answer-instead", rule: fault.Rule{Action: fault.AnswerInstead, Code: 19, Select: nth("Produce", 3)},
			answers: []string{"ok", "ok", "NOT_ENOUGH_REPLICAS", "ok", "ok"}, log: 4,
			fates: []string{
				"payments/1 " + replaced, "payments/2 " + replaced,
				"payments/3 " + instead + " answer-instead Produce 3",
				"payments/4 " + replaced, "payments/5 " + replaced,
			},
		},
		{
			name: "answer-instead of the last", rule: fault.Rule{Action: fault.AnswerInstead, Code: 19, Select: nth("Produce", 5)},
			answers: []string{"ok", "ok", "ok", "ok", "NOT_ENOUGH_REPLICAS"}, log: 4,
			fates: []string{
				"payments/1 " + replaced, "payments/2 " + replaced, "payments/3 " + replaced, "payments/4 " + replaced,
				"payments/5 " + instead + " answer-instead Produce 5",
			},
		},
		{
			name: "false-ack", rule: fault.Rule{Action: fault.FalseAck, Select: nth("Produce", 3)},
			answers: []string{"ok", "ok", "ok", "ok", "ok"}, log: 4,
			fates: []string{
				"payments/1 " + replaced, "payments/2 " + replaced,
				"payments/3 " + instead + " false-ack Produce 3",
				"payments/4 " + replaced, "payments/5 " + replaced,
			},
			requests: 1,
		},
		{
			name: "delay", rule: fault.Rule{Action: fault.Delay, Wait: 50 * time.Millisecond, Select: nth("Produce", 2)},
			answers: []string{"ok", "ok", "ok", "ok", "ok"}, log: 5,
			fates: []string{
				"payments/1 " + replaced, "payments/2 " + replaced + " delay Produce 2",
				"payments/3 " + replaced, "payments/4 " + replaced, "payments/5 " + replaced,
			},
		},
		{
			name: "stall", rule: fault.Rule{Action: fault.Stall, Select: nth("Produce", 2)},
			answers: []string{"ok"}, log: 5, quiet: true,
			fates: []string{
				"payments/1 forwarded answered delivered",
				"payments/2 forwarded answered stall Produce 2",
				"payments/3 forwarded answered collateral", "payments/4 forwarded answered collateral", "payments/5 forwarded answered collateral",
			},
			collat: count("rule 1", 3), responses: 4,
		},
		{
			name: "half-open", rule: fault.Rule{Action: fault.HalfOpen, Select: nth("Produce", 3)},
			answers: []string{"ok", "ok"}, log: 2, quiet: true,
			fates: []string{
				"payments/1 forwarded answered delivered", "payments/2 forwarded answered delivered",
				"payments/3 half-open Produce 3", "payments/4", "payments/5",
			},
			requests: 1, late: 2,
		},
		{
			name: "half-open from the first", rule: fault.Rule{Action: fault.HalfOpen, Select: nth("Produce", 1)}, quiet: true,
			fates:    []string{"payments/1 half-open Produce 1", "payments/2", "payments/3", "payments/4", "payments/5"},
			requests: 1, late: 4,
		},
		{
			name: "throttle", rule: fault.Rule{Action: fault.Throttle, Rate: 10_000, Select: nth("Produce", 2)},
			answers: []string{"ok", "ok", "ok", "ok", "ok"}, log: 5,
			fates: []string{
				"payments/1 " + replaced, "payments/2 " + replaced + " throttle Produce 2",
				"payments/3 " + replaced, "payments/4 " + replaced, "payments/5 " + replaced,
			},
		},
		{
			name: "truncate", rule: fault.Rule{Action: fault.Truncate, Bytes: 10, Select: nth("Produce", 2)},
			answers: []string{"ok"}, end: io.EOF, rest: 10, log: 5,
			fates: []string{
				"payments/1 forwarded answered delivered",
				"payments/2 forwarded answered truncate Produce 2",
				"payments/3 forwarded answered collateral", "payments/4 forwarded answered collateral", "payments/5 forwarded answered collateral",
			},
			collat: count("rule 1", 3), responses: 4,
		},
		{
			name: "duplicate-request", rule: fault.Rule{Action: fault.DuplicateRequest, Select: nth("Produce", 2)},
			answers: []string{"ok", "ok", "ok", "ok", "ok"}, log: 6,
			fates: []string{
				"payments/1 " + replaced, "payments/2 " + replaced + " duplicate-request Produce 2",
				"payments/2 forwarded answered duplicate-request",
				"payments/3 " + replaced, "payments/4 " + replaced, "payments/5 " + replaced,
			},
		},
		{
			name: "hold-request", rule: fault.Rule{Action: fault.HoldRequest, Wait: 50 * time.Millisecond, Select: nth("Produce", 3)},
			answers: []string{"ok", "ok"}, end: io.EOF, log: 3,
			fates: []string{
				"payments/1 forwarded answered delivered", "payments/2 forwarded answered delivered",
				"payments/3 forwarded answered hold-request Produce 3", "payments/4", "payments/5",
			},
			responses: 1, late: 2,
		},
		{
			name: "hold-request of the first", rule: fault.Rule{Action: fault.HoldRequest, Wait: 50 * time.Millisecond, Select: nth("Produce", 1)},
			end: io.EOF, log: 1,
			fates:     []string{"payments/1 forwarded answered hold-request Produce 1", "payments/2", "payments/3", "payments/4", "payments/5"},
			responses: 1, late: 4,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := payments(t, tt.rule)
			c.holdProduce(5, int(tt.log))
			client := dialNode(t, c.proxy, 0)
			client.send(produceAll(1, 2, 3, 4, 5)...)
			for i, want := range tt.answers {
				correlation, resp := client.receive(produceOne(0))
				got := resp.(*kmsg.ProduceResponse).Topics[0].Partitions[0]
				if correlation != int32(i) || codeName(got.ErrorCode) != want || (want == "ok") != (got.BaseOffset >= 0) {
					t.Errorf("answer %d: correlation id %d, %s, offset %d, want %s", i, correlation, codeName(got.ErrorCode), got.BaseOffset, want)
				}
			}
			if tt.quiet {
				client.quiet(c.proxy, 5, int(tt.log))
			}
			if tt.end != nil {
				rest, err := io.ReadAll(client.from.from)
				if len(rest) != tt.rest || !errors.Is(err, tt.end) && (err != nil || tt.end != io.EOF) {
					t.Errorf("the connection ended with %d bytes and %v, want %d and %v", len(rest), err, tt.rest, tt.end)
				}
			}
			client.conn.Close()
			seen := c.settled(t)
			if diff := cmp.Diff(tt.fates, fates(seen)); diff != "" {
				t.Errorf("fates (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.collat, seen.Collateral, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("collateral (-want +got):\n%s", diff)
			}
			fired := []fault.Point{{Rule: "rule 1", API: "Produce", Ordinal: tt.rule.Select.Nth}}
			if diff := cmp.Diff(fired, seen.Fired["rule 1"]); diff != "" {
				t.Errorf("fired (-want +got):\n%s", diff)
			}
			if got := c.endOffset(topic, 0); got != tt.log {
				t.Errorf("%d records in the log, want %d", got, tt.log)
			}
			if seen.ResponsesDropped != tt.responses || seen.RequestsDropped != tt.requests || seen.ProduceRequests != 5-tt.late {
				t.Errorf("answers lost %d, requests lost %d, Produce requests %d, want %d, %d, %d",
					seen.ResponsesDropped, seen.RequestsDropped, seen.ProduceRequests, tt.responses, tt.requests, 5-tt.late)
			}
			if len(seen.Problems) > 0 {
				t.Errorf("problems: %q", seen.Problems)
			}
		})
	}
}

// Hits that are lost behind a dropped answer: a second dropped answer fired, an
// answer that was to be replaced did not, and is collateral.
func TestHitsBehindADroppedAnswer(t *testing.T) {
	c := payments(t,
		fault.Rule{Name: "one", Action: fault.DropResponse, Select: nth("Produce", 1)},
		fault.Rule{Name: "two", Action: fault.DropResponse, Select: nth("Produce", 2)},
		fault.Rule{Name: "three", Action: fault.ReplaceResponse, Code: 7, Select: nth("Produce", 3)},
		fault.Rule{Name: "four", Action: fault.AnswerInstead, Code: 7, Select: nth("Produce", 4)},
		fault.Rule{Name: "five", Action: fault.ResetConnection, Select: nth("Produce", 5)},
	)
	c.holdProduce(5, 3)
	client := dialNode(t, c.proxy, 0)
	client.send(produceAll(1, 2, 3, 4, 5)...)
	if err := client.closed(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection ended with %v, want the reset that was due behind the dropped answers", err)
	}
	client.conn.Close()
	seen := c.settled(t)
	want := []string{
		"payments/1 forwarded answered drop-response Produce 1",
		"payments/2 forwarded answered drop-response Produce 2",
		"payments/3 forwarded answered collateral",
		"payments/4 collateral",
		"payments/5 reset-connection Produce 5",
	}
	if diff := cmp.Diff(want, fates(seen)); diff != "" {
		t.Errorf("fates (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(count("one", 2), seen.Collateral); diff != "" {
		t.Errorf("collateral (-want +got):\n%s", diff)
	}
}

// The whole chain of each record, one at a time: what the plan says before the
// run is what fires, and a record whose answer was lost stands in the log again.
func TestPlannedChainsFire(t *testing.T) {
	rule := fault.Rule{
		Name: "lost-answer", Action: fault.DropResponse,
		Select: fault.Selector{API: "Produce", Role: "payments", Probability: 0.35},
	}
	c := payments(t, rule)
	var records []fault.Record
	client := dialNode(t, c.proxy, 0)
	for n := range 40 {
		records = append(records, fault.Record{Role: "payments", Record: evidence.RecordID{Role: "payments", N: n}.String()})
		for acked := false; !acked; {
			client.send(produceOne(n))
			if _, err := client.from.next(); err != nil {
				client.conn.Close()
				client = dialNode(t, c.proxy, 0)
				continue
			}
			acked = true
		}
	}
	client.conn.Close()
	seen := c.settled(t)
	planned := fault.Plan{rule}.Planned(1, records, 31)["lost-answer"]
	fired := seen.Fired["lost-answer"]
	slices.SortFunc(planned, fault.Point.Compare)
	slices.SortFunc(fired, fault.Point.Compare)
	if diff := cmp.Diff(planned, fired); diff != "" || len(planned) == 0 {
		t.Errorf("%d planned (-planned +fired):\n%s", len(planned), diff)
	}
	lost := int64(len(planned))
	if got := c.endOffset(topic, 0); got != 40+lost || seen.ResponsesDropped != lost || seen.ProduceRequests != 40+lost {
		t.Errorf("log %d, answers lost %d, requests %d, want 40 records and %d lost answers", got, seen.ResponsesDropped, seen.ProduceRequests, lost)
	}
	if len(seen.Collateral) > 0 {
		t.Errorf("collateral %v although one request was in flight at a time", seen.Collateral)
	}
}

// A request that came too late to be forwarded was no attempt: when the client
// sends it again, that is the first one, as the plan says.
func TestRequestsBehindAFaultAreNoAttempts(t *testing.T) {
	c := payments(t, fault.Rule{Action: fault.DropRequest, Select: nth("Produce", 1)})
	client := dialNode(t, c.proxy, 0)
	client.send(produceAll(1, 2)...)
	if err := client.closed(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
	client.conn.Close()
	c.settled(t)
	dialNode(t, c.proxy, 0).ask(produceOne(2))
	var attempts []int
	for _, e := range c.proxy.Observed().Trace.Exchanges {
		attempts = append(attempts, e.Batches[0].Attempt)
	}
	if diff := cmp.Diff([]int{1, 0, 1}, attempts); diff != "" {
		t.Errorf("attempts of payments/1, /2, /2 (-want +got):\n%s", diff)
	}
}

// acks=0: a request can be lost, an answer cannot, and that is said.
func TestFaultsOnAcks0(t *testing.T) {
	one := produceTo(9, 0, topic, map[int32][]byte{0: batchOf(payment(1))})
	t.Run("drop-request", func(t *testing.T) {
		c := payments(t, fault.Rule{Action: fault.DropRequest, Select: nth("Produce", 2)})
		client := dialNode(t, c.proxy, 0)
		client.send(one, one, one)
		if err := client.closed(); err != nil {
			t.Errorf("the connection ended with %v, want an orderly end", err)
		}
		client.conn.Close()
		seen := c.settled(t)
		want := []string{"payments/1 forwarded", "payments/1 drop-request Produce 2", "payments/1 collateral"}
		if diff := cmp.Diff(want, fates(seen)); diff != "" || seen.RequestsDropped != 2 {
			t.Errorf("requests lost %d, fates (-want +got):\n%s", seen.RequestsDropped, diff)
		}
	})
	t.Run("drop-response", func(t *testing.T) {
		c := payments(t, fault.Rule{Action: fault.DropResponse, Select: nth("Produce", 1)})
		client := dialNode(t, c.proxy, 0)
		client.send(one)
		client.conn.Close()
		seen := c.settled(t)
		if len(seen.Problems) != 1 || !strings.Contains(seen.Problems[0], "acks=0") || len(seen.Fired) > 0 {
			t.Errorf("problems %q, fired %v, want a problem that names acks=0", seen.Problems, seen.Fired)
		}
	})
}

func TestDelayComesLater(t *testing.T) {
	const wait = 100 * time.Millisecond
	c := payments(t, fault.Rule{Action: fault.Delay, Wait: wait, Select: nth("Produce", 1)})
	client := dialNode(t, c.proxy, 0)
	start := time.Now()
	client.ask(produceOne(1))
	if took := time.Since(start); took < wait {
		t.Errorf("the answer came after %v, want at least %v", took, wait)
	}
}

// A client may give up before the answer comes, and its story may end: the fault has
// happened to it, and the trial is complete.
func TestDelayOutlastsTheClient(t *testing.T) {
	c := payments(t, fault.Rule{Action: fault.Delay, Wait: time.Hour, Select: nth("Produce", 1)})
	client := dialNode(t, c.proxy, 0)
	client.send(produceOne(1))
	eventually(t, "the fault", func() bool { return len(c.proxy.Observed().Fired["rule 1"]) == 1 })
}

// Delays of a pipeline do not add up: while the first answer is kept back the others are
// read, and the time of each counts from then on. Once the second answer was only read
// after the delay of the first, and a round trip of 5 ms made 25 of five requests. A busy
// machine would have to stand still for eight of the nine delays to look like that.
func TestDelaysRunSideBySide(t *testing.T) {
	const requests, wait = 10, time.Second
	c := payments(t, fault.Rule{Action: fault.Delay, Wait: wait, Select: fault.Selector{API: "Produce", First: requests, Probability: 1}})
	client := dialNode(t, c.proxy, 0)
	var all []kmsg.Request
	for n := range requests {
		all = append(all, produceOne(n))
	}
	client.send(all...)
	start := time.Now()
	for _, req := range all {
		client.receive(req)
	}
	if took := time.Since(start); took < wait || took > (requests-1)*wait {
		t.Errorf("%d answers took %v: want one delay of %v", requests, took, wait)
	}
}

func TestRefuseConnection(t *testing.T) {
	node := int32(1)
	c := payments(t, fault.Rule{Action: fault.RefuseConnection, Select: fault.Selector{Node: &node, First: 2, Probability: 1}})
	for range 2 {
		if err := dialNode(t, c.proxy, 1).closed(); err != nil {
			t.Errorf("a refused connection ended with %v", err)
		}
	}
	dialNode(t, c.proxy, 1).ask(kmsg.NewPtrMetadataRequest())
	dialNode(t, c.proxy, 0).ask(kmsg.NewPtrMetadataRequest())
	want := []fault.Point{{Rule: "rule 1", Ordinal: 1}, {Rule: "rule 1", Ordinal: 2}}
	if diff := cmp.Diff(want, c.proxy.Observed().Fired["rule 1"]); diff != "" {
		t.Errorf("fired (-want +got):\n%s", diff)
	}
}

// A fault that the client's hanging up overtakes still happens at the broker.
func TestDropResponseAfterTheClientIsGone(t *testing.T) {
	answer := make(chan bool)
	u := serve(t, func(frame []byte) ([]byte, bool) {
		<-answer
		resp := kmsg.NewPtrProduceResponse()
		resp.Version = 8
		return opaque(frame, resp.AppendTo(nil)), true
	})
	p := u.before(t, func(o *Options) {
		o.Engine = plan(fault.Rule{Action: fault.DropResponse, Select: nth("Produce", 1)})
	})
	client := dialNode(t, p, 0)
	client.send(produceTo(8, -1, topic, map[int32][]byte{0: batchOf(payment(1))}))
	eventually(t, "the request at the broker", func() bool { return u.frames() == 1 })
	client.conn.Close()
	answer <- true
	eventually(t, "the fault", func() bool { return len(p.Observed().Fired["rule 1"]) == 1 })
}

// TestWarmup: every connection begins anew, so that whoever lost an answer is safe on
// the next one.
func TestWarmup(t *testing.T) {
	lost := nth("Produce", 0)
	lost.Warmup, lost.First = 2, 9
	c := payments(t, fault.Rule{Action: fault.DropResponse, Select: lost})
	for range 2 {
		raw := dialNode(t, c.proxy, 0)
		for n := 1; n <= 2; n++ {
			raw.ask(produceOne(n))
		}
		raw.send(produceOne(3))
		if err := raw.closed(); err != nil {
			t.Errorf("the connection did not end in an orderly way: %v", err)
		}
	}
	want := []string{
		"payments/1 forwarded answered delivered", "payments/2 forwarded answered delivered",
		"payments/3 forwarded answered drop-response Produce 1",
		"payments/1 forwarded answered delivered", "payments/2 forwarded answered delivered",
		"payments/3 forwarded answered drop-response Produce 2",
	}
	if diff := cmp.Diff(want, fates(c.settled(t))); diff != "" {
		t.Errorf("fates (-want +got):\n%s", diff)
	}
}
