package broker

import (
	"context"
	"fmt"
	"sync"
)

// Watch waits until ctx has ended, which is nil, or until a server has ended by
// itself: that error has the last lines of its log. Whoever serves a cluster calls
// it, because a child that is gone says nothing.
func (k *Kafka) Watch(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	gone := make(chan *node, len(k.nodes))
	var watchers sync.WaitGroup
	defer watchers.Wait()
	defer stop()
	for _, n := range k.nodes {
		watchers.Go(func() {
			select {
			case <-n.server.Done():
				gone <- n
			case <-watching.Done():
			}
		})
	}
	select {
	case <-ctx.Done():
		return nil
	case n := <-gone:
		if ctx.Err() != nil {
			return nil // its end closed the cluster
		}
		return fmt.Errorf("%w; %s", n.ended(), n.lastLines())
	}
}
