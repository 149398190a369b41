package audit_test

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
	"kcompare/internal/partition"
)

const (
	payments = "kcompare-payments" // three partitions, keyed
	refunds  = "kcompare-refunds"  // one partition, transactions

	firstInstance  = 0 // its first send has the identity that a foreign record seems to have
	refundInstance = 2

	paymentProducer int64 = 1000 // producer ids
	refundProducer  int64 = 2000
)

// world is what an honest client, broker and proxy leave behind, and ways to
// doctor it.
type world struct{ evidence.Observed }

// honest tells the story of an idempotent producer: so many payments, one a
// batch. The answer to every third is lost once, to every ninth twice; the client
// sends it again, the broker appends nothing. Then a second producer aborts one
// transaction of two refunds and commits another.
func honest(messages int) *world {
	w := &world{}
	w.Intended = int64(messages + 4)
	w.Keys = []evidence.KeyedTopic{{Topic: payments, Partitioner: "murmur2_random", Partitions: 3}}
	w.OneRecordPerBatch = true
	for p := range int32(3) {
		w.Log.Partitions = append(w.Log.Partitions, evidence.PartitionLog{Topic: payments, Partition: p, Before: 5, After: 5})
	}
	w.Log.Partitions = append(w.Log.Partitions, evidence.PartitionLog{Topic: refunds})
	w.Trace.Exchanges = []evidence.Exchange{{N: 1, API: "Metadata", Forwarded: true, Answered: true, Delivered: true}}
	for n := range messages {
		w.pay(n)
	}
	w.refund(0, evidence.Abort)
	w.refund(2, evidence.Commit)
	w.readAll()
	w.Trial = evidence.Trial{
		Kind:   evidence.Promise,
		Counts: evidence.Counts{evidence.ProduceRequests: int64(len(w.Trace.Exchanges)) - 1},
		Conditions: evidence.Conditions{
			Finished: true, ReadBack: evidence.ReadBackComplete, Exchanges: int64(len(w.Trace.Exchanges)),
		},
	}
	return w
}

func lostAnswers(n int) int {
	switch {
	case n%9 == 0:
		return 2
	case n%3 == 0:
		return 1
	}
	return 0
}

func paymentKey(n int) string { return fmt.Sprintf("order-%04d", n) }

func (w *world) pay(n int) {
	key := paymentKey(n)
	id := evidence.RecordID{Role: "payments", N: n}
	p := w.partition(payments, partition.Murmur2([]byte(key), 3))
	s := evidence.Send{ID: id, Key: key, Topic: payments, Send: sendID(firstInstance, n, key, id)}
	b := w.batchOf(p, s)
	b.ProducerID, b.ProducerEpoch, b.BaseSequence = paymentProducer, 0, int32(len(p.Batches))
	w.ack(s, p)
	appendBatch(p, b)
	for range lostAnswers(n) {
		w.produce(p, b, evidence.Exchange{Forwarded: true, Answered: true, Fault: "drop-response"})
	}
	w.produce(p, b, delivered())
}

func (w *world) refund(from int, end string) {
	p := w.partition(refunds, 0)
	for n := from; n < from+2; n++ {
		key := fmt.Sprintf("refund-%d", n)
		id := evidence.RecordID{Role: "refunds", N: n}
		s := evidence.Send{ID: id, Key: key, Topic: refunds, Send: sendID(refundInstance, n, key, id)}
		b := w.batchOf(p, s)
		b.ProducerID, b.BaseSequence, b.Transactional = refundProducer, int32(n), true
		w.ack(s, p)
		appendBatch(p, b)
		w.produce(p, b, delivered())
	}
	appendBatch(p, evidence.Batch{
		BaseOffset: p.After, LastOffset: p.After, ProducerID: refundProducer, BaseSequence: -1,
		Transactional: true, Control: end,
	})
}

func sendID(instance, ordinal int, key string, id evidence.RecordID) evidence.SendID {
	return evidence.SendID{Instance: instance, Ordinal: ordinal, Sum: evidence.Checksum([]byte(key), nil, id)}
}

func delivered() evidence.Exchange {
	return evidence.Exchange{Forwarded: true, Answered: true, Delivered: true}
}

// batchOf is a batch of one record, to stand at the end of p.
func (w *world) batchOf(p *evidence.PartitionLog, s evidence.Send) evidence.Batch {
	return evidence.Batch{
		BaseOffset: p.After, LastOffset: p.After, ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1,
		Records: []evidence.LogRecord{{Offset: p.After, Key: s.Key, ID: s.ID, Send: s.Send, Sum: s.Send.Sum}},
	}
}

// ack notes the send as acknowledged at the end of p.
func (w *world) ack(s evidence.Send, p *evidence.PartitionLog) {
	s.Outcome, s.Partition, s.Offset = evidence.OutcomeAcked, p.Partition, p.After
	w.Sends = append(w.Sends, s)
}

func appendBatch(p *evidence.PartitionLog, b evidence.Batch) {
	p.Batches = append(p.Batches, b)
	p.After = b.LastOffset + 1
}

// produce puts a Produce request with the batch on the wire.
func (w *world) produce(p *evidence.PartitionLog, b evidence.Batch, e evidence.Exchange) {
	t := evidence.TraceBatch{
		Topic: p.Topic, Partition: p.Partition, ProducerID: b.ProducerID, ProducerEpoch: b.ProducerEpoch,
		BaseSequence: b.BaseSequence, Records: int32(len(b.Records)), BaseOffset: b.BaseOffset,
	}
	for _, r := range b.Records {
		if !r.Foreign {
			t.IDs, t.Sends = append(t.IDs, r.ID), append(t.Sends, r.Send)
		}
	}
	if e.Answered {
		t.Code = "ok"
	}
	e.N, e.API, e.Batches = int64(len(w.Trace.Exchanges)+1), "Produce", []evidence.TraceBatch{t}
	w.Trace.Exchanges = append(w.Trace.Exchanges, e)
}

// readAll lets the client's consumer return every visible record, and under
// read_uncommitted every record, where the world has such a reading.
func (w *world) readAll() {
	w.Reads = []evidence.Read{}
	if w.Uncommitted != nil {
		w.readUncommitted()
	}
	for _, p := range w.Log.Partitions {
		for r := range p.Records(func(f evidence.Fate) bool { return f == evidence.FateVisible }) {
			w.Reads = append(w.Reads, evidence.Read{
				Topic: p.Topic, Partition: p.Partition, Offset: r.Offset, ID: r.ID, Sum: r.Sum,
			})
		}
	}
}

func (w *world) readUncommitted() {
	w.Uncommitted = []evidence.Read{}
	for _, p := range w.Log.Partitions {
		for _, b := range p.Batches {
			for _, r := range b.Records {
				w.Uncommitted = append(w.Uncommitted, evidence.Read{
					Topic: p.Topic, Partition: p.Partition, Offset: r.Offset, ID: r.ID, Sum: r.Sum,
				})
			}
		}
	}
}

func (w *world) partition(topic string, n int32) *evidence.PartitionLog {
	for i := range w.Log.Partitions {
		if p := &w.Log.Partitions[i]; p.Topic == topic && p.Partition == n {
			return p
		}
	}
	panic(fmt.Sprintf("no partition %s-%d", topic, n))
}

// find is where the first copy of a record stands.
func (w *world) find(key string) (p *evidence.PartitionLog, batch int) {
	for i := range w.Log.Partitions {
		p := &w.Log.Partitions[i]
		at := slices.IndexFunc(p.Batches, func(b evidence.Batch) bool {
			return len(b.Records) > 0 && b.Records[0].Key == key
		})
		if at >= 0 {
			return p, at
		}
	}
	panic("no record " + key)
}

func (w *world) send(key string) *evidence.Send {
	return &w.Sends[slices.IndexFunc(w.Sends, func(s evidence.Send) bool { return s.Key == key })]
}

// requests are the Produce requests that carried a record.
func (w *world) requests(key string) []*evidence.Exchange {
	id := w.send(key).Send
	var found []*evidence.Exchange
	for i := range w.Trace.Exchanges {
		e := &w.Trace.Exchanges[i]
		if len(e.Batches) > 0 && slices.Contains(e.Batches[0].Sends, id) {
			found = append(found, e)
		}
	}
	return found
}

// unsend takes every request that carried a record out of the trace.
func (w *world) unsend(key string) {
	id := w.send(key).Send
	w.Trace.Exchanges = slices.DeleteFunc(w.Trace.Exchanges, func(e evidence.Exchange) bool {
		return len(e.Batches) > 0 && slices.Contains(e.Batches[0].Sends, id)
	})
}

// shift moves everything from an offset of a partition on, and what was said of
// it, so that nothing else than the hole or its absence is left behind.
func (w *world) shift(p *evidence.PartitionLog, from, by int64) {
	for i := range p.Batches {
		b := &p.Batches[i]
		if b.BaseOffset < from {
			continue
		}
		b.BaseOffset += by
		b.LastOffset += by
		for j := range b.Records {
			b.Records[j].Offset += by
		}
	}
	for i := range w.Sends {
		if s := &w.Sends[i]; s.Topic == p.Topic && s.Partition == p.Partition && s.Offset >= from {
			s.Offset += by
		}
	}
	p.After += by
}

// lose takes a record out of the log as if the broker had never written it.
func (w *world) lose(key string) {
	p, i := w.find(key)
	offset := p.Batches[i].BaseOffset
	p.Batches = slices.Delete(p.Batches, i, i+1)
	w.shift(p, offset+1, -1)
	w.readAll()
}

// repeat writes a second copy of a record at the end of its partition, with a
// request that brought it. change makes the copy differ.
func (w *world) repeat(key string, change func(*evidence.Batch)) {
	p, i := w.find(key)
	b := p.Batches[i]
	b.Records = slices.Clone(b.Records)
	b.BaseOffset, b.LastOffset, b.Records[0].Offset = p.After, p.After, p.After
	change(&b)
	appendBatch(p, b)
	w.produce(p, b, delivered())
	w.readAll()
}

// resend has an instance send a logical record once more, acknowledged.
func (w *world) resend(key string, instance, ordinal int, change func(*evidence.Batch)) {
	p, _ := w.find(key)
	s := *w.send(key)
	s.Send.Instance, s.Send.Ordinal = instance, ordinal
	w.ack(s, p)
	w.repeat(key, func(b *evidence.Batch) {
		b.Records[0].Send = s.Send
		change(b)
	})
}

// forgetProducer makes a record one that was written without a producer id.
func (w *world) forgetProducer(key string) {
	p, i := w.find(key)
	p.Batches[i].ProducerID, p.Batches[i].ProducerEpoch, p.Batches[i].BaseSequence = -1, -1, -1
	for _, e := range w.requests(key) {
		b := &e.Batches[0]
		b.ProducerID, b.ProducerEpoch, b.BaseSequence = -1, -1, -1
	}
}

// swap exchanges two neighbours of a partition; the client is told the truth.
func (w *world) swap(p *evidence.PartitionLog, i int) {
	x, y := &p.Batches[i], &p.Batches[i+1]
	*x, *y = *y, *x
	x.BaseOffset, y.BaseOffset = y.BaseOffset, x.BaseOffset
	x.LastOffset, y.LastOffset = y.LastOffset, x.LastOffset
	for _, b := range []*evidence.Batch{x, y} {
		b.Records[0].Offset = b.BaseOffset
		w.send(b.Records[0].Key).Offset = b.BaseOffset
	}
	w.readAll()
}

// merge makes two neighbours one batch, in the log alone.
func (w *world) merge(p *evidence.PartitionLog, i int) {
	x, y := &p.Batches[i], p.Batches[i+1]
	x.LastOffset, x.Records = y.LastOffset, append(x.Records, y.Records...)
	p.Batches = slices.Delete(p.Batches, i+1, i+2)
}

// reverse turns the order of n neighbours around.
func (w *world) reverse(p *evidence.PartitionLog, i, n int) {
	for last := i + n - 1; last > i; last-- {
		for j := i; j < last; j++ {
			w.swap(p, j)
		}
	}
}

// move puts a record at the end of another partition of its topic.
func (w *world) move(key string, told bool) {
	from, i := w.find(key)
	b := from.Batches[i]
	w.lose(key)
	to := w.partition(from.Topic, (from.Partition+1)%3)
	b.BaseOffset, b.LastOffset, b.Records[0].Offset = to.After, to.After, to.After
	b.BaseSequence = int32(len(to.Batches))
	if told {
		w.send(key).Partition, w.send(key).Offset = to.Partition, to.After
	}
	for _, e := range w.requests(key) {
		e.Batches[0].Partition, e.Batches[0].BaseSequence = to.Partition, b.BaseSequence
	}
	appendBatch(to, b)
	w.readAll()
}
