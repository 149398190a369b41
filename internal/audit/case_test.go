package audit_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// reused is a world in which a record got the sequence number of the one before it in
// its partition, and is not in the log.
func reused(messages int) (w *world, lost, standing *evidence.Send) {
	const key = "order-0009"
	w = honest(messages)
	p, i := w.find(key)
	before := p.Batches[i-1]
	w.lose(key)
	for _, e := range w.requests(key) {
		e.Batches[0].BaseSequence = before.BaseSequence
	}
	return w, w.send(key), w.send(before.Records[0].Key)
}

// TestCase: both records of one sequence number, what the client said of them, the one
// that stands in the log, and the requests around them.
func TestCase(t *testing.T) {
	w, lost, standing := reused(messages)
	c := audit.Case(&w.Observed, audit.Audit(&w.Observed))
	p, i := w.find(standing.Key)
	b := p.Batches[i]
	want := &evidence.Case{
		Kind: evidence.Lost, Cause: audit.LostReused, First: lost.Key,
		Records: []evidence.RecordID{lost.ID, standing.ID},
		Sends:   []evidence.Send{*standing, *lost},
		Stored: []evidence.Stored{{
			Topic: p.Topic, Partition: p.Partition, Offset: b.BaseOffset, ID: standing.ID, Send: standing.Send,
			ProducerID: paymentProducer, Sequence: b.BaseSequence,
		}},
		Wire: c.Wire, LeftOut: int64(len(w.Trace.Exchanges) - len(c.Wire)),
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	carrying := 0
	for _, e := range c.Wire {
		if e.Carries(lost.ID) || e.Carries(standing.ID) {
			carrying++
		}
	}
	if want := len(w.requests(lost.Key)) + len(w.requests(standing.Key)); carrying != want || len(c.Wire) > want*7 || len(c.Wire) == carrying {
		t.Errorf("%d exchanges, %d of them carry a record; expected all %d that do and a few around them", len(c.Wire), carrying, want)
	}
}

// TestCaseIsBounded: a small trace is kept whole, of a long one not more than the bound,
// whatever the anomaly is about.
func TestCaseIsBounded(t *testing.T) {
	small, _, _ := reused(10)
	c := audit.Case(&small.Observed, audit.Audit(&small.Observed))
	if len(c.Wire) != len(small.Trace.Exchanges) || c.LeftOut != 0 {
		t.Errorf("%d of %d exchanges, %d left out", len(c.Wire), len(small.Trace.Exchanges), c.LeftOut)
	}
	w := honest(messages)
	w.Trace.Cut = 7
	c = audit.Case(&w.Observed, audit.Audit(&w.Observed)) // as where a check fails and nothing is wrong with any record
	if len(c.Wire) != evidence.MostExchanges || c.Kind != "" || c.LeftOut != int64(len(w.Trace.Exchanges)-evidence.MostExchanges+7) {
		t.Errorf("%d exchanges, %d left out, about %q", len(c.Wire), c.LeftOut, c.Kind)
	}
	if c.Wire[0].Fault == "" {
		t.Errorf("begins with %v, expected the first fault", c.Wire[0])
	}
	key := w.Sends[0].Key
	for i := range w.Trace.Exchanges {
		w.Trace.Exchanges[i].Batches = w.Trace.Exchanges[1].Batches // every request carries the record
	}
	judged := evidence.Trial{Anomalies: []evidence.Anomaly{{Kind: evidence.Duplicate, First: key}}}
	if c = audit.Case(&w.Observed, judged); len(c.Wire) != evidence.MostExchanges {
		t.Errorf("%d exchanges, expected %d", len(c.Wire), evidence.MostExchanges)
	}
}

// TestCaseNames: an anomaly may name a record by its key, its identity or its place.
func TestCaseNames(t *testing.T) {
	w := honest(10)
	id := w.Sends[3].ID
	p, i := w.find(w.Sends[3].Key)
	place := fmt.Sprintf("%s-%d offset %d", p.Topic, p.Partition, p.Batches[i].BaseOffset)
	for _, first := range []string{w.Sends[3].Key, id.String(), place} {
		c := audit.Case(&w.Observed, evidence.Trial{Anomalies: []evidence.Anomaly{{Kind: evidence.Phantom, First: first}}})
		if diff := cmp.Diff([]evidence.RecordID{id}, c.Records); diff != "" {
			t.Errorf("%s (-want +got):\n%s", first, diff)
		}
	}
}

// TestCaseWithoutReaders: what the client's own consumer asks at the end is no context of
// a record that was sent last.
func TestCaseWithoutReaders(t *testing.T) {
	w := honest(messages)
	for _, api := range []string{"FindCoordinator", "JoinGroup", "Fetch", "EndTxn"} {
		w.Trace.Exchanges = append(w.Trace.Exchanges, evidence.Exchange{API: api})
	}
	last := w.Sends[len(w.Sends)-1].Key
	c := audit.Case(&w.Observed, evidence.Trial{Anomalies: []evidence.Anomaly{{Kind: evidence.Lost, First: last}}})
	if end := c.Wire[len(c.Wire)-1].API; end != "EndTxn" || c.Wire[len(c.Wire)-2].API != "Produce" {
		t.Errorf("ends with %s after %s, expected EndTxn after Produce", end, c.Wire[len(c.Wire)-2].API)
	}
}
