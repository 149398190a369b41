package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// looped is a player in this process: the loops of a bulk over a driver, plain and slow.
type looped struct {
	driver   drivers.Driver
	producer drivers.Producer
	consumer drivers.Consumer
	work     evidence.BenchWork
	lie      func(map[string]string) // about its settings; nil: it does as it is told
}

func (l *looped) About() About {
	can := l.driver.Abilities()
	can.Bulk, can.Paced, can.BulkTransactions = true, true, true
	return About{Library: l.driver.Library(), Can: can}
}

func (l *looped) Differences(drivers.Role, drivers.Settings) ([]string, error) { return nil, nil }
func (l *looped) Process() int                                                 { return 0 }

func (l *looped) Close() {
	if l.producer != nil {
		_ = l.producer.Close()
	}
	if l.consumer != nil {
		_ = l.consumer.Close()
	}
}

func (l *looped) Ready(ctx context.Context, s Stage) (err error) {
	l.Close()
	l.work = s.Work
	config := map[string]string{"bootstrap.servers": s.Servers}
	for key, value := range s.Config {
		config[key] = value
	}
	if l.lie != nil {
		l.lie(config)
	}
	switch s.Work {
	case evidence.BenchConsume:
		l.consumer, err = l.driver.NewConsumer(drivers.Settings{Config: config})
		return err
	case evidence.BenchTransactions:
		config["transactional.id"] = s.ID
		p, err := l.driver.NewTransactionalProducer(drivers.Settings{Config: config})
		if err != nil {
			return err
		}
		l.producer = p
		return p.Init(ctx)
	}
	if l.producer, err = l.driver.NewProducer(drivers.Settings{Config: config}); err != nil {
		return err
	}
	_, err = l.produce(ctx, Turn{Topic: s.Warm, Load: evidence.BenchLoad{Records: 1}})
	return err
}

func (l *looped) Play(ctx context.Context, t Turn) (Played, error) {
	switch l.work {
	case evidence.BenchConsume:
		return l.consume(ctx, t)
	case evidence.BenchTransactions:
		p := l.producer.(drivers.TransactionalProducer)
		if err := p.Begin(ctx); err != nil {
			return Played{}, err
		}
		played, err := l.produce(ctx, t)
		_, end := p.Commit(ctx)
		return played, errors.Join(err, end)
	}
	return l.produce(ctx, t)
}

func (l *looped) produce(ctx context.Context, t Turn) (Played, error) {
	played := Played{Latencies: make([]uint32, t.Load.Records)}
	var reported sync.WaitGroup
	var mu sync.Mutex
	var failed error
	start := time.Now()
	for n := range t.Load.Records {
		due := start
		if t.Load.Rate > 0 {
			due = start.Add(time.Duration(float64(n) / t.Load.Rate * float64(time.Second)))
			<-time.After(time.Until(due))
		}
		r := drivers.Record{Topic: t.Topic, Partition: drivers.AnyPartition, Value: fmt.Appendf(nil, "%-*d", t.Load.RecordBytes, n)}
		if t.Load.Keys > 0 {
			r.Key = fmt.Appendf(nil, "key-%d", n%t.Load.Keys)
		}
		reported.Add(1)
		l.producer.Produce(ctx, r, func(d drivers.Delivery) {
			defer reported.Done()
			if played.Latencies[n] = uint32(time.Since(due).Microseconds()); d.Err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = d.Err
			}
		})
	}
	reported.Wait()
	played.Elapsed = time.Since(start)
	return played, failed
}

func (l *looped) consume(ctx context.Context, t Turn) (Played, error) {
	var from []drivers.Position
	for partition := range t.Load.Partitions {
		from = append(from, drivers.Position{TopicPartition: drivers.TopicPartition{Topic: t.Topic, Partition: partition}, Offset: drivers.OffsetStart})
	}
	if err := l.consumer.Assign(ctx, from); err != nil {
		return Played{}, err
	}
	var played Played
	for n := int64(0); n < t.Load.Records && ctx.Err() == nil; {
		records, err := l.consumer.Poll(ctx)
		if err != nil {
			return played, err
		}
		for _, r := range records {
			played.Runs = append(played.Runs, drivers.Run{TopicPartition: drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition}, First: r.Offset, Count: 1})
		}
		n += int64(len(records))
	}
	return played, ctx.Err()
}
