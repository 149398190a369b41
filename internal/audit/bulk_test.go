package audit_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/audit"
	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

// bulk is what a producer leaves behind that fills one partition after the
// other, batch by batch: runs, a trace of batch headers, and logs as fetched.
type bulk struct {
	evidence.Observed
	raw   [bulkPartitions][]byte
	after [bulkPartitions]int64
}

const (
	bulkPartitions       = 3
	bulkProducer   int64 = 7000 // producer id
	perBatch             = 100
	bulkRole             = "payments"
)

// shape is the order in which the batches of a partition stand in its log.
type shape struct {
	name      string
	producer  int64
	order     func(batches []int) []int
	anomalies func(batches int64) []evidence.Anomaly
}

func shapes() []shape {
	const none = -1 // producer id
	duplicates := func(cause string) func(int64) []evidence.Anomaly {
		return func(batches int64) []evidence.Anomaly {
			return []evidence.Anomaly{{Kind: evidence.Duplicate, Count: batches / 3 * perBatch, Cause: cause, First: "payments/0"}}
		}
	}
	return []shape{
		{"clean", bulkProducer, slices.Clone[[]int], func(int64) []evidence.Anomaly { return []evidence.Anomaly{} }},
		{"duplicates", none, repeatEveryThird, duplicates(audit.DuplicateNoProducer)},
		{"duplicates-renumbered", bulkProducer, repeatEveryThird, duplicates(audit.DuplicateRenumbered)},
		{"reordered", bulkProducer, swapNeighbours, func(batches int64) []evidence.Anomaly {
			return []evidence.Anomaly{
				{Kind: evidence.Reordered, Count: batches / 2 * perBatch, Cause: audit.ReorderedLater, First: "payments/300"},
			}
		}},
	}
}

func repeatEveryThird(batches []int) (order []int) {
	for i, n := range batches {
		order = append(order, n)
		if i%3 == 0 {
			order = append(order, n)
		}
	}
	return order
}

func swapNeighbours(batches []int) []int {
	order := slices.Clone(batches)
	for i := 0; i+1 < len(order); i += 2 {
		order[i], order[i+1] = order[i+1], order[i]
	}
	return order
}

// newBulk makes so many batches of a hundred records, the same number for each
// partition.
func newBulk(tb testing.TB, batches int, s shape) *bulk {
	w := &bulk{}
	w.Intended = int64(batches * perBatch)
	w.Trial.Conditions = evidence.Conditions{Finished: true, ReadBack: evidence.ReadBackComplete}
	w.Runs = make([]evidence.Run, batches)
	for p := range bulkPartitions {
		own := make([]int, 0, batches/bulkPartitions)
		for n := p; n < batches; n += bulkPartitions {
			own = append(own, n)
		}
		for _, n := range s.order(own) {
			w.write(tb, p, n, s.producer)
		}
	}
	return w
}

// write appends the nth batch to the log of a partition, and tells the client so
// if it stands there for the first time. A producer gives each copy sequences of
// its own.
func (w *bulk) write(tb testing.TB, partition, n int, producer int64) {
	base := w.after[partition]
	if w.Runs[n].Count == 0 {
		w.Runs[n] = evidence.Run{
			Topic: payments, Role: bulkRole, Ordinal: n * perBatch, Number: n * perBatch, Count: perBatch,
			Outcome: evidence.OutcomeAcked, Partition: int32(partition), Offset: base,
		}
	}
	b := kmsg.RecordBatch{FirstOffset: base, ProducerID: producer, ProducerEpoch: 0, FirstSequence: int32(base)}
	if producer < 0 {
		b.ProducerEpoch, b.FirstSequence = -1, -1
	}
	raw, err := batch.Encode(b, kgo.NoCompression(), bulkRecords(n)...)
	if err != nil {
		tb.Fatal(err)
	}
	w.raw[partition] = append(w.raw[partition], raw...)
	w.after[partition] += perBatch
	w.Trace.Exchanges = append(w.Trace.Exchanges, evidence.Exchange{
		API: "Produce", Forwarded: true, Answered: true, Delivered: true,
		Batches: []evidence.TraceBatch{{
			Topic: payments, Partition: int32(partition), ProducerID: producer, ProducerEpoch: b.ProducerEpoch,
			BaseSequence: b.FirstSequence, Records: perBatch, BaseOffset: base, Code: "ok",
		}},
	})
}

// bulkRecords are those of the nth batch, about 120 bytes each.
func bulkRecords(n int) []kmsg.Record {
	records := make([]kmsg.Record, perBatch)
	for i := range records {
		number := n*perBatch + i
		id := evidence.RecordID{Role: bulkRole, N: number}
		key, value := []byte(fmt.Sprintf("order-%07d", number)), []byte(fmt.Sprintf("payment-%040d", number))
		send := evidence.SendID{Ordinal: number, Sum: evidence.Checksum(key, value, id)}
		records[i] = kmsg.Record{Key: key, Value: value, Headers: []kmsg.Header{
			{Key: evidence.IDHeader, Value: []byte(id.String())},
			{Key: evidence.SendHeader, Value: []byte(send.String())},
		}}
	}
	return records
}

// audit reads the logs as fetched, batch by batch.
func (w *bulk) audit(tb testing.TB, p *batch.Parser) (*audit.Auditor, evidence.Trial) {
	a := audit.New(&w.Observed)
	take := func(b evidence.Batch) error {
		a.Batch(&b)
		return nil
	}
	for i, raw := range w.raw {
		a.Partition(payments, int32(i), 0)
		if _, err := p.Parse(raw, take); err != nil {
			tb.Fatal(err)
		}
		a.End(w.after[i])
	}
	return a, a.Trial()
}

// parsed is the same world with its log in memory and each send by itself.
func (w *bulk) parsed(tb testing.TB) *evidence.Observed {
	o := w.Observed
	o.Runs = nil
	for _, r := range w.Runs {
		for i := range r.Count {
			s := evidence.Send{
				ID:   evidence.RecordID{Role: r.Role, N: r.Number + i},
				Send: evidence.SendID{Ordinal: r.Ordinal + i}, Topic: r.Topic, Outcome: r.Outcome,
				Partition: r.Partition, Offset: r.Offset + int64(i),
			}
			key, value := fmt.Sprintf("order-%07d", s.ID.N), fmt.Sprintf("payment-%040d", s.ID.N)
			s.Send.Sum = evidence.Checksum([]byte(key), []byte(value), s.ID)
			o.Sends = append(o.Sends, s)
		}
	}
	for i, raw := range w.raw {
		log := evidence.PartitionLog{Topic: payments, Partition: int32(i), After: w.after[i]}
		if _, err := batch.NewParser().Parse(raw, func(b evidence.Batch) error {
			b.Records = slices.Clone(b.Records)
			log.Batches = append(log.Batches, b)
			return nil
		}); err != nil {
			tb.Fatal(err)
		}
		o.Log.Partitions = append(o.Log.Partitions, log)
	}
	return &o
}

var _ = strconv.Itoa
