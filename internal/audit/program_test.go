package audit_test

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

const (
	processed = "kcompare-processed" // outputs of the program, one partition each
	events    = "kcompare-events"

	program   = 4 // instances: the program, and the one that took over from it
	successor = 5

	programProducer int64 = 5000 // producer id of both

	invalidOrder = 3
)

// transactional is a world with the story of process alone, that is not asked
// what its inputs were.
func transactional() *world {
	w := &world{}
	w.OneRecordPerBatch = true
	w.process()
	w.Trial = evidence.Trial{
		Kind: evidence.Promise,
		Conditions: evidence.Conditions{
			Finished: true, ReadBack: evidence.ReadBackComplete, Exchanges: int64(len(w.Trace.Exchanges)),
		},
	}
	w.Uncommitted = []evidence.Read{}
	w.Processing = nil
	w.readAll()
	return w
}

// processor is transactional with its inputs.
func processor() *world {
	w := transactional()
	w.Processing = processing()
	return w
}

func processing() *evidence.Processing {
	p := &evidence.Processing{Outputs: []string{processed, events}}
	for n := range 6 {
		p.Inputs = append(p.Inputs, evidence.Input{ID: order(n), Key: orderKey(n), Valid: n != invalidOrder})
	}
	return p
}

// process tells the story of a program that turns each of six orders into a
// record of two topics, in a transaction each. The fourth is not valid, so its
// transaction is aborted. From the fifth on a successor is at work.
func (w *world) process() {
	w.Log.Partitions = append(w.Log.Partitions, evidence.PartitionLog{Topic: processed}, evidence.PartitionLog{Topic: events})
	w.Processing = processing()
	for n := range 6 {
		instance, end := program, evidence.Commit
		if n > invalidOrder {
			instance = successor
		}
		if n == invalidOrder {
			end = evidence.Abort
		}
		w.processOrder(n, instance, end)
	}
	w.Intended += 12
}

func order(n int) evidence.RecordID { return evidence.RecordID{Role: "orders", N: n} }

func orderKey(n int) string { return fmt.Sprintf("order-%d", n) }

func eventKey(n int) string { return fmt.Sprintf("event-%d", n) }

// processOrder is one transaction, its end told and done.
func (w *world) processOrder(n, instance int, end string) {
	t := evidence.Transaction{N: len(w.Transactions) + 1, Instance: instance}
	t.Asked, t.Outcome = evidence.AskedCommit, evidence.TransactionCommitted
	if end == evidence.Abort {
		t.Asked, t.Outcome = evidence.AskedAbort, evidence.TransactionAborted
	}
	w.Transactions = append(w.Transactions, t)
	w.output(processed, orderKey(n), order(n), t)
	w.output(events, eventKey(n), order(n), t)
	for _, topic := range []string{processed, events} {
		w.mark(w.partition(topic, 0), instance, end)
	}
}

func (w *world) output(topic, key string, id evidence.RecordID, t evidence.Transaction) {
	p := w.partition(topic, 0)
	ordinal := 0
	for _, s := range w.Sends {
		if s.Send.Instance == t.Instance {
			ordinal++
		}
	}
	s := evidence.Send{
		ID: id, Key: key, Topic: topic, Send: sendID(t.Instance, ordinal, key, id), Transaction: t.N,
	}
	b := w.batchOf(p, s)
	b.ProducerID, b.ProducerEpoch, b.BaseSequence, b.Transactional = programProducer, int16(t.Instance), int32(ordinal), true
	w.ack(s, p)
	appendBatch(p, b)
	w.produce(p, b, delivered())
}

func (w *world) mark(p *evidence.PartitionLog, instance int, end string) {
	appendBatch(p, evidence.Batch{
		BaseOffset: p.After, LastOffset: p.After, ProducerID: programProducer, ProducerEpoch: int16(instance), BaseSequence: -1,
		Transactional: true, Control: end,
	})
}

// decide ends the transaction of a record in its partition in another way.
func (w *world) decide(key, end string) {
	p, i := w.find(key)
	p.Batches[i+1].Control = end
	w.readAll()
}

// transaction is that of the nth order.
func (w *world) transaction(n int) *evidence.Transaction { return &w.Transactions[n] }

// forget takes a record out of the story, as if nobody had ever sent it.
func (w *world) forget(key string) {
	w.unsend(key)
	w.lose(key)
	w.Sends = slices.DeleteFunc(w.Sends, func(s evidence.Send) bool { return s.Key == key })
}

// undecide takes the markers of the last transaction away, and with them what
// the client knew of its end.
func (w *world) undecide() {
	for _, topic := range []string{processed, events} {
		p := w.partition(topic, 0)
		p.Batches = p.Batches[:len(p.Batches)-1]
		p.After--
	}
	w.transaction(5).Outcome = evidence.TransactionUnknown
	w.readAll()
}
