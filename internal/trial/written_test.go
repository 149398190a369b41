package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// TestTaken: a batch that came twice under one sequence number is in the log once, and
// without a number each time.
func TestTaken(t *testing.T) {
	forwarded := func(id int64, sequence int32, code string) evidence.Exchange {
		return evidence.Exchange{Forwarded: true, Batches: []evidence.TraceBatch{{
			Topic: "t", ProducerID: id, BaseSequence: sequence, Records: 2, Code: code,
		}}}
	}
	trace := evidence.Trace{Exchanges: []evidence.Exchange{
		forwarded(7, 0, "ok"), forwarded(7, 0, "ok"), forwarded(7, 2, "ok"), forwarded(8, 0, "ok"),
		forwarded(-1, -1, "ok"), forwarded(-1, -1, "ok"), forwarded(7, 4, "OUT_OF_ORDER_SEQUENCE_NUMBER"),
		{Batches: []evidence.TraceBatch{{Topic: "t", Records: 2, Code: "ok"}}}, // lost before the broker
	}}
	for unanswered, want := range map[bool]int64{false: 10, true: 12} {
		got := taken(trace, unanswered)
		if diff := cmp.Diff(map[drivers.TopicPartition]int64{{Topic: "t"}: want}, got); diff != "" {
			t.Errorf("unanswered %t (-want +got):\n%s", unanswered, diff)
		}
	}
}
