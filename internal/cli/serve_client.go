package cli

import (
	"context"
	"fmt"
	"os/signal"
	"slices"

	"github.com/spf13/cobra"

	"kcompare/clients"
	"kcompare/drivers"
)

const serveClientCommand = "serve-client"

// newServeClient is a client of this build as a program of its own, which speaks
// clients/PROTOCOL.md on stdin and stdout: what it costs is then its alone. It is not for
// users.
func newServeClient(s *State) *cobra.Command {
	return &cobra.Command{
		Use:    serveClientCommand + " NAME",
		Short:  "Be a client's program (started by bench)",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%s: expected the name of one client", serveClientCommand)
			}
			signal.Reset() // whoever started it ends it
			d, _, err := s.builtIn(args[0])
			if err != nil {
				return err
			}
			if d == nil {
				return unknown("client", args[0], s.builtInNames())
			}
			return clients.Serve(s.Stdin, s.Stdout, d)
		},
	}
}

// builtIn makes the driver of a client that this build may have; is says whether it may.
func (s *State) builtIn(name string) (d drivers.Driver, is bool, err error) {
	i := slices.IndexFunc(s.Clients, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return nil, false, nil
	}
	if d, err = s.Clients[i].New(); err != nil {
		return nil, true, usagef("client %s is not available: %w", name, err)
	}
	return d, true, nil
}

func (s *State) builtInNames() []string {
	var names []string
	for _, c := range s.Clients {
		names = append(names, c.Name)
	}
	return names
}

// ownProgram is a client of this build in a process of its own.
func (s *State) ownProgram(ctx context.Context, name string) (drivers.Driver, error) {
	if s.Self == "" {
		return nil, fmt.Errorf("client %s: this program does not know where it lies, and cannot start itself again", name)
	}
	return s.start(ctx, clients.Program{Client: name, Command: []string{s.Self, serveClientCommand, name}})
}
