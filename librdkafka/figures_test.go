//go:build cgo

package librdkafka

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
)

// TestStatistics: which numbers of an event are taken for which figure.
func TestStatistics(t *testing.T) {
	const event = `{"msg_cnt": 3, "txmsgs": 61, "tx": 99, "brokers": {
		"a:1/1": {"waitresp_cnt": 1, "waitresp_msg_cnt": 2, "txretries": 4, "req": {"Produce": 30, "Metadata": 7}},
		"a:2/2": {"waitresp_cnt": 2, "waitresp_msg_cnt": 5, "txretries": 1, "req": {"Produce": 31}}},
		"topics": {"t": {"partitions": {"0": {"msgs": 20}, "1": {"msgs": 21}, "-1": {"msgs": 9}}}},
		"eos": {"txn_state": "InTransaction", "producer_epoch": 6}}`
	var f figures
	waiting := make(chan drivers.Figures)
	go func() {
		s, _ := f.next(context.Background())
		waiting <- s.figures(true)
	}()
	for registered := false; !registered; {
		f.mu.Lock()
		registered = len(f.waiting) == 1
		f.mu.Unlock()
	}
	f.event("no JSON") // nobody is told
	f.event(event)
	want := drivers.Figures{
		drivers.RecordsTaken: "41", drivers.RecordsSent: "61", drivers.RecordsWaiting: "3", drivers.RecordsInFlight: "7",
		drivers.ProduceRequests: "61", drivers.RequestsAgain: "5", drivers.RequestsOpen: "3",
		drivers.TransactionState: "InTransaction", drivers.ProducerEpoch: "6",
	}
	if diff := cmp.Diff(want, <-waiting); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

// TestFiguresEndWithContext: without statistics nobody speaks.
func TestFiguresEndWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &producer{}
	if figures, err := p.Figures(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v and error %v, expected that of the context", figures, err)
	}
}

// TestFiguresAreFresh: what librdkafka said before the call, and what waited to be taken
// until after it, is not handed on.
func TestFiguresAreFresh(t *testing.T) {
	f := figures{began: time.Now().Add(-time.Minute)}
	got := make(chan statistics)
	go func() {
		s, _ := f.fresh(context.Background())
		got <- s
	}()
	for _, event := range []string{
		`{"age": 1000000, "txmsgs": 1}`, `{"age": 59999999, "txmsgs": 2}`, `{"age": 90000000, "txmsgs": 3}`,
	} {
		for waiting := false; !waiting; {
			f.mu.Lock()
			waiting = len(f.waiting) == 1
			f.mu.Unlock()
		}
		f.event(event)
	}
	if s := <-got; s.Sent != 3 {
		t.Errorf("got event %d, expected the third: the others are older than the call", s.Sent)
	}
}
