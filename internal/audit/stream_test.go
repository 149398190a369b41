package audit_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// The same world three times: in memory, batch by batch through memory that is
// used again, and with its sends as runs. Names aside (runs have no keys), the
// audit is the same.
func TestOneAudit(t *testing.T) {
	const seed = 11
	chance := rand.New(rand.NewPCG(seed, seed))
	for range 500 {
		w := doctorable()
		for range chance.IntN(20) {
			w.doctor(byte(chance.IntN(doctorings)), byte(chance.Uint32()), byte(chance.Uint32()))
		}
		for i := range w.Sends {
			w.Sends[i].Key = ""
		}
		want := audit.Audit(&w.Observed)
		if diff := cmp.Diff(want, stream(&w.Observed)); diff != "" {
			t.Fatalf("batch by batch (-in memory +streaming):\n%s", diff)
		}
		bulk := w.Observed
		bulk.Sends, bulk.Runs = nil, runs(w.Sends, chance)
		if diff := cmp.Diff(want, audit.Audit(&bulk)); diff != "" {
			t.Fatalf("in bulk (-sends +runs):\n%s", diff)
		}
		bulk.Sends = w.Sends[:len(w.Sends)/2]
		bulk.Runs = runs(w.Sends[len(w.Sends)/2:], chance)
		if diff := cmp.Diff(want, audit.Audit(&bulk)); diff != "" {
			t.Fatalf("half in bulk (-sends +sends and runs):\n%s", diff)
		}
	}
}

// stream hands the log over in one batch whose memory is used again and again,
// and spoilt in between. Partitions come in the order of Audit, which decides
// what is named first.
func stream(o *evidence.Observed) evidence.Trial {
	var b evidence.Batch
	var records []evidence.LogRecord
	a := audit.New(o)
	for _, p := range slices.SortedFunc(slices.Values(o.Log.Partitions), byPlace) {
		a.Partition(p.Topic, p.Partition, p.Before)
		for _, next := range p.Batches {
			records = append(records[:0], next.Records...)
			b = next
			b.Records = records
			a.Batch(&b)
			b = evidence.Batch{BaseOffset: -1, LastOffset: -1, Control: "spoilt"}
			for i := range records {
				records[i] = evidence.LogRecord{Offset: -1, Key: "spoilt"}
			}
		}
		a.End(p.After)
	}
	return a.Trial()
}

func byPlace(p, q evidence.PartitionLog) int {
	if c := strings.Compare(p.Topic, q.Topic); c != 0 {
		return c
	}
	return int(p.Partition - q.Partition)
}

// runs folds sends, but not always as far as they can be.
func runs(sends []evidence.Send, chance *rand.Rand) []evidence.Run {
	var folded []evidence.Run
	for _, s := range sends {
		r := evidence.Run{
			Topic: s.Topic, Role: s.ID.Role, Instance: s.Send.Instance, Ordinal: s.Send.Ordinal, Number: s.ID.N, Count: 1,
			Outcome: s.Outcome, Partition: s.Partition, Offset: s.Offset, NoAck: s.NoAck,
			Transaction: s.Transaction, Fenced: s.Fenced,
		}
		if n := len(folded); n > 0 && chance.IntN(4) > 0 && follows(folded[n-1], r) {
			folded[n-1].Count++
		} else {
			folded = append(folded, r)
		}
	}
	return folded
}

func follows(r, next evidence.Run) bool {
	r.Ordinal, r.Number = r.Ordinal+r.Count, r.Number+r.Count
	if r.Offset != evidence.NoOffset {
		r.Offset += int64(r.Count)
	}
	r.Count = 1
	return r == next
}

// Bulk logs as the benchmarks read them: raw through the stream, and in memory
// with each send by itself.
func TestBulk(t *testing.T) {
	const batches, perBatch = 36, 10
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			w := newBulk(t, batches, perBatch, s)
			_, got := w.audit(t, w.whole())
			if diff := cmp.Diff(s.anomalies(batches, perBatch), got.Anomalies); diff != "" {
				t.Errorf("anomalies (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(audit.Audit(w.parsed(t)), got); diff != "" {
				t.Errorf("raw and in bulk (-in memory, each send by itself +raw):\n%s", diff)
			}
		})
	}
}
