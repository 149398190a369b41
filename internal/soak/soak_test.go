//go:build linux

package soak_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/soak"
	"kcompare/librdkafka"
)

// TestRun lets both clients work for one round, and looks at what was sampled.
func TestRun(t *testing.T) {
	rdkafka, err := librdkafka.New()
	if err != nil {
		t.Fatal(err)
	}
	const records = 500
	start := time.Now()
	var works []soak.Work
	for _, d := range []drivers.Driver{franz.New(), rdkafka} {
		traffic, err := soak.NewTraffic(d, records, func() time.Duration { return time.Since(start) })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(traffic.Close)
		work := traffic.Work()
		work.Times = 2 // the second one meets a new broker
		works = append(works, work)
	}
	var got []soak.Sample
	err = soak.Run(t.Context(), soak.Options{
		Works: works, For: time.Nanosecond, Every: time.Nanosecond, Now: time.Now,
		Sampled: func(s soak.Sample) error { got = append(got, s); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 {
		t.Fatalf("%d samples, expected one", len(got))
	}
	s := got[0]
	if s.Rounds != 1 || s.Records != 2*2*2*records || s.Heap <= 0 || s.RSS < s.Heap || s.Goroutines < 2 || s.Files < 3 {
		t.Errorf("%+v, expected one round of %d records, and what a process has at least", s, 2*2*2*records)
	}
}

// TestRunEnds where a work fails, and names it.
func TestRunEnds(t *testing.T) {
	fails := soak.Work{Name: "traffic", Times: 1, Do: func(context.Context) (int64, error) { return 0, context.Canceled }}
	err := soak.Run(t.Context(), soak.Options{Works: []soak.Work{fails}, For: time.Hour, Every: time.Hour, Now: time.Now})
	if err == nil || !strings.Contains(err.Error(), "round 1, traffic: ") {
		t.Errorf("%v, expected an error that names the round and the work", err)
	}
}

// TestRunGoesOn where a work found nothing out, and counts that.
func TestRunGoesOn(t *testing.T) {
	open := soak.Work{Name: "trial", Times: 2, Do: func(context.Context) (int64, error) { return 0, fmt.Errorf("%w: closed late", soak.ErrInconclusive) }}
	var got soak.Sample
	err := soak.Run(t.Context(), soak.Options{
		Works: []soak.Work{open}, For: time.Nanosecond, Every: time.Nanosecond, Now: time.Now,
		Sampled: func(s soak.Sample) error { got = s; return nil },
	})
	if err != nil || got.Rounds != 1 || got.Inconclusive != 2 {
		t.Errorf("%+v and %v, expected one round in which two were inconclusive", got, err)
	}
}

func TestTrials(t *testing.T) {
	for _, tc := range []struct{ name, variant, want string }{
		{"idempotnt", "", `unknown scenario "idempotnt"`},
		{"idempotent", "sends=never", `idempotent has no variant "sends=never"`},
	} {
		if _, err := soak.Trials(franz.New(), tc.name, tc.variant, time.Now); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s: %v, expected %s", tc.name, tc.variant, err, tc.want)
		}
	}
}
