package proxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// The second copy is an exchange of its own, with the place of its record in the log;
// requests of the client are counted without it.
func TestDuplicateInTheTrace(t *testing.T) {
	c := payments(t, fault.Rule{Action: fault.DuplicateRequest, Select: nth("Produce", 1)})
	client := dialNode(t, c.proxy, 0)
	client.ask(produceOne(1))
	client.ask(produceOne(2)) // answered in its turn, behind the copy
	client.conn.Close()
	seen := c.settled(t)
	var results []string
	var offsets []int64
	for _, e := range seen.Trace.Exchanges {
		results, offsets = append(results, e.Result), append(offsets, e.Batches[0].BaseOffset)
	}
	if diff := cmp.Diff([]string{"ok", "copy of request 1: ok", "ok"}, results) + cmp.Diff([]int64{0, 1, 2}, offsets); diff != "" {
		t.Errorf("results and offsets (-want +got):\n%s", diff)
	}
	first, second := seen.Trace.Exchanges[0], seen.Trace.Exchanges[1]
	same := cmpopts.IgnoreFields(evidence.Exchange{}, "N", "At", "AnsweredAt", "Delivered", "Points", "Result")
	if diff := cmp.Diff(first, second, same, cmpopts.IgnoreFields(evidence.TraceBatch{}, "BaseOffset")); diff != "" || second.Delivered || second.Points != nil {
		t.Errorf("delivered %v, points %q, copy (-first +second):\n%s", second.Delivered, second.Points, diff)
	}
	if diff := cmp.Diff(map[string]int64{"Produce": 2}, seen.Requests); diff != "" || len(seen.Problems) > 0 {
		t.Errorf("problems %q, requests (-want +got):\n%s", seen.Problems, diff)
	}
}

// acks=0: twice as well, and nobody answers.
func TestDuplicateWithAcks0(t *testing.T) {
	c := payments(t, fault.Rule{Action: fault.DuplicateRequest, Select: nth("Produce", 1)})
	client := dialNode(t, c.proxy, 0)
	client.send(produceTo(9, 0, topic, map[int32][]byte{0: batchOf(payment(1))}))
	client.ask(produceOne(2))
	client.conn.Close()
	seen := c.settled(t)
	want := []string{
		"payments/1 forwarded duplicate-request Produce 1",
		"payments/1 forwarded duplicate-request",
		"payments/2 forwarded answered delivered",
	}
	if diff := cmp.Diff(want, fates(seen)); diff != "" || c.endOffset(topic, 0) != 3 || len(seen.Problems) > 0 {
		t.Errorf("%d records in the log, problems %q, fates (-want +got):\n%s", c.endOffset(topic, 0), seen.Problems, diff)
	}
}

// Behind a lost answer the copy is no collateral: nobody was to get its answer.
func TestDuplicateBehindADroppedAnswer(t *testing.T) {
	c := payments(t,
		fault.Rule{Name: "one", Action: fault.DropResponse, Select: nth("Produce", 1)},
		fault.Rule{Name: "two", Action: fault.DuplicateRequest, Select: nth("Produce", 2)},
	)
	c.holdProduce(3, 3)
	client := dialNode(t, c.proxy, 0)
	client.send(produceAll(1, 2)...)
	if err := client.closed(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
	client.conn.Close()
	seen := c.settled(t)
	want := []string{
		"payments/1 forwarded answered drop-response Produce 1",
		"payments/2 forwarded answered duplicate-request collateral Produce 2",
		"payments/2 forwarded answered duplicate-request",
	}
	if diff := cmp.Diff(want, fates(seen)) + cmp.Diff(count("one", 1), seen.Collateral); diff != "" || seen.ResponsesDropped != 2 {
		t.Errorf("answers lost %d, fates and collateral (-want +got):\n%s", seen.ResponsesDropped, diff)
	}
}
