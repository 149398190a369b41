package proxy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// MoveLeader, MoveCoordinator, KillNode, PauseNode, RestartNode: the cluster is
// changed before the request goes on, so that it is the first to meet what has
// changed. The other connections go on meanwhile. A request to a node that is gone
// is not written into a dead connection, where it would look as if the node had got
// it; the client learns from the end of the connection, as it would without a proxy.
// What was under way on other connections of the node is in the trace as forwarded
// and not answered, and is counted as no collateral: nobody knows what became of it.

// controlTimeout bounds one change of the cluster. A node of a real Kafka that is
// restarted on a busy machine takes half a minute.
const controlTimeout = 90 * time.Second

// changeCluster does it for the request, and says whether that is still to be
// forwarded.
func (c *conn) changeCluster(e *entry) (goesOn bool) {
	defer c.p.changing()()
	ctx, cancel := context.WithTimeout(c.p.ctx, controlTimeout)
	defer cancel()
	did, err := c.control(ctx, e)
	switch {
	case err != nil && c.p.ctx.Err() != nil:
		c.p.record.change(func() { e.exchange.Result = "not forwarded: " + errClosed.Error() })
		return false
	case err != nil:
		c.p.record.problem("rule %s did not fire: %v", e.hit.Rule.Name, err)
		return true
	case e.action() == fault.KillNode || e.action() == fault.RestartNode:
		c.nodeGone(e, did)
	default:
		c.p.record.change(func() { e.exchange.Result = did })
		goesOn = true
	}
	c.p.record.fired(e.exchange, *e.hit)
	return goesOn
}

// changing notes a change that is under way; over ends it.
func (p *Proxy) changing() (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := make(chan struct{})
	p.changes[done] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.changes, done)
		close(done)
	}
}

// Changed waits until no change of the cluster is under way. While a node is stopped
// and started again, a client may have found another one, and its story may have
// ended: to close the proxy then would leave the change half made. The error is that
// of ctx.
func (p *Proxy) Changed(ctx context.Context) error {
	for {
		change := p.anyChange()
		if change == nil {
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return fmt.Errorf("a change of the cluster is under way: %w", ctx.Err())
		}
	}
}

func (p *Proxy) anyChange() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	for change := range p.changes {
		return change
	}
	return nil
}

// nodeGone lets nothing more go to a node that is not there. What it has said
// before still comes.
func (c *conn) nodeGone(e *entry, did string) {
	c.pending.stop(stop{rule: e.hit.Rule.Name, why: did + " by rule " + e.hit.Rule.Name})
	_ = c.broker.SetReadDeadline(time.Now().Add(drainTimeout))
	c.p.record.change(func() { e.exchange.Result = "not forwarded: " + did })
}

// control has the change made, and says what it was.
func (c *conn) control(ctx context.Context, e *entry) (did string, err error) {
	control, node := c.p.opts.Control, c.node.id
	if nodeAction := e.action() != fault.MoveLeader && e.action() != fault.MoveCoordinator; nodeAction && node < 0 {
		return "", fmt.Errorf("%s: the request came to a bootstrap address, and which node that is, is not known", e.action())
	}
	switch wait := e.hit.Rule.Wait; e.action() {
	case fault.MoveLeader:
		return c.moveLeader(ctx, e.hit.Part)
	case fault.MoveCoordinator:
		return c.moveCoordinator(ctx, e.message)
	case fault.KillNode:
		return fmt.Sprintf("node %d was killed", node), control.KillNode(ctx, node)
	case fault.PauseNode:
		return fmt.Sprintf("node %d was paused for %v", node, wait), control.PauseNode(ctx, node, wait)
	default:
		return fmt.Sprintf("node %d was restarted", node), c.p.restart(ctx, node)
	}
}

// restart has a node restarted, and learns where it is then.
func (p *Proxy) restart(ctx context.Context, node int32) error {
	if err := p.opts.Control.RestartNode(ctx, node); err != nil {
		return err
	}
	_, err := p.ensureNode(node, p.opts.Control.Addrs()[node])
	return err
}

func (c *conn) moveLeader(ctx context.Context, part fault.Part) (string, error) {
	if part.Topic == "" {
		return "", errors.New("move-leader: the request names no partition")
	}
	did := fmt.Sprintf("the leader of %s-%d was moved", part.Topic, part.Partition)
	return did, c.p.opts.Control.MoveLeader(ctx, part.Topic, part.Partition)
}

func (c *conn) moveCoordinator(ctx context.Context, message kmsg.Request) (string, error) {
	kind, key, _ := coordinated(message)
	if key == "" {
		return "", errors.New("move-coordinator: the request names no group or transactional id")
	}
	return fmt.Sprintf("the coordinator of %s was moved", key), c.p.opts.Control.MoveCoordinator(ctx, kind, key)
}

func hasCoordinator(key int16) bool {
	_, _, has := coordinated(kmsg.RequestForKey(key))
	return has
}

// coordinated is the group or transactional id that a request is about; has says
// whether requests of its API are about any. TxnOffsetCommit goes to the group's
// coordinator (KIP-98). Produce tells the transaction's of partitions since KIP-890.
func coordinated(message kmsg.Request) (kind CoordinatorKind, key string, has bool) {
	switch m := message.(type) {
	case *kmsg.JoinGroupRequest:
		return GroupCoordinator, m.Group, true
	case *kmsg.SyncGroupRequest:
		return GroupCoordinator, m.Group, true
	case *kmsg.HeartbeatRequest:
		return GroupCoordinator, m.Group, true
	case *kmsg.LeaveGroupRequest:
		return GroupCoordinator, m.Group, true
	case *kmsg.ConsumerGroupHeartbeatRequest:
		return GroupCoordinator, m.Group, true
	case *kmsg.ShareGroupHeartbeatRequest:
		return GroupCoordinator, m.GroupID, true
	case *kmsg.OffsetCommitRequest:
		return GroupCoordinator, m.Group, true
	case *kmsg.OffsetFetchRequest:
		if m.Version >= 8 && len(m.Groups) > 0 {
			return GroupCoordinator, m.Groups[0].Group, true
		}
		return GroupCoordinator, m.Group, true
	case *kmsg.TxnOffsetCommitRequest:
		return GroupCoordinator, m.Group, true
	case *kmsg.InitProducerIDRequest:
		return TransactionCoordinator, deref(m.TransactionalID), true
	case *kmsg.AddPartitionsToTxnRequest:
		if m.Version >= 4 && len(m.Transactions) > 0 {
			return TransactionCoordinator, m.Transactions[0].TransactionalID, true
		}
		return TransactionCoordinator, m.TransactionalID, true
	case *kmsg.AddOffsetsToTxnRequest:
		return TransactionCoordinator, m.TransactionalID, true
	case *kmsg.EndTxnRequest:
		return TransactionCoordinator, m.TransactionalID, true
	case *kmsg.ProduceRequest:
		return TransactionCoordinator, deref(m.TransactionID), true
	}
	return 0, "", false
}
