package trial

import (
	"context"
	"fmt"

	"kcompare/drivers"
)

// startClient gets a process for a client that lives in one, which this trial has alone
// until stopClient, and says whether there is a client to play with.
func (r *run) startClient(ctx context.Context) bool {
	program, is := r.spec.Driver.(drivers.Program)
	if !is {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, makingTime)
	defer cancel()
	running, err := program.Start(ctx)
	if err != nil {
		r.observed.Trial.Conditions.Program = fmt.Sprintf("%s could not be started: %v", program.Client(), err)
		return false
	}
	r.client = running
	return true
}

// stopClient ends it.
func (r *run) stopClient() {
	if running, is := r.client.(drivers.Running); is {
		running.Close()
	}
}

// noteProgram notes what the client's program itself did wrong.
func (r *run) noteProgram() {
	running, is := r.client.(drivers.Running)
	if !is {
		return
	}
	if err := running.Fault(); err != nil {
		r.observed.Trial.Conditions.Program = err.Error()
	}
}
