package sarama

import (
	"errors"
	"sync"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

// assigned reads partitions without a group, a sarama.PartitionConsumer each.
type assigned struct {
	c   *consumer
	lib sarama.Consumer

	mu      sync.Mutex
	readers map[drivers.TopicPartition]*reader
}

// reader is one partition from one offset on.
type reader struct {
	lib  sarama.PartitionConsumer
	quit chan struct{} // closed by stop
	done sync.WaitGroup
}

func assign(c *consumer, cluster sarama.Client, from []drivers.Position) (*assigned, error) {
	lib, err := sarama.NewConsumerFromClient(cluster)
	if err != nil {
		return nil, err
	}
	a := &assigned{c: c, lib: lib, readers: map[drivers.TopicPartition]*reader{}}
	return a, a.startAll(from)
}

// startAll starts them side by side: each asks twice for an offset, and sarama makes each
// of these requests wait for the fetch that is on the same connection (64 partitions one
// after the other took more than 10 s on a busy machine).
func (a *assigned) startAll(from []drivers.Position) error {
	failures := make([]error, len(from))
	var all sync.WaitGroup
	for i, p := range from {
		a.c.positions.assign(p.TopicPartition)
		all.Go(func() { failures[i] = a.start(p) })
	}
	all.Wait()
	return errors.Join(failures...)
}

func (a *assigned) start(at drivers.Position) error {
	lib, err := a.lib.ConsumePartition(at.Topic, at.Partition, at.Offset)
	if err != nil {
		return err
	}
	r := &reader{lib: lib, quit: make(chan struct{})}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.readers[at.TopicPartition] = r
	r.done.Go(func() { a.read(r) })
	r.done.Go(func() {
		for err := range lib.Errors() {
			a.c.told(err, r.quit)
		}
	})
	return nil
}

// read hands over what comes, and after stop throws away what still does.
func (a *assigned) read(r *reader) {
	for m := range r.lib.Messages() {
		a.c.hand(&parcel{messages: gather(m, r.lib.Messages())}, r.quit)
	}
}

// seek begins anew: sarama has one offset for each PartitionConsumer.
func (a *assigned) seek(to drivers.Position) error {
	a.mu.Lock()
	r := a.readers[to.TopicPartition]
	delete(a.readers, to.TopicPartition)
	a.mu.Unlock()
	if r != nil {
		r.stop()
	}
	return a.start(to)
}

// stop waits until the last fetch has come back, which sarama does.
func (r *reader) stop() {
	close(r.quit)
	r.lib.AsyncClose()
	r.done.Wait()
}

func (a *assigned) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all sync.WaitGroup
	for _, r := range a.readers {
		all.Go(r.stop)
	}
	all.Wait()
	_ = a.lib.Close() // the client is ours
}
