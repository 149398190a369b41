package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Variants of sequence whose batches are made by hand. Each is a list of batches and of
// what the broker has to say to each; a batch with the same payments and numbers as an
// earlier one is that one, sent again.

// handmade is such a variant.
type handmade struct {
	name, claim, about string
	kind               evidence.Kind // Promise where it is not said
	acks               int16
	steps              []batchStep
	log                string // payments that stand in the log in the end, by offset

	lost       int               // payments that are acknowledged and dropped
	settings   map[string]string // beside acks=all and enable.idempotence=true
	needsKafka string
	restarts   int // the broker restarts when this payment arrives; 0: it does not
}

// batchStep is one batch.
type batchStep struct {
	asks     string
	by       batchSender
	epoch    int16 // so many later than the one handed out
	sequence int32
	payments []int
	says     string
}

// batchSender is whose producer id a batch has.
type batchSender int

const (
	askedID         batchSender = iota // got its id from InitProducerId
	otherProducerID                    // another one, without transactions
	madeUpID                           // an id that nobody handed out
)

// madeUp is an id far beyond what a broker has handed out.
const madeUp = 4_000_000_000_000

// acksAll is acks=all in a request.
const acksAll = -1

// largestSequence is the sequence number before 0.
const largestSequence = 1<<31 - 1

func handmadeVariants() []Variant {
	var all []Variant
	for _, h := range slices.Concat(handmadeNumbers(), handmadeEpochs(), handmadeAcks(), handmadeKafka()) {
		all = append(all, h.variant())
	}
	return all
}

// numbered is the numbers of payments from one up to another, both included.
func numbered(from, to int) []int {
	var numbers []int
	for n := from; n <= to; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

func handmadeNumbers() []handmade {
	return []handmade{
		{
			name: "batch=next", claim: "the next sequence number is accepted; numbers start at 0 and count records",
			about: "one batch after the other, each with the number behind the last one.",
			acks:  acksAll, log: "0 1 2 3 4 5",
			steps: []batchStep{
				{asks: "sequence 0, the first", sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 1, three records", sequence: 1, payments: numbered(1, 3), says: saysOK(1)},
				{asks: "sequence 4", sequence: 4, payments: numbered(4, 4), says: saysOK(4)},
				{asks: "sequence 5", sequence: 5, payments: numbered(5, 5), says: saysOK(5)},
			},
		},
		{
			name: "batch=repeated", claim: "a batch that comes again is answered as written, with its first offset, and not appended",
			about: "the last batch comes again, twice.",
			acks:  acksAll, log: "0 1 2",
			steps: []batchStep{
				{asks: "sequence 0", sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 1", sequence: 1, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 1 again", sequence: 1, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 1 once more", sequence: 1, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 2", sequence: 2, payments: numbered(2, 2), says: saysOK(2)},
			},
		},
		{
			name: "batch=repeated,value=other", kind: evidence.Control,
			claim: "the value is not compared: another record under a used number is acknowledged and not written",
			about: "another payment comes under the sequence number of the last one.",
			acks:  acksAll, log: "0 1 3", lost: 1,
			steps: []batchStep{
				{asks: "sequence 0", sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 1", sequence: 1, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 1, another payment", sequence: 1, payments: numbered(2, 2), says: saysOK(1)},
				{asks: "sequence 2", sequence: 2, payments: numbered(3, 3), says: saysOK(2)},
			},
		},
		{
			name: "batch=gap", claim: "a sequence number that was left out is missed, and the batch behind it refused",
			about: "a batch leaves a number out; then others come with the missing number and with the refused one.",
			acks:  acksAll, log: "0 2 3",
			steps: []batchStep{
				{asks: "sequence 0", sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 2, without 1", sequence: 2, payments: numbered(1, 1), says: outOfOrder.name},
				{asks: "sequence 1", sequence: 1, payments: numbered(2, 2), says: saysOK(1)},
				{asks: "sequence 2", sequence: 2, payments: numbered(3, 3), says: saysOK(2)},
			},
		},
		{
			name: "batch=replayed", claim: "the last five batches are recognised, each with its first offset; an older one is refused",
			about: "six batches; then each of them comes again, the last one first.",
			acks:  acksAll, log: "0 1 2 3 4 5",
			steps: []batchStep{
				{asks: "sequence 0", sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 1", sequence: 1, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 2", sequence: 2, payments: numbered(2, 2), says: saysOK(2)},
				{asks: "sequence 3", sequence: 3, payments: numbered(3, 3), says: saysOK(3)},
				{asks: "sequence 4", sequence: 4, payments: numbered(4, 4), says: saysOK(4)},
				{asks: "sequence 5", sequence: 5, payments: numbered(5, 5), says: saysOK(5)},
				{asks: "sequence 5 again, the last", sequence: 5, payments: numbered(5, 5), says: saysOK(5)},
				{asks: "sequence 4 again", sequence: 4, payments: numbered(4, 4), says: saysOK(4)},
				{asks: "sequence 3 again", sequence: 3, payments: numbered(3, 3), says: saysOK(3)},
				{asks: "sequence 2 again", sequence: 2, payments: numbered(2, 2), says: saysOK(2)},
				{asks: "sequence 1 again, the fifth", sequence: 1, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 0 again, the sixth", sequence: 0, payments: numbered(0, 0), says: outOfOrder.name},
			},
		},
		{
			name: "batch=overlap", claim: "only whole batches are recognised: one that shares some records with an earlier one is refused",
			about: "a batch of three payments; then others with some of the same.",
			acks:  acksAll, log: "0 1 2 3",
			steps: []batchStep{
				{asks: "sequence 0 to 2", sequence: 0, payments: numbered(0, 2), says: saysOK(0)},
				{asks: "its first two again", sequence: 0, payments: numbered(0, 1), says: outOfOrder.name},
				{asks: "its last two and a new one", sequence: 1, payments: numbered(1, 3), says: outOfOrder.name},
				{asks: "all three and a new one", sequence: 0, payments: numbered(0, 3), says: outOfOrder.name},
				{asks: "all three", sequence: 0, payments: numbered(0, 2), says: saysOK(0)},
				{asks: "the new one", sequence: 3, payments: numbered(3, 3), says: saysOK(3)},
			},
		},
	}
}

func handmadeEpochs() []handmade {
	return []handmade{
		{
			name: "epoch=old", claim: "a batch with an epoch before the last one is refused",
			about: "the producer goes over to the next epoch, and a batch of the one before comes late.",
			acks:  acksAll, log: "0 1 3",
			steps: []batchStep{
				{asks: "sequence 0", sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "next epoch, sequence 0", epoch: 1, sequence: 0, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "epoch before, sequence 1", sequence: 1, payments: numbered(2, 2), says: invalidEpoch.name},
				{asks: "next epoch, sequence 1", epoch: 1, sequence: 1, payments: numbered(3, 3), says: saysOK(2)},
			},
		},
		{
			name: "epoch=raised", claim: "a new epoch starts at 0, and is refused with any other number",
			about: "the producer raises its epoch by itself, as libraries do after an error (KIP-360), and goes on counting; then it starts at 0.",
			acks:  acksAll, log: "0 1",
			steps: []batchStep{
				{asks: "sequence 0", sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "next epoch, sequence 1", epoch: 1, sequence: 1, payments: numbered(1, 1), says: outOfOrder.name},
				{asks: "next epoch, sequence 0", epoch: 1, sequence: 0, payments: numbered(1, 1), says: saysOK(1)},
			},
		},
		{
			name: "producer=fresh", claim: "the first batch of a new producer id is accepted with any number, and the next one has to follow it",
			about: "the partition has a record of another producer; then a new one begins with sequence 3.",
			acks:  acksAll, log: "0 1 2",
			steps: []batchStep{
				{asks: "another producer, sequence 0", by: otherProducerID, sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "a new one, sequence 3", sequence: 3, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 5, without 4", sequence: 5, payments: numbered(2, 2), says: outOfOrder.name},
				{asks: "sequence 4", sequence: 4, payments: numbered(2, 2), says: saysOK(2)},
			},
		},
		{
			name: "producer=unknown", claim: "a producer id that nobody handed out is accepted outside of transactions, and has to count too",
			about: "batches with a producer id that somebody made up.",
			acks:  acksAll, log: "0 1",
			steps: []batchStep{
				{asks: "made-up id, sequence 0", by: madeUpID, sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 0 again", by: madeUpID, sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 2, without 1", by: madeUpID, sequence: 2, payments: numbered(1, 1), says: outOfOrder.name},
				{asks: "sequence 1", by: madeUpID, sequence: 1, payments: numbered(1, 1), says: saysOK(1)},
			},
		},
	}
}

func handmadeAcks() []handmade {
	const about = "each batch comes twice, with a producer id and "
	twice := func(says0, says1 string) []batchStep {
		return []batchStep{
			{asks: "sequence 0", sequence: 0, payments: numbered(0, 0), says: says0},
			{asks: "sequence 0 again", sequence: 0, payments: numbered(0, 0), says: says0},
			{asks: "sequence 1", sequence: 1, payments: numbered(1, 1), says: says1},
			{asks: "sequence 1 again", sequence: 1, payments: numbered(1, 1), says: says1},
		}
	}
	return []handmade{
		{
			name: "acks=0", claim: "the broker takes batches with a producer id and acks=0, and recognises a repetition",
			about: about + "acks=0.", acks: 0, settings: map[string]string{"acks": "0", "enable.idempotence": "false"},
			steps: twice(saysNothing, saysNothing), log: "0 1",
		},
		{
			name: "acks=1", claim: "the broker takes batches with a producer id and acks=1, and recognises a repetition",
			about: about + "acks=1.", acks: 1, settings: map[string]string{"acks": "1", "enable.idempotence": "false"},
			steps: twice(saysOK(0), saysOK(1)), log: "0 1",
		},
		{
			name: "acks=2", claim: "the broker refuses any other acks than 0, 1 and all",
			about: about + "acks=2.", acks: 2,
			steps: twice(invalidAcks.name, invalidAcks.name), log: emptyLog,
		},
	}
}

// handmadeKafka are those that the embedded broker answers otherwise, or cannot play.
func handmadeKafka() []handmade {
	return []handmade{
		{
			name: "batch=wrapped", claim: "after 2147483647 the sequence goes on with 0",
			about: "the partition has a record of another producer; then a new one begins just before the largest number.",
			acks:  acksAll, log: "0 1 2 3 4",
			needsKafka: "the embedded broker refuses the largest sequence number (docs/brokers.md, sequence-wraps)",
			steps: []batchStep{
				{asks: "another producer, sequence 0", by: otherProducerID, sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 2147483646", sequence: largestSequence - 1, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 2147483647", sequence: largestSequence, payments: numbered(2, 2), says: saysOK(2)},
				{asks: "sequence 0", sequence: 0, payments: numbered(3, 3), says: saysOK(3)},
				{asks: "sequence 2147483647 again", sequence: largestSequence, payments: numbered(2, 2), says: saysOK(2)},
				{asks: "sequence 1", sequence: 1, payments: numbered(4, 4), says: saysOK(4)},
			},
		},
		{
			name: "batch=gap,producer=transactional", claim: "in a transaction a gap is refused, before the first batch too",
			about: "the partition has a record of another producer; a transactional one begins with sequence 3, then with 0, and leaves a number out. A new instance aborts what it wrote.",
			acks:  acksAll, log: "0 1 2", settings: map[string]string{"transactional.id": "kcompare-payment-service"},
			needsKafka: "the embedded broker takes any number from the first batch of a transaction (docs/brokers.md, first-sequence-in-transaction)",
			steps: []batchStep{
				{asks: "another producer, sequence 0", by: otherProducerID, sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 3, the first", sequence: 3, payments: numbered(1, 1), says: outOfOrder.name},
				{asks: "sequence 0", sequence: 0, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 2, without 1", sequence: 2, payments: numbered(2, 2), says: outOfOrder.name},
				{asks: "sequence 1", sequence: 1, payments: numbered(2, 2), says: saysOK(2)},
			},
		},
		{
			name: "broker=restarted", claim: "the broker knows the last batch of a producer after a restart: that one is recognised, and a gap is refused",
			about: "three batches; the broker is restarted when the fourth arrives, which is sent again. Then come the third, the second, and a gap.",
			acks:  acksAll, log: "0 1 2 3 4", restarts: 3,
			needsKafka: "the embedded broker has no disk and keeps its state in memory, so its restart proves nothing",
			steps: []batchStep{
				{asks: "sequence 0", sequence: 0, payments: numbered(0, 0), says: saysOK(0)},
				{asks: "sequence 1", sequence: 1, payments: numbered(1, 1), says: saysOK(1)},
				{asks: "sequence 2", sequence: 2, payments: numbered(2, 2), says: saysOK(2)},
				{asks: "sequence 3, during the restart", sequence: 3, payments: numbered(3, 3), says: saysOK(3)},
				{asks: "sequence 2 again, the last before", sequence: 2, payments: numbered(2, 2), says: saysOK(2)},
				// The snapshot of the producers has the last batch alone (ProducerStateManager.java), so
				// a node that leads again refuses this one. With replicas another node leads, which
				// has written all of them itself and knows it.
				{asks: "sequence 1 again", sequence: 1, payments: numbered(1, 1)},
				{asks: "sequence 9, a gap", sequence: 9, payments: numbered(4, 4), says: outOfOrder.name},
				{asks: "sequence 4", sequence: 4, payments: numbered(4, 4), says: saysOK(4)},
			},
		},
	}
}

func (h handmade) variant() Variant {
	written := len(strings.Fields(strings.TrimPrefix(h.log, emptyLog)))
	settings := map[string]string{"acks": "all", "enable.idempotence": "true"}
	maps.Copy(settings, h.settings)
	v := Variant{
		Name: h.name, Kind: evidence.Promise, Claim: h.claim,
		Settings: settings, Needs: drivers.Abilities{Raw: true}, NeedsKafka: h.needsKafka, Repeats: true,
		Checks: []evidence.Check{
			check(evidence.LogRecords, "==", written),
			check(evidence.Duplicates, "==", 0),
			check(evidence.LostRecords, "==", h.lost),
		},
		About:    func(Parameters) string { return "By hand: " + h.about },
		Plan:     h.plan,
		Records:  oneCustomerRecords(h.numbers()),
		Run:      h.run,
		Conclude: func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{paymentsInLog(o, h.log)} },
	}
	if h.kind != "" {
		v.Kind = h.kind
	}
	if h.lost > 0 {
		v.Allowed = []evidence.AnomalyKind{evidence.Lost}
	}
	return v
}

func (h handmade) plan(Parameters) fault.Plan {
	if h.restarts == 0 {
		return nil
	}
	return fault.Plan{{Name: "restart-broker", Action: fault.RestartNode, Select: firstAttempt(oneCustomer(h.restarts))}}
}

// numbers are those of the payments that it sends, each once.
func (h handmade) numbers() []int {
	var all []int
	for _, s := range h.steps {
		all = append(all, s.payments...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (h handmade) run(ctx context.Context, s *Stage) error {
	p, err := s.NewRawProducer("")
	if err != nil {
		return err
	}
	r := &handmadeRun{handmade: h, stage: s, producer: p, transactionalID: s.Settings.Config["transactional.id"]}
	if err := r.identify(ctx); err != nil {
		return err
	}
	for _, one := range h.steps {
		if err := r.send(ctx, one); err != nil {
			return fmt.Errorf("%s: %w", one.asks, err)
		}
	}
	p.Done()
	if r.transactionalID == "" {
		return nil
	}
	_, err = p.Init(ctx, r.transactionalID) // ends the transaction, or the log could not be read to its end
	return err
}

// handmadeRun is such a variant being played.
type handmadeRun struct {
	handmade
	stage           *Stage
	producer        *RawProducer
	transactionalID string // "" outside of transactions
	ids             map[batchSender]drivers.ProducerID
}

// identify gets the ids of those who send anything.
func (r *handmadeRun) identify(ctx context.Context) (err error) {
	r.ids = map[batchSender]drivers.ProducerID{madeUpID: {ID: madeUp}}
	for who, transactionalID := range map[batchSender]string{askedID: r.transactionalID, otherProducerID: ""} {
		if !slices.ContainsFunc(r.steps, func(s batchStep) bool { return s.by == who }) {
			continue
		}
		if r.ids[who], err = r.producer.Init(ctx, transactionalID); err != nil {
			return err
		}
	}
	return nil
}

// send sends the batch of a step, and notes the answer.
func (r *handmadeRun) send(ctx context.Context, one batchStep) error {
	var messages []Message
	for _, n := range one.payments {
		messages = append(messages, oneCustomer(n))
	}
	b := drivers.RawBatch{ProducerID: r.ids[one.by], Sequence: one.sequence, Acks: r.acks}
	b.Epoch += one.epoch
	if one.by == askedID {
		b.TransactionalID = r.transactionalID
	}
	answer, err := r.producer.Send(ctx, b, r.stage.Parameters.PartitionsOf(paymentsPartitions), messages...)
	if err == nil {
		r.stage.Answer(evidence.Answer{Question: one.asks, Answer: r.told(answer), Expected: one.says})
	}
	return err
}

func (h handmade) told(a drivers.RawAnswer) string {
	switch {
	case a.Code != "":
		return a.Code
	case h.acks == 0:
		return saysNothing
	}
	return saysOK(a.Offset)
}
