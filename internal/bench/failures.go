package bench

import (
	"fmt"
	"sync"

	"kcompare/drivers"
)

// failures are the records of a bulk that a library reported as failed.
type failures struct {
	mu    sync.Mutex
	count int64
	first drivers.Reported
}

// note takes a run; it may be called from any goroutine.
func (f *failures) note(r drivers.Reported) {
	if r.Outcome == drivers.Acked {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == 0 {
		f.first = r
	}
	f.count += r.Count
}

// err is nil where there are none.
func (f *failures) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.count == 0:
		return nil
	case f.first.Err == nil:
		return fmt.Errorf("%d records were reported as failed, record %d first", f.count, f.first.First)
	}
	return fmt.Errorf("%d records were reported as failed, record %d first: %w", f.count, f.first.First, f.first.Err)
}
