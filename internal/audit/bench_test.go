//go:build unix

package audit_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

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
//
//	records/s      by the clock
//	records/cpu-s  by the processor time of the process, the garbage collector's on other cores included
//	B/record       held
//	B/entry        held beyond one bit a record, for each run, each batch in the log and each exception
func (w *bulk) benchmark(b *testing.B, next func(partition, piece int) []byte, want []evidence.Anomaly) {
	var a *audit.Auditor
	var got evidence.Trial
	before := heap()
	var making time.Duration // of the log
	made := func(partition, piece int) []byte {
		start := processorTime()
		defer func() { making += processorTime() - start }()
		return next(partition, piece)
	}
	start := processorTime()
	for b.Loop() {
		a, got = w.audit(b, made)
	}
	b.StopTimer()
	used := processorTime() - start - making
	records, held := float64(w.records()), float64(heap()-before)
	entries := float64(len(w.Runs) + w.batches() + a.Exceptions())
	b.ReportMetric(float64(b.N)*records/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(b.N)*records/used.Seconds(), "records/cpu-s")
	b.ReportMetric(held/records, "B/record")
	b.ReportMetric((held-records/8)/entries, "B/entry")
	b.ReportMetric(float64(a.Exceptions())/records, "exceptions/record")
	if diff := cmp.Diff(want, got.Anomalies); diff != "" {
		b.Errorf("anomalies (-want +got):\n%s", diff)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(next)
}

// batches is how many stand in the logs.
func (w *bulk) batches() (n int) {
	for _, log := range w.logs {
		n += len(log)
	}
	return n
}

// processorTime is what this process has used, kernel included.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
