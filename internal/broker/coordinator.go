package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// AwaitCoordinator waits until a group (kind 0) or transactional id (kind 1) has a
// coordinator that answers for it.
func (r *Reader) AwaitCoordinator(ctx context.Context, kind int8, key string) error {
	for {
		err := r.coordinated(ctx, kind, key)
		if err == nil {
			return nil
		}
		if err := again(ctx, err); err != nil {
			return err
		}
	}
}

func (r *Reader) coordinated(ctx context.Context, kind int8, key string) error {
	node, err := findCoordinator(ctx, r.client, kind, key)
	if err != nil {
		return err
	}
	return describe(ctx, r.client.Broker(int(node)), kind, key)
}

// AwaitProducerIDs waits until every node can give out producer ids. The first request
// makes a node of Kafka ask the controller for a block of them, and until it has one it
// answers COORDINATOR_LOAD_IN_PROGRESS to each (RPCProducerIdManager.java): on a busy
// machine for seconds, longer than a library with short backoffs asks again. An id that
// is given out here is used by nobody.
func (r *Reader) AwaitProducerIDs(ctx context.Context) error {
	for {
		err := r.producerIDsGiven(ctx)
		if err == nil {
			return nil
		}
		if err := again(ctx, err); err != nil {
			return fmt.Errorf("wait for producer ids: %w", err)
		}
	}
}

// producerIDsGiven has an error only while a node has no ids: whether somebody may have
// one is not the question here.
func (r *Reader) producerIDsGiven(ctx context.Context) error {
	for _, node := range r.nodes {
		resp, err := kmsg.NewPtrInitProducerIDRequest().RequestWith(ctx, r.client.Broker(int(node)))
		if err == nil {
			err = kerr.ErrorForCode(resp.ErrorCode)
			if !errors.Is(err, kerr.CoordinatorLoadInProgress) {
				continue
			}
		}
		return fmt.Errorf("node %d: %w", node, err)
	}
	return nil
}
