//go:build cgo

package librdkafka

import (
	"context"
	"errors"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers"
)

// transactionalProducer adds the calls of a transaction. Each blocks in C while
// reports must be taken, which the producer's own goroutine does.
type transactionalProducer struct{ *producer }

// Init is InitTransactions; see drivers.TransactionalProducer. Without a
// deadline librdkafka gives up after twice transaction.timeout.ms.
func (p *transactionalProducer) Init(ctx context.Context) error {
	return p.calls.run(ctx, "init", func() error { return p.lib.InitTransactions(ctx) })
}

// Begin is BeginTransaction, which is local.
func (p *transactionalProducer) Begin(ctx context.Context) error {
	return p.calls.run(ctx, "begin", p.lib.BeginTransaction)
}

// SendOffsets is SendOffsetsToTransaction. librdkafka gives up after
// transaction.timeout.ms, or earlier if ctx has a deadline.
func (p *transactionalProducer) SendOffsets(ctx context.Context, offsets []drivers.Position, group drivers.GroupMetadata) error {
	member, err := groupHandle(group)
	if err != nil {
		return callError("send offsets", err)
	}
	return p.calls.run(ctx, "send offsets", func() error {
		return p.lib.SendOffsetsToTransaction(ctx, toLibrary(offsets), member)
	})
}

// groupHandle is what GroupMetadata of this driver's consumer left. A group
// that is only named is one without members, as before KIP-447.
func groupHandle(group drivers.GroupMetadata) (*kafka.ConsumerGroupMetadata, error) {
	if member, ok := group.Library.(*kafka.ConsumerGroupMetadata); ok {
		return member, nil
	}
	if group.Group == "" {
		return nil, kafka.NewError(kafka.ErrInvalidArg, "no group: the consumer needs a group.id", false)
	}
	return kafka.NewTestConsumerGroupMetadata(group.Group)
}

// Commit is CommitTransaction, which flushes first.
//
// Only success says how a transaction ended. What is known after each error
// (rdkafka_txnmgr.c, rd_kafka_commit_transaction and rd_kafka_txn_handle_EndTxn):
//
//	error              class             what became of the transaction
//	must be aborted    abortable         not committed, for a record failed or the coordinator
//	                                     refused; open until Abort or its timeout
//	_FENCED            fenced            the newer instance aborted it, unless an earlier
//	                                     attempt at this EndTxn had already committed it
//	any fatal one      fatal             the coordinator refused the last attempt; an earlier
//	                                     one, whose answer was lost, may have succeeded
//	_TIMED_OUT         unknown-outcome   goes on in the background: not yet flushed, or the
//	                                     answer is outstanding. Until Commit is called again
//	                                     and answers, Abort is refused with _CONFLICT
//	may be repeated    retriable         nothing was sent: no coordinator, or another call
//	                                     of a transaction is under way
//	other              application       nothing was sent: there is no transaction to commit
//	(none in time)     unknown-outcome   ctx was cancelled, the call goes on
func (p *transactionalProducer) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	return p.end(ctx, "commit", drivers.Committed, p.lib.CommitTransaction)
}

// Abort is AbortTransaction, which purges what is not sent: those records are
// reported Failed. The table above holds with commit and abort exchanged; in
// addition, what was never asked to commit cannot become visible.
func (p *transactionalProducer) Abort(ctx context.Context) (drivers.TransactionOutcome, error) {
	return p.end(ctx, "abort", drivers.Aborted, p.lib.AbortTransaction)
}

// end also waits for the reports of the transaction. librdkafka has let go of
// its records when it answers, but the last reports may still be on their way
// through the binding's channel.
func (p *transactionalProducer) end(ctx context.Context, call string, as drivers.TransactionOutcome,
	f func(context.Context) error) (drivers.TransactionOutcome, error) {
	outcome, err := ended(as, p.calls.run(ctx, call, func() error { return f(ctx) }))
	if err == nil {
		select {
		case <-p.pending.None():
		case <-ctx.Done():
		}
	}
	return outcome, err
}

// ended is the outcome of Commit or Abort. A timeout is retriable for the
// library, since the same call may be resumed; what it leaves is an unknown
// outcome.
func ended(as drivers.TransactionOutcome, err error) (drivers.TransactionOutcome, error) {
	if err == nil {
		return as, nil
	}
	var e *drivers.Error
	if errors.As(err, &e) && hasCode(err, kafka.ErrTimedOut) && e.Class == drivers.Retriable {
		e.Class = drivers.UnknownOutcome
	}
	return drivers.TransactionUnknown, err
}
