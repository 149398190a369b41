package bench

import (
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// TestLatencies: percentiles are right to three digits, the largest is exact, what is
// unknown is not counted, and the histogram can be added to others.
func TestLatencies(t *testing.T) {
	var all []uint32
	for n := uint32(1); n <= 1000; n++ {
		all = append(all, n)
	}
	all = append(all, drivers.LatencyUnknown, 1_234_567)
	got, err := latenciesOf(all)
	if err != nil {
		t.Fatal(err)
	}
	h, err := hdrhistogram.Decode([]byte(got.Histogram))
	if err != nil || h.TotalCount() != 1001 || h.ValueAtPercentile(50) != 501 {
		t.Fatalf("the histogram has %d, median %d, error %v", h.TotalCount(), h.ValueAtPercentile(50), err)
	}
	got.Histogram = ""
	want := &evidence.BenchLatencies{Count: 1001, P50: 501, P95: 951, P99: 991, P999: 1000, Max: 1_234_567}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	longest, err := latenciesOf([]uint32{drivers.LatencyUnknown - 1, 0})
	if err != nil || longest.Max != int64(drivers.LatencyUnknown)-1 || longest.P50 != 0 || longest.P999 != longest.Max {
		t.Errorf("%+v, error %v", longest, err)
	}
	if none, err := latenciesOf([]uint32{drivers.LatencyUnknown}); none != nil || err != nil {
		t.Errorf("%+v, error %v", none, err)
	}
}
