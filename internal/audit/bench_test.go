package audit_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// BenchmarkAudit audits a million records and more, in batches of a hundred, from
// raw batches as fetched (header parsed, checksum verified): as they should be,
// one batch in three twice, and each batch swapped with its neighbour.
func BenchmarkAudit(b *testing.B) {
	const batches, perBatch = 10_008, 100
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			w := newBulk(b, batches, perBatch, s)
			w.benchmark(b, w.whole(), s.anomalies(batches, perBatch))
		})
	}
}

// BenchmarkAudit20M audits twenty million records in one run. The log is made
// while the clock stands, a hundred batches at a time.
func BenchmarkAudit20M(b *testing.B) {
	if testing.Short() {
		b.Skip("takes half a minute")
	}
	const batches, perBatch, atOnce = 20_001, 1000, 100
	s := shapes()[0]
	w := newBulk(b, batches, perBatch, s)
	raw := w.raw(nil, 0, 0, atOnce)
	w.benchmark(b, func(partition, piece int) []byte {
		b.StopTimer()
		defer b.StartTimer()
		raw = w.raw(raw[:0], partition, piece*atOnce, (piece+1)*atOnce)
		return raw
	}, s.anomalies(batches, perBatch))
}

// benchmark reports how fast the audit was and what the auditor holds in the end,
// beyond what it was given. What it found is compared, so that it did its work.
func (w *bulk) benchmark(b *testing.B, next func(partition, piece int) []byte, want []evidence.Anomaly) {
	var a *audit.Auditor
	var got evidence.Trial
	before := heap()
	for b.Loop() {
		a, got = w.audit(b, next)
	}
	b.StopTimer()
	records := float64(w.records())
	b.ReportMetric(float64(b.N)*records/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(heap()-before)/records, "B/record")
	b.ReportMetric(float64(a.Exceptions())/records, "exceptions/record")
	if diff := cmp.Diff(want, got.Anomalies); diff != "" {
		b.Errorf("anomalies (-want +got):\n%s", diff)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(next)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
