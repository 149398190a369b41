package audit_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			next := w.whole()
			for b.Loop() {
				w.audit(b, next)
			}
			b.ReportMetric(float64(b.N*w.records())/b.Elapsed().Seconds(), "records/s")
			w.reportMemory(b, next, s.anomalies(batches, perBatch))
		})
	}
}

// BenchmarkAudit20M audits twenty million records in one run. The log is made
// while the clock stands, a hundred batches at a time.
func BenchmarkAudit20M(b *testing.B) {
	if testing.Short() {
		b.Skip("takes a minute")
	}
	const batches, perBatch, pieceSize = 20_001, 1000, 100
	s := shapes()[0]
	w := newBulk(b, batches, perBatch, s)
	var piece []byte
	next := func(partition, i int) []byte {
		piece = w.raw(piece[:0], partition, i*pieceSize, (i+1)*pieceSize)
		return piece
	}
	for b.Loop() {
		w.audit(b, func(partition, i int) []byte {
			b.StopTimer()
			defer b.StartTimer()
			return next(partition, i)
		})
	}
	b.ReportMetric(float64(b.N*w.records())/b.Elapsed().Seconds(), "records/s")
	w.reportMemory(b, next, s.anomalies(batches, perBatch))
}

// reportMemory says what an auditor holds beyond what it was given, and that it
// did its work.
func (w *bulk) reportMemory(b *testing.B, next func(int, int) []byte, want []evidence.Anomaly) {
	b.StopTimer()
	before := heap()
	a, got := w.audit(b, next)
	b.ReportMetric(float64(heap()-before)/float64(w.records()), "B/record")
	b.ReportMetric(float64(a.Exceptions())/float64(w.records()), "exceptions/record")
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
