package verify

import (
	"context"
	"fmt"
	"sync"
	"time"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/config"
)

// ofConsumers is Experiment.Roles of what only consumers do.
var ofConsumers = []config.Role{config.Consumer}

// consuming are the experiments of consumers.
func consuming() []Experiment {
	return []Experiment{member(), reader(), heartbeats(), commits(), stalled(), stopped()}
}

// readTopic has one partition, so that offsets say in what order records came.
const readTopic = "kcompare-verify"

func readTopics() []broker.Topic { return []broker.Topic{{Name: readTopic, Partitions: 1}} }

// firstPartition is all of readTopic.
var firstPartition = drivers.TopicPartition{Topic: readTopic}

// earlier is how many records stand in the topic before the consumer comes.
const earlier = 5

// wantsGroup is Experiment.Wants of what only members of a group do.
func wantsGroup(s Settings) string {
	if s["group.id"] == "" {
		return "no group.id"
	}
	return ""
}

// wantsClassic: with KIP-848 the broker says how often a member has to be heard of, and
// a member is told of nothing that JoinGroup carries.
func wantsClassic(s Settings) string {
	if s["group.protocol"] == "consumer" {
		return "because of group.protocol=consumer: the broker decides"
	}
	return wantsGroup(s)
}

// write puts n records into the topic, past the proxy.
func (s *Stand) write(ctx context.Context, n int) error {
	var records []drivers.Record
	for i := range n {
		records = append(records, drivers.Record{Topic: readTopic, Value: fmt.Appendf(nil, "record %d", i)})
	}
	return s.Reader.Write(ctx, records)
}

// trickle writes a record again and again, so that there is always one to be fetched
// and an offset to be committed. stop ends that, and says what went wrong.
func (s *Stand) trickle(ctx context.Context, every time.Duration) (stop func() error) {
	writing, cancel := context.WithCancel(ctx)
	var failed error
	var done sync.WaitGroup
	done.Go(func() {
		for s.Pause(writing, every) == nil {
			if err := s.write(writing, 1); err != nil && writing.Err() == nil {
				failed = err
				return
			}
		}
	})
	return func() error {
		cancel()
		done.Wait()
		return failed
	}
}

// readings are what polls returned.
type readings struct {
	offsets []int64
	failed  error // of the poll that ended it
}

// pollWhile polls until something has happened that it waits for meanwhile, as programs
// do, or until a poll fails. got is closed when the first record has come.
func pollWhile(ctx context.Context, c drivers.Consumer, happens func(ctx context.Context, got <-chan struct{}) error) (readings, error) {
	polling, stop := context.WithCancel(ctx)
	defer stop()
	got, waited := make(chan struct{}), make(chan error, 1)
	go func() {
		waited <- happens(polling, got)
		stop()
	}()
	var r readings
	for polling.Err() == nil && r.failed == nil {
		records, err := c.Poll(polling)
		if len(records) > 0 && len(r.offsets) == 0 {
			close(got)
		}
		for _, record := range records {
			r.offsets = append(r.offsets, record.Offset)
		}
		r.failed = err
	}
	stop()
	err := <-waited
	if r.failed != nil {
		return r, nil // the wait was broken off for it
	}
	return r, err
}

// leave closes a consumer. That a library does not come back in time fails nothing: who
// needs to know finds it noted.
func (s *Stand) leave(c drivers.Consumer) {
	if err := c.Close(); err != nil {
		s.Note("did not leave", saw(err.Error()))
	}
}
