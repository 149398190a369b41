package install

import (
	"context"
	"fmt"
	"time"
)

const (
	lockSuffix = ".lock"
	lockPoll   = 100 * time.Millisecond
)

// lock waits until nobody else makes the folder that a file stands for. The system gives
// the lock back when its holder ends, however it ends. The file stays: whoever removed
// it would take it from under one who waits.
func lock(ctx context.Context, path string, say func(line string)) (unlock func(), err error) {
	unlock, ok, err := tryLock(path)
	if err == nil && !ok {
		say("waits for another kcompare that installs it")
	}
	for tick := time.Tick(lockPoll); err == nil && !ok; unlock, ok, err = tryLock(path) {
		select {
		case <-tick:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return unlock, nil
}
