package proxy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Without records the trace still has what a batch's header says, and requests can
// still be counted.
func TestHeadersOnly(t *testing.T) {
	c := startCluster(t, func(o *Options) {
		o.HeadersOnly = true
		o.Engine = plan(fault.Rule{Action: fault.ReplaceResponse, Code: 7, Select: nth("Produce", 1)})
	}, kfake.SeedTopics(1, topic))
	c.leaderOf(t, topic, 0, 0)
	header := kmsg.NewRecordBatch()
	header.ProducerID, header.ProducerEpoch, header.FirstSequence = -1, -1, -1
	raw, err := batch.Encode(header, kgo.ZstdCompression(), payment(1), payment(2))
	if err != nil {
		t.Fatal(err)
	}
	dialNode(t, c.proxy, 0).ask(produceTo(9, -1, topic, map[int32][]byte{0: raw}))
	seen := c.proxy.Observed()
	want := []evidence.TraceBatch{{
		Topic: topic, ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1, Records: 2, Codec: "zstd", BaseOffset: 0, Code: "ok",
	}}
	if diff := cmp.Diff(want, seen.Trace.Exchanges[0].Batches); diff != "" || len(seen.Fired["rule 1"]) != 1 || len(seen.Problems) > 0 {
		t.Errorf("fired %v, problems %q, batches (-want +got):\n%s", seen.Fired, seen.Problems, diff)
	}
}

func TestHeadersOnlyRefusesPlans(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sel    fault.Selector
		refuse bool
	}{
		{"records by chance", fault.Selector{API: "Produce", Probability: 0.5}, true},
		{"one record", fault.Selector{API: "Produce", Record: "payments/1", Probability: 1}, true},
		{"the second request with a record", fault.Selector{API: "Produce", Record: "payments/1", Nth: 2, Probability: 1}, true},
		{"the second request", nth("Produce", 2), false},
		{"another API", nth("Metadata", 1), false},
	} {
		p, err := Start(Options{
			Upstreams: map[int32]string{0: "127.0.0.1:1"}, Clock: clock(), HeadersOnly: true,
			Engine: plan(fault.Rule{Action: fault.DropResponse, Select: tt.sel}),
		})
		if err == nil {
			p.Close()
		}
		const want = `start proxy: fault rule "rule 1": it is decided by the records of Produce requests`
		if (err != nil) != tt.refuse || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, refused: %v", tt.name, err, tt.refuse)
		}
	}
}
