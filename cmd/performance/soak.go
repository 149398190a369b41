package main

import (
	"context"
	"io"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/performance"
	"kcompare/internal/soak"
	"kcompare/librdkafka"
)

// soakRecords is what a client writes and reads in one round.
const soakRecords = 50_000

// soak works with both Go clients in this process, so that what drivers, proxy, broker, trials
// and audit hold is all seen.
func (o options) soak(ctx context.Context) error {
	rdkafka, err := librdkafka.New()
	if err != nil {
		return err
	}
	start := time.Now()
	clock := func() time.Duration { return time.Since(start) }
	var works []soak.Work
	for _, d := range []drivers.Driver{franz.New(), rdkafka} {
		traffic, err := soak.NewTraffic(d, soakRecords, clock)
		if err != nil {
			return err
		}
		defer traffic.Close() // two of them, and both stay until the end
		idempotent, err := soak.Trials(d, "idempotent", "enable.idempotence=false,sends=concurrent", time.Now)
		if err != nil {
			return err
		}
		works = append(works, traffic.Work(), idempotent)
	}
	return o.record(ctx, performance.Soak, func(out io.Writer) error {
		return soak.Run(ctx, soak.Options{
			Works: works, For: o.lasting, Every: o.every, Now: time.Now,
			Sampled: func(s soak.Sample) error { return performance.WriteSample(out, s) },
		})
	})
}
