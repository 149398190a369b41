package trial_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
)

// inProgram is a driver as if its library lived in a process.
type inProgram struct {
	drivers.Driver
	refuses, fault error
	closed         int
}

func (p *inProgram) Start(context.Context) (drivers.Running, error) {
	if p.refuses != nil {
		return nil, p.refuses
	}
	return p, nil
}

func (p *inProgram) Fault() error { return p.fault }

func (p *inProgram) Process() int { return 0 }

func (p *inProgram) Close() { p.closed++ }

// TestFaultOfProgram: a trial whose client's program did something wrong proves nothing
// of the library, neither that its promise holds nor that it is broken.
func TestFaultOfProgram(t *testing.T) {
	broken := errors.New("the program of franz ended before it was asked to: exit status 3")
	losing := meddler{Driver: franz.New(), producer: func(p drivers.Producer) drivers.Producer { return &secretive{Producer: p} }}
	for name, tt := range map[string]struct {
		program *inProgram
		want    evidence.Verdict
		reason  string
		closed  int
	}{
		"all is well":       {&inProgram{Driver: franz.New()}, evidence.Holds, "", 1},
		"does not start":    {&inProgram{Driver: franz.New(), refuses: errors.New("no such library")}, evidence.Inconclusive, "franz could not be started: no such library", 0},
		"dies":              {&inProgram{Driver: franz.New(), fault: broken}, evidence.Inconclusive, broken.Error(), 1},
		"loses":             {&inProgram{Driver: losing}, evidence.Violated, "", 1},
		"dies, and it lost": {&inProgram{Driver: losing, fault: broken}, evidence.Inconclusive, broken.Error(), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := play(t, spec(t, idempotentSequential, tt.program))
			if got.Verdict != tt.want || tt.reason != "" && !slices.Contains(got.Reasons, tt.reason) {
				t.Errorf("verdict is %s because of %q, want %s because of %q", got.Verdict, got.Reasons, tt.want, tt.reason)
			}
			if tt.program.closed != tt.closed {
				t.Errorf("its process was closed %d times, want %d", tt.program.closed, tt.closed)
			}
		})
	}
}
