package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kcompare/drivers"
)

// producesPaced makes a bulk at a rate that every library keeps up with. No record may be
// handed over before it is due, and each needs the time until its report.
func producesPaced(ctx context.Context, s Subject) error {
	b := drivers.Bulk{Partition: drivers.AnyPartition, Count: 400, Keys: 7, ValueBytes: 20, Rate: 2000}
	topic, err := s.Cluster.CreateTopic(ctx, 3)
	if err != nil {
		return err
	}
	b.Topic = topic
	var l bulkLedger
	err = s.withProducer(s.settings(pairs{"linger.ms": "5"}), func(p drivers.Producer) error {
		many, able := p.(drivers.BulkProducer)
		if !able {
			return fmt.Errorf("a producer: expected a drivers.BulkProducer, got a %T", p)
		}
		began := time.Now()
		made, err := many.ProduceMany(ctx, b, l.note)
		if err != nil {
			return err
		}
		return errors.Join(isPaced(b, made, time.Since(began)), areLatencies(made.Latencies, made.Elapsed))
	})
	if err != nil {
		return err
	}
	log, err := s.Cluster.Log(ctx, topic)
	return errors.Join(err, l.eachInLog(b, log))
}

// isPaced expects that the last record was due before everything was reported.
func isPaced(b drivers.Bulk, made drivers.Produced, took time.Duration) error {
	least := time.Duration(float64(b.Count-1) / b.Rate * float64(time.Second))
	switch {
	case int64(len(made.Latencies)) != b.Count:
		return fmt.Errorf("expected a latency for each of %d records, got %d", b.Count, len(made.Latencies))
	case made.Elapsed < least || made.Elapsed > took:
		return fmt.Errorf("%d records at %g a second: expected a time of %s at least and %s at most, got %s", b.Count, b.Rate, least, took, made.Elapsed)
	}
	return nil
}

// areLatencies expects times that can be, of work that took so long in all.
func areLatencies(latencies []uint32, elapsed time.Duration) error {
	if n := slices.Index(latencies, drivers.LatencyUnknown); n >= 0 {
		return fmt.Errorf("latency %d is unknown, expected all of them where nothing fails", n)
	}
	const rounding = time.Microsecond
	for n, us := range latencies {
		if us == 0 || time.Duration(us)*time.Microsecond > elapsed+rounding {
			return fmt.Errorf("latency %d: expected more than nothing and no more than the %s of all, got %d us", n, elapsed, us)
		}
	}
	return nil
}
