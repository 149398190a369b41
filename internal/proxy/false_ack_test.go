package proxy

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// A false acknowledgement tells the offset that the record would have got, and the
// next record, which the broker has, is told the same one.
func TestFalseAckTellsAPlausibleOffset(t *testing.T) {
	for _, version := range []int16{3, 9} {
		c := payments(t, fault.Rule{Action: fault.FalseAck, Select: nth("Produce", 3)})
		client := dialNode(t, c.proxy, 0)
		var told []int64
		for n := range 5 {
			req := produceTo(version, -1, topic, map[int32][]byte{0: batchOf(payment(n))})
			client.send(req)
			_, resp := client.receive(req)
			told = append(told, resp.(*kmsg.ProduceResponse).Topics[0].Partitions[0].BaseOffset)
		}
		if want := []int64{0, 1, 2, 2, 3}; !slices.Equal(told, want) {
			t.Errorf("Produce v%d: told offsets %d, want %d", version, told, want)
		}
		client.conn.Close()
		if got := c.endOffset(topic, 0); got != 4 {
			t.Errorf("Produce v%d: %d records in the log, want 4", version, got)
		}
	}
}
