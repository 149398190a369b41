package franz

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

// kgo commits consumed offsets in a transaction only where producer and
// consumer are one client (GroupTransactSession), which decides itself when to
// abort and where to rewind. The contract has two clients and leaves those
// decisions to the program, so this file sends the requests itself, as
// kgo/txn.go does (commitTransactionOffsets, commitTxn), with the producer id
// and epoch that kgo has.
//
// kgo does not know of them, and it ends a transaction only if it wrote
// something: EndTransaction sends no EndTxn for offsets alone, and aborts where
// every record failed. A transaction that has offsets and no acknowledged
// record is therefore "unseen" and ended here, with an EndTxn below version 5.
// Version 5 would raise the producer's epoch (KIP-890), and kgo would go on
// with the old one. This is what older clients send on any broker.
type offsets struct {
	open  bool        // between Begin and a successful end
	sent  bool        // SendOffsets may have reached the broker in this transaction
	acked atomic.Bool // kgo wrote a record in it

	asked bool // implicit is known
	// implicit: TxnOffsetCommit adds the group to the transaction
	// (transaction.version 2, KIP-890), so AddOffsetsToTxn is not sent.
	implicit bool
}

func (o *offsets) begin() {
	o.open, o.sent = true, false
	o.acked.Store(false)
}

func (o *offsets) unseen() bool { return o.sent && !o.acked.Load() }

func (p *transactional) SendOffsets(ctx context.Context, at []drivers.Position, group drivers.GroupMetadata) error {
	switch {
	case !p.offsets.open: // a broker with KIP-890 would begin a transaction for them
		return errorOf("send offsets", errors.New("expected Begin before it"))
	case group.Group == "":
		return errorOf("send offsets", errors.New("expected the metadata of a consumer with a group.id"))
	}
	return asError("send offsets", p.sendOffsets(ctx, at, group))
}

func (p *transactional) sendOffsets(ctx context.Context, at []drivers.Position, group drivers.GroupMetadata) error {
	id, epoch, err := p.cl.ProducerID(ctx)
	if err != nil {
		return err
	}
	if err := p.learnVersion(ctx); err != nil {
		return err
	}
	p.offsets.sent = true
	last := int16(5) // version 6 names topics by id, which kgo keeps to itself
	if !p.offsets.implicit {
		last = 4
		if err := p.addGroup(ctx, id, epoch, group.Group); err != nil {
			return err
		}
	}
	req := offsetCommit(at, group)
	req.TransactionalID, req.ProducerID, req.ProducerEpoch = p.id, id, epoch
	return p.ask(ctx, p.groupCoordinator(group.Group), capped{req, last}, offsetCommitError)
}

// learnVersion asks once whether transaction.version is 2 or higher.
func (p *transactional) learnVersion(ctx context.Context) error {
	if p.offsets.asked {
		return nil
	}
	resp, err := kmsg.NewPtrApiVersionsRequest().RequestWith(ctx, p.cl)
	if err != nil {
		return err
	}
	for _, f := range resp.FinalizedFeatures {
		if f.Name == "transaction.version" {
			p.offsets.implicit = f.MaxVersionLevel >= 2
		}
	}
	p.offsets.asked = true
	return nil
}

func (p *transactional) addGroup(ctx context.Context, id int64, epoch int16, group string) error {
	req := kmsg.NewPtrAddOffsetsToTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group = p.id, id, epoch, group
	return p.ask(ctx, p.transactionCoordinator, req, func(resp kmsg.Response) error {
		return kerr.ErrorForCode(resp.(*kmsg.AddOffsetsToTxnResponse).ErrorCode)
	})
}

func offsetCommit(at []drivers.Position, group drivers.GroupMetadata) *kmsg.TxnOffsetCommitRequest {
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.Group, req.Generation, req.MemberID = group.Group, group.Generation, group.Member
	if group.Instance != "" {
		req.InstanceID = &group.Instance
	}
	sorted := slices.SortedFunc(slices.Values(at), func(a, b drivers.Position) int { return a.Compare(b.TopicPartition) })
	for _, position := range sorted {
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != position.Topic {
			topic := kmsg.NewTxnOffsetCommitRequestTopic()
			topic.Topic = position.Topic
			req.Topics = append(req.Topics, topic)
		}
		topic := &req.Topics[len(req.Topics)-1]
		partition := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		partition.Partition, partition.Offset = position.Partition, position.Offset
		topic.Partitions = append(topic.Partitions, partition)
	}
	return req
}

// offsetCommitError is the first error: a coordinator refuses all or none, but
// for partitions that do not exist.
func offsetCommitError(resp kmsg.Response) error {
	for _, t := range resp.(*kmsg.TxnOffsetCommitResponse).Topics {
		for _, part := range t.Partitions {
			if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}

// endUnseen ends a transaction that kgo would not end.
func (p *transactional) endUnseen(ctx context.Context, try kgo.TransactionEndTry) error {
	id, epoch, err := p.cl.ProducerID(ctx)
	if err != nil {
		return err
	}
	req := kmsg.NewPtrEndTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Commit = p.id, id, epoch, bool(try)
	return p.ask(ctx, p.transactionCoordinator, capped{req, 4}, func(resp kmsg.Response) error {
		return kerr.ErrorForCode(resp.(*kmsg.EndTxnResponse).ErrorCode)
	})
}

// capped is a request whose version stays below what kgo would choose. kgo finds
// the coordinator of its own request types only, so these go to a named broker.
type capped struct {
	kmsg.Request
	last int16
}

func (c capped) MaxVersion() int16 { return c.last }

// coordinator finds the broker that a request must go to.
type coordinator func(context.Context) (kadm.FindCoordinatorResponse, error)

func (p *transactional) transactionCoordinator(ctx context.Context) (kadm.FindCoordinatorResponse, error) {
	found := kadm.NewClient(p.cl).FindTxnCoordinators(ctx, p.id)[p.id]
	return found, found.Err
}

func (p *transactional) groupCoordinator(group string) coordinator {
	return func(ctx context.Context) (kadm.FindCoordinatorResponse, error) {
		found := kadm.NewClient(p.cl).FindGroupCoordinators(ctx, group)[group]
		return found, found.Err
	}
}

// pause is kgo's own between two attempts while a transaction is still ending
// (kgo/config.go, txnBackoff).
const pause = 20 * time.Millisecond

// ask repeats a request until its answer is final or ctx ends. As in kgo, that
// is while the coordinator moves or loads, and while the transaction before is
// still being completed.
func (p *transactional) ask(ctx context.Context, find coordinator, req kmsg.Request, failure func(kmsg.Response) error) error {
	for {
		err := p.askOnce(ctx, find, req, failure)
		if !worthRepeating(err) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

func (p *transactional) askOnce(ctx context.Context, find coordinator, req kmsg.Request, failure func(kmsg.Response) error) error {
	at, err := find(ctx)
	if err != nil {
		return err
	}
	resp, err := p.cl.Broker(int(at.NodeID)).RetriableRequest(ctx, req)
	if err != nil {
		return err
	}
	return failure(resp)
}

func worthRepeating(err error) bool {
	for _, again := range []error{
		kerr.CoordinatorNotAvailable, kerr.CoordinatorLoadInProgress, kerr.NotCoordinator, kerr.ConcurrentTransactions,
	} {
		if errors.Is(err, again) {
			return true
		}
	}
	return false
}
