package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// await asks the cluster until it can be put on trial: every node knows every
// other, the coordinators of all groups and transactions have read their logs, and
// there are producer ids to give out. Without the latter two the first client would
// measure COORDINATOR_LOAD_IN_PROGRESS.
func (k *Kafka) await(ctx context.Context) error {
	r, err := newReader(k.Addrs(), k.Access(), k.own)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, wanted := range []struct {
		what string
		ask  func(context.Context) error
	}{
		{"every node knows every other", r.nodesKnown},
		{"every transaction has a coordinator", r.transactionsCoordinated},
		{"every group has a coordinator", r.groupsCoordinated},
		{"every node has producer ids", r.producerIDsGiven},
	} {
		if err := k.until(ctx, wanted.ask); err != nil {
			return fmt.Errorf("wait until %s: %w", wanted.what, err)
		}
	}
	return nil
}

// until asks again as long as all servers run. The error of a server that does
// not answer is worth less than what its log says.
func (k *Kafka) until(ctx context.Context, ask func(context.Context) error) error {
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		for _, n := range k.nodes {
			if ended := n.ended(); ended != nil {
				return fmt.Errorf("%w; %s", ended, n.lastLines())
			}
		}
		if err := again(ctx, err); err != nil {
			if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
				err = fmt.Errorf("%w: %w", cause, err)
			}
			return fmt.Errorf("%w; %s", err, k.nodes[0].lastLines())
		}
	}
}

// nodesKnown asks every node for the list of nodes.
func (r *Reader) nodesKnown(ctx context.Context) error {
	for _, node := range r.nodes {
		resp, err := metadataRequest(nil).RequestWith(ctx, r.client.Broker(int(node)))
		if err != nil {
			return fmt.Errorf("node %d: %w", node, err)
		}
		if known := len(resp.Brokers); known != len(r.nodes) {
			return fmt.Errorf("node %d knows %d nodes, expected %d", node, known, len(r.nodes))
		}
	}
	return nil
}

// oneEach is ids of which each falls into another partition of a coordinator's
// topic, if that has as many partitions as there are nodes: a broker takes Java's
// hashCode of the id, which is the character itself for a single one.
func (r *Reader) oneEach() []string {
	var ids []string
	for i := range r.nodes {
		ids = append(ids, string(rune('0'+i)))
	}
	return ids
}

// transactionsCoordinated asks about transactions that are not there. Asking for
// the first coordinator ever makes Kafka create its topic.
func (r *Reader) transactionsCoordinated(ctx context.Context) error {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = r.oneEach()
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return err
	}
	for _, t := range resp.TransactionStates {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil && !errors.Is(err, kerr.TransactionalIDNotFound) {
			return fmt.Errorf("coordinator of transaction %q: %w", t.TransactionalID, err)
		}
	}
	return nil
}

// groupsCoordinated is the same for groups.
func (r *Reader) groupsCoordinated(ctx context.Context) error {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = r.oneEach()
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return err
	}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			return fmt.Errorf("coordinator of group %q: %w", g.Group, err)
		}
	}
	return nil
}
