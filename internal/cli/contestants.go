package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"kcompare/clients"
	"kcompare/clients/install"
	"kcompare/drivers"
)

const (
	allClients = "all"
	execClient = "exec:"

	// helloTime bounds what programs may take to say who they are, all side by side. One
	// that is not there by then is one that does not work.
	helloTime = 20 * time.Second
)

// clientNames reads the values of --client: names with commas between them. What begins
// with exec: is a command, which takes the rest of its value, commas included.
func clientNames(values []string) []string {
	var names []string
	for _, value := range values {
		for more := true; more; {
			name := value
			if more = !strings.HasPrefix(value, execClient); more {
				name, value, more = strings.Cut(value, ",")
			}
			names = append(names, name)
		}
	}
	return names
}

// contestants makes the drivers that --client names: "all" are those that this build has
// and those that are installed. Asking by name for one that is not there is an error
// that says how to get it.
func (s *State) contestants(ctx context.Context, values []string) ([]drivers.Driver, error) {
	names, err := distinctClients(values)
	if err != nil {
		return nil, err
	}
	if names[0] == allClients {
		return s.available(ctx), nil
	}
	chosen := make([]drivers.Driver, len(names))
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() (err error) {
			chosen[i], err = s.contestant(ctx, name)
			return err
		})
	}
	return chosen, group.Wait()
}

// distinctClients reads the values of --client where each may be named once, and all
// stands alone.
func distinctClients(values []string) ([]string, error) {
	names := clientNames(values)
	list := strings.Join(names, ",")
	for i, name := range names {
		switch {
		case name == allClients && len(names) > 1:
			return nil, usagef("--client=%s: all stands alone", list)
		case slices.Contains(names[:i], name):
			return nil, usagef("--client=%s: %s is named twice", list, name)
		}
	}
	return names, nil
}

// contestant makes one driver.
func (s *State) contestant(ctx context.Context, name string) (drivers.Driver, error) {
	if command, is := strings.CutPrefix(name, execClient); is {
		return s.stranger(ctx, name, command)
	}
	if d, is, err := s.builtIn(name); is {
		return d, err
	}
	named, err := install.Parse(name)
	if errors.Is(err, install.ErrUnknown) {
		base, _, _ := strings.Cut(name, "@")
		return nil, unknown("client", base, append(s.clientNames(), allClients))
	}
	if err != nil {
		return nil, usagef("client %w", err)
	}
	return s.installed(ctx, named)
}

// clientNames are those without a version that --client takes.
func (s *State) clientNames() []string {
	names := s.builtInNames()
	for _, c := range install.Catalogue() {
		names = append(names, c.Name)
	}
	return names
}

// installed starts a client that is in the cache.
func (s *State) installed(ctx context.Context, named install.Named) (drivers.Driver, error) {
	program, err := s.Installed.Find(ctx, named)
	if err != nil {
		return nil, usagef("client %s: %w", named.Given, err)
	}
	return s.start(ctx, program)
}

// stranger starts the user's own program.
func (s *State) stranger(ctx context.Context, name, command string) (drivers.Driver, error) {
	words, err := clients.Words(command)
	if err != nil {
		return nil, usagef("--client=%s: %w", name, err)
	}
	return s.start(ctx, clients.Program{Client: name, Command: words})
}

func (s *State) start(ctx context.Context, program clients.Program) (drivers.Driver, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, helloTime, fmt.Errorf("it did not say who it is within %v", helloTime))
	defer cancel()
	d, err := clients.New(ctx, s.starter, program)
	if err != nil {
		return nil, fmt.Errorf("client %s: %w", program.Client, err)
	}
	return d, nil
}

// available makes every driver that this build has, and every client that is installed
// in its pinned version. It says which of them could not be made.
func (s *State) available(ctx context.Context) []drivers.Driver {
	var makers []func() (drivers.Driver, error)
	var names []string
	for _, c := range s.Clients {
		names, makers = append(names, c.Name), append(makers, c.New)
	}
	for _, n := range s.ready() {
		names, makers = append(names, n.Given), append(makers, func() (drivers.Driver, error) { return s.installed(ctx, n) })
	}
	made, errs := make([]drivers.Driver, len(makers)), make([]error, len(makers))
	var group errgroup.Group
	for i, maker := range makers {
		group.Go(func() error {
			made[i], errs[i] = maker()
			return nil
		})
	}
	_ = group.Wait() // none returns one
	var all []drivers.Driver
	for i, d := range made {
		if errs[i] != nil {
			fmt.Fprintf(s.Stderr, "kcompare: without %s: %v\n", names[i], errs[i])
			continue
		}
		all = append(all, d)
	}
	return all
}

// ready are the shipped clients that are installed.
func (s *State) ready() []install.Named {
	var all []install.Named
	for _, c := range install.Catalogue() {
		if n, err := install.Parse(c.Name); err == nil && s.Installed.Ready(n) {
			all = append(all, n)
		}
	}
	return all
}

// running is a driver that can make clients: where it is a program, a process of it that
// lives as long as this one.
func (s *State) running(ctx context.Context, name string) (drivers.Driver, error) {
	d, err := s.contestant(ctx, name)
	if program, is := d.(drivers.Program); is {
		return program.Start(ctx)
	}
	return d, err
}
