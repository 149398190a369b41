package sarama

import (
	"sync"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

// assigned reads partitions without a group, a sarama.PartitionConsumer each.
type assigned struct {
	c       *consumer
	lib     sarama.Consumer
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
	for _, p := range from {
		c.positions.assign(p.TopicPartition)
	}
	for _, p := range from {
		if err := a.start(p); err != nil {
			return a, err
		}
	}
	return a, nil
}

func (a *assigned) start(at drivers.Position) error {
	lib, err := a.lib.ConsumePartition(at.Topic, at.Partition, at.Offset)
	if err != nil {
		return err
	}
	r := &reader{lib: lib, quit: make(chan struct{})}
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
	if r := a.readers[to.TopicPartition]; r != nil {
		r.stop()
		delete(a.readers, to.TopicPartition)
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
	var all sync.WaitGroup
	for _, r := range a.readers {
		all.Go(r.stop)
	}
	all.Wait()
	_ = a.lib.Close() // the client is ours
}
