package drivertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"kcompare/drivers"
)

// tellsFigures holds a library that tells of itself to what it was given, on a cluster
// where nothing goes wrong. It may count a little later than it reports.
func tellsFigures(ctx context.Context, s Subject) error {
	const records = 20
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	settings := s.settings(nil)
	settings.Figures = true
	return s.withProducer(settings, func(p drivers.Producer) error {
		teller, tells := p.(drivers.Teller)
		if !tells {
			return fmt.Errorf("a producer that figures are asked of: expected a drivers.Teller, got a %T", p)
		}
		var l ledger
		if err := l.send(ctx, p, numbered(topic, "payments", records, 1)...); err != nil {
			return err
		}
		return tellsInTheEnd(ctx, teller, drivers.Figures{
			drivers.RecordsTaken: strconv.Itoa(records), drivers.RecordsSent: strconv.Itoa(records),
			drivers.RecordsWaiting: "0", drivers.RecordsInFlight: "0",
		})
	})
}

// tellsInTheEnd asks until the library says so, or has had its time. What it does not
// tell is not asked for.
func tellsInTheEnd(ctx context.Context, t drivers.Teller, want drivers.Figures) error {
	until := time.After(prompt)
	for {
		got, err := t.Figures(ctx)
		if err != nil {
			return err
		}
		wrong := differing(got, want)
		if wrong.err() == nil {
			return nil
		}
		select {
		case <-until:
			return wrong.err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func differing(got, want drivers.Figures) *findings {
	f := &findings{}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !slices.Contains(drivers.FigureNames(), name) {
			f.add("%s: expected one of %q", name, drivers.FigureNames())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if value, told := got[name]; told && value != want[name] {
			f.add("%s: expected %s, it says %s", name, want[name], value)
		}
	}
	return f
}
