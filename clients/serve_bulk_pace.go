package clients

import (
	"context"
	"time"

	"kcompare/drivers"
)

// clock is time as bulks have it.
type clock struct {
	now  func() time.Time
	rest func(time.Duration) // returns after so long, as exactly as the system can
}

func systemClock() clock { return clock{now: time.Now, rest: rest} }

// pace says when records are due.
type pace struct {
	clock
	rate  float64 // records a second; 0: all are due at once
	began time.Time
}

// due is when record n is to be handed over.
func (p *pace) due(n int64) time.Time {
	return p.began.Add(time.Duration(float64(n) / p.rate * float64(time.Second)))
}

// longestRest is how soon a wait sees that ctx has ended.
const longestRest = 50 * time.Millisecond

// await returns when record n is due, or with the error of ctx.
func (p *pace) await(ctx context.Context, n int64) error {
	due := p.due(n)
	for left := due.Sub(p.now()); left > 0; left = due.Sub(p.now()) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.rest(min(left, longestRest))
	}
	return nil
}

// since is the latency of record n, which is reported now: from when it was due, not
// from when it was handed over, so that a late start counts as waiting.
func (p *pace) since(n int64) uint32 { return micros(p.now().Sub(p.due(n))) }

// micros is a latency, which is never LatencyUnknown.
func micros(d time.Duration) uint32 {
	us := (d + time.Microsecond/2) / time.Microsecond
	return uint32(min(max(us, 0), time.Duration(drivers.LatencyUnknown)-1))
}
