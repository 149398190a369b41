package audit_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/audit"
	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

// bulk is what a producer leaves behind that fills three partitions in turn, a
// batch each: runs, a trace of batch headers, and logs as fetched.
type bulk struct {
	evidence.Observed
	perBatch int
	logs     [bulkPartitions][]int // the batches as they stand there, by number
	producer int64
	pattern  *pattern
}

const (
	bulkPartitions = 3
	bulkRole       = "payments"

	bulkProducer int64 = 7000 // producer id
	noProducer   int64 = -1
)

// shape is how a log differs from what was sent.
type shape struct {
	name      string
	producer  int64
	order     func(batches []int) []int
	anomalies func(batches, perBatch int) []evidence.Anomaly
}

func shapes() []shape {
	third := func(cause string) func(int, int) []evidence.Anomaly {
		return func(batches, perBatch int) []evidence.Anomaly {
			return []evidence.Anomaly{
				{Kind: evidence.Duplicate, Count: int64(batches / 3 * perBatch), Cause: cause, First: "payments/0"},
			}
		}
	}
	half := func(batches, perBatch int) []evidence.Anomaly {
		return []evidence.Anomaly{{
			Kind: evidence.Reordered, Count: int64(batches / 2 * perBatch), Cause: audit.ReorderedLater,
			First: fmt.Sprintf("payments/%d", bulkPartitions*perBatch),
		}}
	}
	return []shape{
		{"clean", bulkProducer, slices.Clone[[]int], func(int, int) []evidence.Anomaly { return []evidence.Anomaly{} }},
		{"duplicates", noProducer, repeatEveryThird, third(audit.DuplicateNoProducer)},
		{"duplicates-renumbered", bulkProducer, repeatEveryThird, third(audit.DuplicateRenumbered)},
		{"reordered", bulkProducer, swapNeighbours, half},
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

func newBulk(tb testing.TB, batches, perBatch int, s shape) *bulk {
	w := &bulk{perBatch: perBatch, producer: s.producer, pattern: newPattern(tb, perBatch, s.producer)}
	w.Intended = int64(batches * perBatch)
	w.Trial.Conditions = evidence.Conditions{Finished: true, ReadBack: evidence.ReadBackComplete}
	w.Runs = make([]evidence.Run, batches)
	for p := range bulkPartitions {
		var own []int
		for n := p; n < batches; n += bulkPartitions {
			own = append(own, n)
		}
		w.logs[p] = s.order(own)
		for i, n := range w.logs[p] {
			w.tell(p, n, int64(i*perBatch))
		}
	}
	return w
}

// tell notes what client and proxy saw of the nth batch, as it stands at an
// offset. The client knows of the first copy.
func (w *bulk) tell(partition, n int, offset int64) {
	if w.Runs[n].Count == 0 {
		w.Runs[n] = evidence.Run{
			Topic: payments, Role: bulkRole, Ordinal: n * w.perBatch, Number: n * w.perBatch, Count: w.perBatch,
			Outcome: evidence.OutcomeAcked, Partition: int32(partition), Offset: offset,
		}
	}
	b := evidence.TraceBatch{
		Topic: payments, Partition: int32(partition), ProducerID: w.producer, BaseSequence: int32(offset),
		Records: int32(w.perBatch), BaseOffset: offset, Code: "ok",
	}
	if w.producer < 0 {
		b.ProducerEpoch, b.BaseSequence = -1, -1
	}
	w.Trace.Exchanges = append(w.Trace.Exchanges, evidence.Exchange{
		API: "Produce", Forwarded: true, Answered: true, Delivered: true, Batches: []evidence.TraceBatch{b},
	})
}

// raw appends batches of a log as fetched, from one index in logs to another. A
// producer gives every copy sequences of its own.
func (w *bulk) raw(dst []byte, partition, from, to int) []byte {
	for i := from; i < min(to, len(w.logs[partition])); i++ {
		dst = append(dst, w.pattern.batch(w.logs[partition][i]*w.perBatch, int64(i*w.perBatch))...)
	}
	return dst
}

func (w *bulk) after(partition int) int64 { return int64(len(w.logs[partition]) * w.perBatch) }

func (w *bulk) records() (n int) {
	for _, log := range w.logs {
		n += len(log) * w.perBatch
	}
	return n
}

// audit reads the logs, which next hands out piece by piece.
func (w *bulk) audit(tb testing.TB, next func(partition, piece int) []byte) (*audit.Auditor, evidence.Trial) {
	a, p := audit.New(&w.Observed), batch.NewParser()
	take := func(b evidence.Batch) error {
		a.Batch(&b)
		return nil
	}
	for i := range bulkPartitions {
		a.Partition(payments, int32(i), 0)
		for piece := 0; ; piece++ {
			raw := next(i, piece)
			if len(raw) == 0 {
				break
			}
			if _, err := p.Parse(raw, take); err != nil {
				tb.Fatal(err)
			}
		}
		a.End(w.after(i))
	}
	return a, a.Trial()
}

// whole hands out the logs in one piece each.
func (w *bulk) whole() func(partition, piece int) []byte {
	var raw [bulkPartitions][]byte
	for i := range raw {
		raw[i] = w.raw(make([]byte, 0, len(w.logs[i])*len(w.pattern.raw)), i, 0, len(w.logs[i]))
	}
	return func(partition, piece int) []byte {
		if piece > 0 {
			return nil
		}
		return raw[partition]
	}
}

// parsed is the same world with its log in memory and each send by itself.
func (w *bulk) parsed(tb testing.TB) *evidence.Observed {
	o := w.Observed
	o.Runs = nil
	for _, r := range w.Runs {
		for i := range r.Count {
			s := evidence.Send{
				ID: evidence.RecordID{Role: r.Role, N: r.Number + i}, Topic: r.Topic, Outcome: r.Outcome,
				Partition: r.Partition, Offset: r.Offset + int64(i),
			}
			key, value := fmt.Sprintf(keyPrefix+"%08d", s.ID.N), fmt.Sprintf(valuePrefix+"%08d", s.ID.N)
			s.Send = evidence.SendID{Ordinal: r.Ordinal + i, Sum: evidence.Checksum([]byte(key), []byte(value), s.ID)}
			o.Sends = append(o.Sends, s)
		}
	}
	next := w.whole()
	for i := range bulkPartitions {
		log := evidence.PartitionLog{Topic: payments, Partition: int32(i), After: w.after(i)}
		keep := func(b evidence.Batch) error {
			b.Records = slices.Clone(b.Records)
			log.Batches = append(log.Batches, b)
			return nil
		}
		if _, err := batch.NewParser().Parse(next(i, 0), keep); err != nil {
			tb.Fatal(err)
		}
		o.Log.Partitions = append(o.Log.Partitions, log)
	}
	return &o
}

// pattern is the bytes of one batch, of which only numbers, checksums and header
// have to change for any other one. Records have about 120 bytes.
type pattern struct {
	raw     []byte
	numbers []int // where they stand, four a record
	sums    []int
	summer  evidence.Summer
}

const (
	numberPlace = "########"
	sumPlace    = "$$$$$$$$"
	keyPrefix   = "order-"
	valuePrefix = "payment-of-40-bytes-for-order-"
)

func newPattern(tb testing.TB, records int, producer int64) *pattern {
	r := kmsg.Record{Key: []byte(keyPrefix + numberPlace), Value: []byte(valuePrefix + numberPlace), Headers: []kmsg.Header{
		{Key: evidence.IDHeader, Value: []byte(bulkRole + "/" + numberPlace)},
		{Key: evidence.SendHeader, Value: []byte("0/" + numberPlace + "/" + sumPlace)},
	}}
	b := kmsg.RecordBatch{ProducerID: producer}
	if producer < 0 {
		b.ProducerEpoch, b.FirstSequence = -1, -1
	}
	raw, err := batch.Encode(b, kgo.NoCompression(), slices.Repeat([]kmsg.Record{r}, records)...)
	if err != nil {
		tb.Fatal(err)
	}
	return &pattern{raw: raw, numbers: places(raw, numberPlace), sums: places(raw, sumPlace)}
}

func places(raw []byte, mark string) (at []int) {
	for from := 0; ; {
		i := bytes.Index(raw[from:], []byte(mark))
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(mark)
	}
}

// batch is the one whose records count up from a number, at an offset. It is
// valid until the next call.
func (p *pattern) batch(number int, offset int64) []byte {
	for i := range p.sums {
		p.setRecord(i, number+i)
	}
	binary.BigEndian.PutUint64(p.raw, uint64(offset)) // where KIP-98 puts the fields
	if producerID := int64(binary.BigEndian.Uint64(p.raw[43:])); producerID >= 0 {
		binary.BigEndian.PutUint32(p.raw[53:], uint32(offset))
	}
	binary.BigEndian.PutUint32(p.raw[17:], crc32.Checksum(p.raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return p.raw
}

// setRecord writes number and checksum of the record at an index: key, value, id
// and send have the number, in this order.
func (p *pattern) setRecord(i, number int) {
	var digits [len(numberPlace)]byte
	for n, d := number, len(digits)-1; d >= 0; n, d = n/10, d-1 {
		digits[d] = byte('0' + n%10)
	}
	places := p.numbers[4*i : 4*i+4]
	for _, at := range places {
		copy(p.raw[at:], digits[:])
	}
	key := p.raw[places[0]-len(keyPrefix) : places[0]+len(digits)]
	value := p.raw[places[1]-len(valuePrefix) : places[1]+len(digits)]
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], p.summer.Sum(key, value, evidence.RecordID{Role: bulkRole, N: number}))
	hex.Encode(p.raw[p.sums[i]:], sum[:])
}
