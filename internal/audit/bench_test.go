package audit_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/audit"
	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

// BenchmarkAudit audits a million records in batches of a hundred, from raw
// batches as fetched (header parsed, checksum verified): as they should be, one
// batch in three twice, and each batch swapped with its neighbour.
func BenchmarkAudit(b *testing.B) {
	const batches = 10_000
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			w := newBulk(b, batches/bulkPartitions*bulkPartitions, s)
			p := batch.NewParser()
			b.ResetTimer()
			records := 0
			for b.Loop() {
				_, got := w.audit(b, p)
				records += int(got.Counts[evidence.LogRecords])
			}
			b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
			b.StopTimer()
			w.reportMemory(b, p, float64(records)/float64(b.N))
		})
	}
}

// reportMemory says what an auditor keeps, beyond what it was given.
func (w *bulk) reportMemory(b *testing.B, p *batch.Parser, records float64) {
	before := heap()
	a, got := w.audit(b, p)
	kept := heap() - before
	b.ReportMetric(float64(kept)/records, "B/record")
	b.ReportMetric(float64(a.Exceptions())/records, "exceptions/record")
	if diff := cmp.Diff([]string(nil), got.Reasons); diff != "" {
		b.Error(diff)
	}
	runtime.KeepAlive(a)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

var _ = audit.New
