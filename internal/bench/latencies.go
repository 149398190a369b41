package bench

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// longestLatency is what drivers.Produced can tell, in microseconds.
const longestLatency = int64(drivers.LatencyUnknown) - 1

// latenciesOf sums up microseconds, to three digits but for the largest, which is exact.
// What is unknown is left out, so that Count tells whether anything is. Nil if nothing
// is known.
func latenciesOf(microseconds []uint32) (*evidence.BenchLatencies, error) {
	h := hdrhistogram.New(1, longestLatency, 3)
	var longest int64
	for _, one := range microseconds {
		if one == drivers.LatencyUnknown {
			continue
		}
		if err := h.RecordValue(int64(one)); err != nil {
			return nil, fmt.Errorf("a latency of %d microseconds: %w", one, err)
		}
		longest = max(longest, int64(one))
	}
	if h.TotalCount() == 0 {
		return nil, nil
	}
	packed, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encode latencies: %w", err)
	}
	at := func(percent float64) int64 { return min(h.ValueAtPercentile(percent), longest) }
	return &evidence.BenchLatencies{
		Count: h.TotalCount(), P50: at(50), P95: at(95), P99: at(99), P999: at(99.9), Max: longest,
		Histogram: string(packed),
	}, nil
}
