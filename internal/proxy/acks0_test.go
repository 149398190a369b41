package proxy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// drop is a rule that loses the requests of one record.
func drop(name, record string) fault.Rule {
	return fault.Rule{Name: name, Action: fault.DropRequest, Select: fault.Selector{API: "Produce", Record: record, Probability: 1}}
}

// What a client with acks=0 has written into a connection that a fault ended is
// never sent again. Records that were to be lost are lost as planned, the others
// with the connection; a request that has an answer waits for its next attempt.
func TestAcks0BehindAFault(t *testing.T) {
	c := payments(t, drop("one", "payments/2"), drop("two", "payments/4"),
		fault.Rule{Name: "three", Action: fault.ResetConnection, Select: fault.Selector{API: "Produce", Record: "payments/5", Probability: 1}})
	var all []kmsg.Request
	for n := 1; n <= 6; n++ {
		all = append(all, produceTo(9, 0, topic, map[int32][]byte{0: batchOf(payment(n))}))
	}
	client := dialNode(t, c.proxy, 0)
	client.send(append(all, produceOne(7))...)
	if err := client.closed(); err != nil {
		t.Errorf("the connection ended with %v, want an orderly end", err)
	}
	client.conn.Close()
	seen := c.settled(t)
	want := []string{
		"payments/1 forwarded",
		"payments/2 drop-request payments/2 attempt 1",
		"payments/3 collateral",
		"payments/4 drop-request payments/4 attempt 1",
		"payments/5 collateral",
		"payments/6 collateral",
		"payments/7",
	}
	if diff := cmp.Diff(want, fates(seen)); diff != "" {
		t.Errorf("fates (-want +got):\n%s", diff)
	}
	point := func(rule, record string) fault.Point {
		return fault.Point{Rule: rule, Role: "payments", Record: record, Attempt: 1}
	}
	fired := map[string][]fault.Point{"one": {point("one", "payments/2")}, "two": {point("two", "payments/4")}}
	if diff := cmp.Diff(fired, seen.Fired) + cmp.Diff(count("one", 3), seen.Collateral); diff != "" {
		t.Errorf("fired and collateral (-want +got):\n%s", diff)
	}
	type requests struct{ Produce, Lost, Answers int64 }
	if got := (requests{seen.ProduceRequests, seen.RequestsDropped, seen.ResponsesDropped}); got != (requests{6, 5, 0}) {
		t.Errorf("Produce requests, those lost, answers lost: %v, want {6 5 0}", got)
	}
	var results []string
	var attempts []int
	for _, e := range seen.Trace.Exchanges {
		results, attempts = append(results, e.Result), append(attempts, e.Batches[0].Attempt)
	}
	const late = "not forwarded: the connection ends by rule one"
	if diff := cmp.Diff([]string{"", "", late, late, late, late, late}, results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 1, 1, 1, 1, 1, 0}, attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if len(seen.Problems) > 0 {
		t.Errorf("problems: %q", seen.Problems)
	}
}

// A connection that ended by itself has lost nothing that a fault could answer for.
func TestAcks0AfterTheBrokerHungUp(t *testing.T) {
	u := serve(t, func(frame []byte) ([]byte, bool) { return opaque(frame, nil), false })
	p := u.before(t, func(o *Options) { o.Engine = plan(drop("one", "payments/2")) })
	client := dialNode(t, p, 0)
	client.send(kmsg.NewPtrSASLAuthenticateRequest()) // any that is not decoded
	if _, err := client.from.next(); err != nil {
		t.Fatal(err)
	}
	if err := client.closed(); err != nil {
		t.Fatal(err)
	}
	client.send(produceTo(9, 0, topic, map[int32][]byte{0: batchOf(payment(2))}))
	eventually(t, "the request in the trace", func() bool { return len(p.Observed().Trace.Exchanges) == 2 })
	client.conn.Close()
	seen := p.Observed()
	e := seen.Trace.Exchanges[1]
	if e.Forwarded || e.Collateral || e.Batches[0].Attempt != 0 || len(seen.Fired) > 0 || seen.RequestsDropped > 0 || seen.ProduceRequests > 0 {
		t.Errorf("%+v, fired %v, %d requests of which %d lost by a fault", e, seen.Fired, seen.ProduceRequests, seen.RequestsDropped)
	}
}

// One record after the other, with a library that may or may not have noticed the
// end of its connection: every record is one request, those that were planned to
// be lost are, and what else is missing from the log is collateral.
func TestAcks0WithClient(t *testing.T) {
	const records = 200
	rule := fault.Rule{
		Name: "lost-request", Action: fault.DropRequest,
		Select: fault.Selector{API: "Produce", Role: "payments", Probability: 0.35},
	}
	c := payments(t, rule)
	client, _ := c.newClient(t, kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite(), kgo.ManualFlushing())
	var sent []fault.Record
	for n := range records {
		wire := payment(n)
		record := &kgo.Record{Topic: topic, Key: wire.Key, Value: wire.Value}
		for _, h := range wire.Headers {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
		}
		client.Produce(within(t), record, func(_ *kgo.Record, err error) {
			if err != nil {
				t.Errorf("record %d: %v, though nobody answers with acks=0", n, err)
			}
		})
		if err := client.Flush(within(t)); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, fault.Record{Role: "payments", Record: evidence.RecordID{Role: "payments", N: n}.String()})
	}
	client.Close()
	seen := c.settled(t)
	planned, fired := fault.Plan{rule}.Planned(1, sent, 1)["lost-request"], seen.Fired["lost-request"]
	slices.SortFunc(planned, fault.Point.Compare)
	slices.SortFunc(fired, fault.Point.Compare)
	if diff := cmp.Diff(planned, fired, cmpopts.EquateEmpty()); diff != "" || len(planned) == 0 {
		t.Errorf("%d planned (-planned +fired):\n%s", len(planned), diff)
	}
	lost := int64(len(fired)) + seen.Collateral["lost-request"]
	eventually(t, "the rest of the records in the log", func() bool { return c.endOffset(topic, 0) == records-lost })
	if seen.ProduceRequests != records || seen.RequestsDropped != lost || seen.ResponsesDropped != 0 {
		t.Errorf("%d requests, %d lost, %d answers lost, want %d, %d, 0", seen.ProduceRequests, seen.RequestsDropped, seen.ResponsesDropped, records, lost)
	}
	t.Logf("%d planned, %d collateral", len(planned), seen.Collateral["lost-request"])
}
