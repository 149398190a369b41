package audit_test

import (
	"runtime"
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
	"kcompare/internal/partition"
)

// BenchmarkAudit audits a million records in batches of a hundred, read once by
// the client: as they should be, one batch in three twice, and each batch
// swapped with its neighbour.
func BenchmarkAudit(b *testing.B) {
	for name, shape := range map[string]func(*bulk){
		"clean":      func(*bulk) {},
		"duplicates": (*bulk).repeatEveryThird,
		"reordered":  (*bulk).swapNeighbours,
	} {
		b.Run(name, func(b *testing.B) {
			w := newBulk(1_000_000)
			shape(w)
			w.readAll()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			records := 0
			for b.Loop() {
				got := audit.Audit(&w.Observed)
				records += int(got.Counts[evidence.LogRecords])
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(records), "B/record")
		})
	}
}

// bulk is a world with large batches.
type bulk struct{ world }

const perBatch = 100

func newBulk(records int) *bulk {
	w := &bulk{}
	w.Intended = int64(records)
	w.Trial.Conditions = evidence.Conditions{Finished: true, ReadBack: evidence.ReadBackComplete}
	w.Keys = []evidence.KeyedTopic{{Topic: payments, Partitioner: "murmur2_random", Partitions: 3}}
	for p := range int32(3) {
		w.Log.Partitions = append(w.Log.Partitions, evidence.PartitionLog{Topic: payments, Partition: p})
	}
	waiting := [3][]evidence.Send{}
	for n := range records {
		key := paymentKey(n)
		id := evidence.RecordID{Role: "payments", N: n}
		p := partition.Murmur2([]byte(key), 3)
		s := evidence.Send{ID: id, Key: key, Topic: payments, Send: sendID(firstInstance, n, key, id), Outcome: evidence.OutcomeAcked, Partition: p}
		s.Offset = w.Log.Partitions[p].After + int64(len(waiting[p]))
		w.Sends = append(w.Sends, s)
		if waiting[p] = append(waiting[p], s); len(waiting[p]) == perBatch {
			w.flush(p, waiting[p])
			waiting[p] = waiting[p][:0]
		}
	}
	for p := range int32(3) {
		w.flush(p, waiting[p])
	}
	return w
}

func (w *bulk) flush(partition int32, sends []evidence.Send) {
	if len(sends) == 0 {
		return
	}
	p := &w.Log.Partitions[partition]
	b := evidence.Batch{
		BaseOffset: p.After, LastOffset: p.After + int64(len(sends)) - 1,
		ProducerID: paymentProducer, BaseSequence: int32(p.After),
	}
	for i, s := range sends {
		b.Records = append(b.Records, evidence.LogRecord{
			Offset: p.After + int64(i), Key: s.Key, ID: s.ID, Send: s.Send, Sum: s.Send.Sum,
		})
	}
	appendBatch(p, b)
	w.produce(p, b, delivered())
}

// repeatEveryThird writes one batch in three a second time, renumbered.
func (w *bulk) repeatEveryThird() {
	for i := range w.Log.Partitions {
		p := &w.Log.Partitions[i]
		var batches []evidence.Batch
		for j, b := range p.Batches {
			batches = append(batches, b)
			if j%3 == 0 {
				b.BaseSequence += 1 << 30
				batches = append(batches, b)
				w.produce(p, b, delivered())
			}
		}
		p.Batches = batches
		w.renumber(p)
	}
}

func (w *bulk) swapNeighbours() {
	for i := range w.Log.Partitions {
		p := &w.Log.Partitions[i]
		for j := 0; j+1 < len(p.Batches); j += 2 {
			p.Batches[j], p.Batches[j+1] = p.Batches[j+1], p.Batches[j]
		}
		w.renumber(p)
	}
}

// renumber gives every record the offset at which it stands now, and tells the
// client.
func (w *bulk) renumber(p *evidence.PartitionLog) {
	p.After = 0
	for i := range p.Batches {
		b := &p.Batches[i]
		records := make([]evidence.LogRecord, len(b.Records))
		copy(records, b.Records)
		b.BaseOffset, b.LastOffset, b.Records = p.After, p.After+int64(len(records))-1, records
		for j := range records {
			records[j].Offset = p.After + int64(j)
			w.Sends[records[j].Send.Ordinal].Offset = records[j].Offset
		}
		p.After = b.LastOffset + 1
	}
}
