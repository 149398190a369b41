package broker

import "context"

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
