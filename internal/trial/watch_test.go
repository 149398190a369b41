package trial

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kcompare/internal/evidence"
)

// TestQuiet: what the broker has not answered is waited for, until it is answered or
// its connection has ended, or time is up.
func TestQuiet(t *testing.T) {
	open := evidence.Exchange{N: 1, API: "Produce", Forwarded: true}
	answered := open
	answered.Answered = true
	for name, tt := range map[string]struct {
		trace   evidence.Exchange
		settled *evidence.Exchange // a second later
		want    time.Duration
		err     error
	}{
		"answered":         {trace: answered},
		"never forwarded":  {trace: evidence.Exchange{N: 1, API: "Produce"}},
		"another API":      {trace: evidence.Exchange{N: 1, API: "Fetch", Forwarded: true}},
		"answered later":   {trace: open, settled: &answered, want: time.Second},
		"connection ended": {trace: open, settled: &open, want: time.Second},
		"never":            {trace: open, want: 3 * time.Second, err: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				var x exchanges
				var now atomic.Pointer[evidence.Exchange]
				now.Store(&tt.trace)
				begin := time.Now()
				if tt.settled != nil {
					time.AfterFunc(time.Second, func() {
						now.Store(tt.settled)
						x.settled(*tt.settled)
					})
				}
				err := x.quiet(ctx, func() []evidence.Exchange { return []evidence.Exchange{*now.Load()} })
				if took := time.Since(begin); took != tt.want || !errors.Is(err, tt.err) {
					t.Errorf("returned %v after %v, want %v after %v", err, took, tt.err, tt.want)
				}
			})
		})
	}
}
