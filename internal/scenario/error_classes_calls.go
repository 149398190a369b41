package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// This file has the cells of transactions: one answered error on one call, then a
// transaction more from the same producer.

// cellID is the transactional.id of the variants; each cell has its own one beside it.
const cellID = "error-classes"

// refusedNumber: librdkafka gives the record after a refused one the next sequence number.
const refusedNumber = "sequence-after-refused"

// transactionCall is a request of a transaction, and what it is answered with.
type transactionCall struct {
	api     string
	end     evidence.End // of EndTxn; "" for all others, whose transactions are to be committed
	mode    answering
	errors  []kafkaError
	said    string   // the driver's call that meets the error; "" where it depends on the library
	offsets bool     // the transaction has offsets too
	rows    []string // Variant.BrokerRows
	notSent string   // why a client may never send it
}

func transactionCalls() []transactionCall {
	const (
		adds    = "Produce itself adds the partition to the transaction (KIP-890)"
		addsToo = "TxnOffsetCommit itself adds the group to the transaction (KIP-890)"
	)
	produce := transactionCall{api: "Produce", said: "produce"}
	refused := produce.answered(instead, producingErrors())
	refused.rows = []string{refusedNumber}
	commit := transactionCall{api: "EndTxn", end: evidence.AskedCommit, said: "commit"}
	all := []transactionCall{
		refused,
		produce.answered(afterwards, afterWriting()),
		produce.answered(denied, without(producingErrors(), afterWriting())),
	}
	aborts := map[answering][]string{instead: {"abort-nothing-old"}} // librdkafka aborts what the broker never heard of
	for _, mode := range []answering{instead, afterwards} {
		all = append(all,
			transactionCall{api: "InitProducerId", said: "init", errors: coordinatorErrors(clusterForbidden), mode: mode},
			transactionCall{api: "AddPartitionsToTxn", errors: coordinatorErrors(unknownTopic, topicForbidden), mode: mode, notSent: adds, rows: aborts[mode]},
			transactionCall{api: "AddOffsetsToTxn", said: "send offsets", errors: coordinatorErrors(groupForbidden), mode: mode, offsets: true, notSent: addsToo},
			transactionCall{api: "TxnOffsetCommit", said: "send offsets", errors: coordinatorErrors(groupForbidden, illegalGeneration), mode: mode, offsets: true},
			transactionCall{api: "EndTxn", end: evidence.AskedAbort, said: "abort", errors: coordinatorErrors(), mode: mode},
		)
	}
	return append(all,
		commit.answered(instead, coordinatorErrors()),
		commit.answered(afterwards, without(coordinatorErrors(), denyingCommit())),
		commit.answered(denied, denyingCommit()))
}

func (k transactionCall) answered(mode answering, errors []kafkaError) transactionCall {
	k.mode, k.errors = mode, errors
	return k
}

// denyingCommit say that the transaction was not committed and may be aborted. What else
// a coordinator answers may also be said of a repetition, of which the first was done.
func denyingCommit() []kafkaError { return []kafkaError{txnAbortable} }

func without(all, these []kafkaError) []kafkaError {
	return slices.DeleteFunc(all, func(e kafkaError) bool { return slices.Contains(these, e) })
}

// name has the end of EndTxn, and the transaction of Produce.
func (k transactionCall) name() string {
	switch {
	case k.end != "":
		return fmt.Sprintf("call=%s,end=%s,mode=%s", k.api, k.end, k.mode)
	case k.api == "Produce":
		return fmt.Sprintf("call=%s,in=transaction,mode=%s", k.api, k.mode)
	}
	return fmt.Sprintf("call=%s,mode=%s", k.api, k.mode)
}

func (k transactionCall) variant() Variant {
	cells := cellsOf(k.errors)
	v := Variant{
		Name: k.name(), Kind: evidence.Promise,
		Claim:     "of each transaction all or nothing is visible, and nothing that was aborted",
		Settings:  transactionSettings(cellID),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true, Groups: k.offsets},
		BothViews: true, BrokerRows: k.rows,
		Checks: []evidence.Check{
			check(evidence.LostRecords, "==", 0),
			check(evidence.Duplicates, "==", 0),
			check(evidence.Torn, "==", 0),
			check(evidence.Visible, ">=", evidence.CommittedRecords),
			check(evidence.AbortedSeen, "==", 0),
		},
		Allowed: []evidence.AnomalyKind{evidence.FailedButPresent},
		About: func(Parameters) string {
			return fmt.Sprintf("%s, each on one %s, %s; then one more transaction of the same producer.", plural(len(cells), "error code"), k.request(), k.mode.inWords())
		},
		Plan:     func(Parameters) fault.Plan { return k.plan(cells) },
		Records:  func(p Parameters, place partition.Func) []fault.Record { return transactionRecords(p, place, cells) },
		Run:      func(ctx context.Context, s *Stage) error { return k.playEach(ctx, s, cells) },
		Conclude: func(o *evidence.Observed) []evidence.Answer { return k.tell(o, cells) },
	}
	if k.offsets {
		v.Consuming = map[string]string{"group.id": "kcompare-" + cellID, "partition.assignment.strategy": "range"}
	}
	if k.mode == denied {
		return k.deceived(v)
	}
	return v
}

// deceived is a library to which the broker denies what it did. No promise can be asked
// of it; who loses or doubles something by that is what is to be seen.
func (k transactionCall) deceived(v Variant) Variant {
	v.Kind, v.Checks, v.Allowed = evidence.Observation, nil, nil
	v.Claim = "what was written is denied: is it aborted, and does the next transaction get there?"
	if k.end != "" {
		v.Claim = "what was committed is denied: what does the program believe?"
	}
	return v
}

func (k transactionCall) plan(cells []errorCell) fault.Plan {
	var plan fault.Plan
	for _, c := range cells {
		plan = append(plan, c.rule(k.mode, k.selector(c), k.notSent))
	}
	return plan
}

// request is the call in words.
func (k transactionCall) request() string {
	if k.end != "" {
		return k.api + " (" + string(k.end) + ")"
	}
	return k.api
}

// selector finds the first request of the cell: by its record, or by its
// transactional.id.
func (k transactionCall) selector(c errorCell) fault.Selector {
	if k.api == "Produce" {
		return fault.Selector{API: k.api, Record: c.order(hitTurn).ID.String(), Attempts: 1}
	}
	return fault.Selector{API: k.api, End: string(k.end), TransactionalID: c.id(), First: 1}
}

func transactionRecords(p Parameters, place partition.Func, cells []errorCell) []fault.Record {
	var records []fault.Record
	for _, c := range cells {
		for _, t := range []turn{hitTurn, nextTurn} {
			for _, m := range c.pair(t) {
				records = append(records, m.planned(place, p.PartitionsOf(shopPartitions)))
			}
		}
	}
	return records
}

// pair is what one transaction writes: two records in two topics, so that a part of it
// could be visible.
func (c errorCell) pair(t turn) []Message { return []Message{c.order(t), c.event(t)} }

// playEach plays the cells one after the other. The producer of the next one is made
// before a cell is played: librdkafka waits half a second in Init where it has no
// connection yet (rdkafka_txnmgr.c, rd_kafka_txn_coord_query).
func (k transactionCall) playEach(ctx context.Context, s *Stage, cells []errorCell) error {
	group, err := k.group(s)
	if err != nil {
		return err
	}
	ahead, err := cells[0].producer(s)
	for i, c := range cells {
		p := ahead
		if err == nil && i+1 < len(cells) {
			ahead, err = cells[i+1].producer(s)
		}
		if err == nil {
			err = k.play(ctx, p, group, c)
		}
		if err != nil {
			return fmt.Errorf("the cell of %s: %w", c.name, err)
		}
	}
	return nil
}

func (c errorCell) producer(s *Stage) (*TransactionalProducer, error) {
	return s.NewTransactionalProducer(c.who(hitTurn), s.OwnID(c.name))
}

// group is a consumer that joins nothing: offsets of its group may be stored by whoever
// names no member. It is nil where no offsets are sent.
func (k transactionCall) group(s *Stage) (*Consumer, error) {
	if !k.offsets {
		return nil, nil
	}
	return s.NewConsumer("")
}

// play is one cell: the transaction that meets the error, and one more of the same
// producer. One that cannot go on leaves its transaction open, and a new instance ends
// that.
func (k transactionCall) play(ctx context.Context, p *TransactionalProducer, group *Consumer, c errorCell) error {
	limited, cancel := context.WithTimeout(ctx, cellTime)
	defer cancel()
	lives := k.transact(limited, p, group, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !lives {
		heir, err := p.restart(ctx)
		if err != nil {
			return err
		}
		p = heir
	}
	if err := k.askOffsets(ctx, p.stage, group, c); err != nil {
		return err
	}
	return p.Close()
}

// transact plays both transactions and says whether the producer got through to the
// end of the second.
func (k transactionCall) transact(ctx context.Context, p *TransactionalProducer, group *Consumer, c errorCell) bool {
	if k.ready(ctx, p) {
		return k.goOn(ctx, p, group, c)
	}
	p.who = c.who(nextTurn)
	if p.Init(ctx) != nil {
		return false
	}
	return k.oneMore(ctx, p, group, c)
}

// ready gets the producer ready. Where that is not the call in question it is made again
// as long as the error allows it: a busy cluster may load its coordinator anew.
func (k transactionCall) ready(ctx context.Context, p *TransactionalProducer) bool {
	if k.api == "InitProducerId" {
		return p.Init(ctx) == nil
	}
	who := p.who
	defer func() { p.who = who }()
	p.who = "getting ready"
	for {
		err := p.Init(ctx)
		if err == nil || drivers.ClassOf(err) != drivers.Retriable || p.stage.Pause(ctx, initAgain) != nil {
			return err == nil
		}
	}
}

// initAgain is how long a program waits before it calls Init again.
const initAgain = 100 * time.Millisecond

// goOn is transact of a producer that is ready.
func (k transactionCall) goOn(ctx context.Context, p *TransactionalProducer, group *Consumer, c errorCell) bool {
	_ = p.tryOut(ctx, c.pair(hitTurn), k.end, k.position(p.stage, group, c, hitTurn)) // what came of it stands in the ledger
	if p.transaction != 0 {
		_ = p.Abort(ctx) // once more: the first one may have been what met the error
	}
	p.who = c.who(nextTurn)
	return k.oneMore(ctx, p, group, c)
}

func (k transactionCall) oneMore(ctx context.Context, p *TransactionalProducer, group *Consumer, c errorCell) bool {
	return p.tryOut(ctx, c.pair(nextTurn), evidence.AskedCommit, k.position(p.stage, group, c, nextTurn)) == nil
}

// offsetsOf says what a transaction stores; nil for one without offsets.
type offsetsOf func(context.Context, *TransactionalProducer) error

// position is that of an input which the transaction is about: one partition for those
// that meet the error, one for the next ones, and an offset that no other cell has.
func (k transactionCall) position(s *Stage, group *Consumer, c errorCell, t turn) offsetsOf {
	if group == nil {
		return nil
	}
	return func(ctx context.Context, p *TransactionalProducer) error {
		return p.SendOffsets(ctx, drivers.Position{TopicPartition: t.input(s), Offset: c.offset()}, group)
	}
}

func (t turn) input(s *Stage) drivers.TopicPartition {
	if t == nextTurn {
		return drivers.TopicPartition{Topic: s.Topics[orderEvents]}
	}
	return drivers.TopicPartition{Topic: s.Topics[orders]}
}

func (c errorCell) offset() int64 { return int64(c.n + 1) }

// tryOut is a transaction of a program that looks at every outcome, and aborts where it
// cannot commit. The error is that of the last call that failed.
func (p *TransactionalProducer) tryOut(ctx context.Context, messages []Message, end evidence.End, offsets offsetsOf) error {
	if err := p.Begin(ctx); err != nil {
		return err
	}
	for _, m := range messages {
		p.Send(ctx, m)
	}
	err := p.Wait(ctx)
	if err == nil && offsets != nil {
		err = offsets(ctx, p)
	}
	refused := p.Failed()
	if err == nil && !refused && end != evidence.AskedAbort {
		if err = p.Commit(ctx); err == nil {
			return nil
		}
	}
	if abort := p.Abort(ctx); abort != nil {
		return abort
	}
	if refused {
		return errRecordRefused
	}
	return err
}

var errRecordRefused = errors.New("a record was refused, and the transaction aborted")

// askOffsets notes whose offsets are stored.
func (k transactionCall) askOffsets(ctx context.Context, s *Stage, group *Consumer, c errorCell) error {
	if group == nil {
		return nil
	}
	var stored [2]bool
	for _, t := range []turn{hitTurn, nextTurn} {
		offset, err := group.Stored(ctx, t.input(s))
		if err != nil {
			return err
		}
		stored[t] = offset == c.offset()
	}
	s.Answer(evidence.Answer{Question: c.name + ofOffsets, Answer: whose(stored)})
	return nil
}
