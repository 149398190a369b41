package cli

import (
	"context"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"kcompare/drivers"
	"kcompare/internal/child"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
)

const contestantCommand = "contestant"

// newContestant is the other side of a run that starts clients as processes of their
// own. It is not for users: it reads a task and speaks in events.
func newContestant(s *State) *cobra.Command {
	return &cobra.Command{
		Use:    contestantCommand,
		Short:  "Play a part of a story (started by run)",
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Reset() // what SIGTERM does is a part of the story
			return scenario.Contest(cmd.Context(), scenario.Ring{
				In: s.Stdin, Out: s.Stdout, Terminated: terminated,
				Driver: func(name string) (drivers.Driver, error) { return s.contestant(cmd.Context(), name) },
			})
		},
	}
}

// terminated handles SIGTERM from now on, until the process ends.
func terminated() <-chan struct{} {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	return ctx.Done()
}

// shareContestants gives all trials the means to start contestants. The starter is to
// be closed when nothing is to be started any more, and ends what still runs.
func (o *runOptions) shareContestants(specs []trial.Spec) *child.Starter {
	starter := child.NewStarter()
	for i := range specs {
		if o.state.Self != "" {
			specs[i].Contestants = &trial.Contestants{Starter: starter, Path: o.state.Self, Args: []string{contestantCommand}}
		}
	}
	return starter
}
