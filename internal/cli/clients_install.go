package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"kcompare/clients/install"
)

type installOptions struct {
	state    *State
	names    []string
	progress string
}

func newClientsInstall(s *State) *cobra.Command {
	opts := &installOptions{state: s}
	cmd := &cobra.Command{
		Use:   "install NAME[@VERSION]...|all",
		Short: "Make clients of other languages ready, each in an environment of its own",
		Long: `install makes clients ready that are programs of their own: a Python environment, a
folder of npm or jars of Maven in the user's cache directory (or $KCOMPARE_CACHE), in the
version that kcompare is tested with, held to the hashes of its lock files. NAME@VERSION is
another version of the same library beside it, franz@VERSION and librdkafka@VERSION too,
which the user's go builds. pip, npm, mvn and go read the settings that they always read.

Exit codes: 0 all is ready; 1 something could not be installed; 2 usage. all leaves out
what this machine cannot run, and says why.`,
		Example: `  kcompare clients install python java
  kcompare clients install python@2.11.1 franz@v1.21.7
  kcompare clients install all`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.names = args
			return runInstall(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.progress, "progress", progressAuto, "auto, plain or none, on stderr")
	return cmd
}

func runInstall(ctx context.Context, opts *installOptions) error {
	if err := oneOf("progress", opts.progress, progressAuto, progressPlain, progressNone); err != nil {
		return err
	}
	named, err := opts.parse()
	if err != nil {
		return err
	}
	results := opts.installAll(ctx, named)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	failed := 0
	for i, r := range results {
		switch {
		case r.err == nil:
			fmt.Fprintf(opts.state.Stdout, "%s: ready, %s\n", named[i].Given, r.library)
		case r.lacking && opts.names[0] == allClients:
			fmt.Fprintf(opts.state.Stderr, "kcompare: without %s: %v\n", named[i].Given, r.err)
		default:
			failed++
			fmt.Fprintf(opts.state.Stderr, "kcompare: install %s: %v\n", named[i].Given, r.err)
		}
	}
	if failed > 0 {
		return codeError(exitFailed)
	}
	return nil
}

// parse finds out everything that the user can get wrong before anything is made.
func (o *installOptions) parse() ([]install.Named, error) {
	names := o.names
	switch {
	case len(names) == 0:
		return nil, usagef("which client? expected %s, or all", strings.Join(catalogueNames(), ", "))
	case slices.Contains(names, allClients) && len(names) > 1:
		return nil, usagef("all stands alone")
	case names[0] == allClients:
		names = catalogueNames()
	}
	var all []install.Named
	for _, name := range names {
		n, err := install.Parse(name)
		base, _, _ := strings.Cut(name, "@")
		switch {
		case errors.Is(err, install.ErrUnknown) && o.state.hasBuiltIn(base):
			return nil, usagef("client %s is built in, there is nothing to install", base)
		case errors.Is(err, install.ErrUnknown):
			return nil, unknown("client", base, append(catalogueNames(), allClients))
		case err != nil:
			return nil, usagef("client %w", err)
		}
		if !slices.ContainsFunc(all, func(a install.Named) bool { return a.Folder() == n.Folder() }) {
			all = append(all, n)
		}
	}
	return all, nil
}

func catalogueNames() []string {
	var names []string
	for _, c := range install.Catalogue() {
		names = append(names, c.Name)
	}
	return names
}

func (s *State) hasBuiltIn(name string) bool {
	return slices.ContainsFunc(s.Clients, func(c Client) bool { return c.Name == name })
}

// installed is what came of one install.
type installResult struct {
	library string
	lacking bool // this machine cannot have it
	err     error
}

// installsAtATime is how many tools work side by side: they wait for registries.
const installsAtATime = 4

func (o *installOptions) installAll(ctx context.Context, named []install.Named) []installResult {
	results := make([]installResult, len(named))
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(installsAtATime)
	for i, n := range named {
		say := func(line string) {
			if o.progress == progressNone {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(o.state.Stderr, "%s: %s\n", n.Given, line)
		}
		group.Go(func() error {
			results[i] = o.state.install(ctx, n, say)
			return nil
		})
	}
	_ = group.Wait() // none returns one
	return results
}

// install makes one client ready and has it say who it is.
func (s *State) install(ctx context.Context, n install.Named, say func(string)) installResult {
	if !s.Installed.Ready(n) {
		if err := s.Installed.Lacking(ctx, n); err != nil {
			return installResult{err: err, lacking: true}
		}
		if err := s.Installed.Install(ctx, n, say); err != nil {
			return installResult{err: err}
		}
	}
	d, err := s.installed(ctx, n)
	if err != nil {
		return installResult{err: err}
	}
	return installResult{library: d.Library().String()}
}
