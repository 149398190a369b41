package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"kcompare/clients/install"
	"kcompare/drivers"
)

type clientsOptions struct {
	state  *State
	format string
}

func newClients(s *State) *cobra.Command {
	opts := &clientsOptions{state: s}
	cmd := &cobra.Command{
		Use:   "clients",
		Short: "Which client libraries are built in or installed, their exact versions, what each lacks",
		Long: `clients lists every client library that kcompare can compare: those built in, those of
other languages, and other versions that were installed. A version is what the library
says of itself when it is started.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("command", args[0], commandNames(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runClients(cmd.Context(), opts) },
	}
	cmd.Flags().StringVar(&opts.format, "format", formatText, "text or json")
	cmd.AddCommand(newClientsInstall(s), newClientsCheck(s))
	return cmd
}

// The states of a client.
const (
	stateReady        = "ready"
	stateNotInstalled = "not installed" // how_to_get installs it
	stateUnavailable  = "not available" // how_to_get says what this machine or build lacks
	stateBroken       = "broken"        // it is installed, and does not start
)

// clientRow is one line of the answer.
type clientRow struct {
	Client    string   `json:"client"`
	Library   string   `json:"library"` // empty when it is not available
	Available bool     `json:"available"`
	State     string   `json:"state"`
	Lacks     []string `json:"lacks"`
	HowToGet  string   `json:"how_to_get,omitempty"`
}

func runClients(ctx context.Context, opts *clientsOptions) error {
	if err := oneOf("format", opts.format, formatText, formatJSON); err != nil {
		return err
	}
	rows := opts.state.describeClients(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if opts.format == formatJSON {
		return writeJSON(opts.state.Stdout, rows)
	}
	return renderClients(opts.state.Stdout, rows)
}

// describeClients asks all clients side by side.
func (s *State) describeClients(ctx context.Context) []clientRow {
	var describe []func() clientRow
	for _, c := range s.Clients {
		describe = append(describe, func() clientRow { return describeClient(c) })
	}
	for _, n := range s.known() {
		describe = append(describe, func() clientRow { return s.describeProgram(ctx, n) })
	}
	rows := make([]clientRow, len(describe))
	var group errgroup.Group
	for i, row := range describe {
		group.Go(func() error {
			rows[i] = row()
			return nil
		})
	}
	_ = group.Wait() // none returns one
	return rows
}

// known are the shipped clients, and the other versions that were installed.
func (s *State) known() []install.Named {
	var all []install.Named
	for _, c := range install.Catalogue() {
		if n, err := install.Parse(c.Name); err == nil {
			all = append(all, n)
		}
	}
	return append(all, s.Installed.Others()...)
}

func describeClient(c Client) clientRow {
	d, err := c.New()
	if err != nil {
		return clientRow{Client: c.Name, State: stateUnavailable, Lacks: []string{}, HowToGet: err.Error()}
	}
	return readyRow(c.Name, d)
}

func readyRow(name string, d drivers.Driver) clientRow {
	return clientRow{Client: name, Library: d.Library().String(), Available: true, State: stateReady, Lacks: lacks(d)}
}

// describeProgram starts a client that is installed, and asks whether one that is not
// can be.
func (s *State) describeProgram(ctx context.Context, n install.Named) clientRow {
	row := clientRow{Client: n.Given, State: stateNotInstalled, Lacks: []string{}, HowToGet: n.How()}
	if !s.Installed.Ready(n) {
		if err := s.Installed.Lacking(ctx, n); err != nil {
			row.State, row.HowToGet = stateUnavailable, err.Error()
		}
		return row
	}
	d, err := s.installed(ctx, n)
	if err != nil {
		row.State, row.HowToGet = stateBroken, err.Error()
		return row
	}
	return readyRow(n.Given, d)
}

func lacks(d drivers.Driver) []string {
	return append([]string{}, drivers.All().Lacking(d.Abilities())...)
}

func renderClients(w io.Writer, rows []clientRow) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "CLIENT\tLIBRARY\tLACKS")
	for _, r := range rows {
		if r.Available {
			lacking := strings.Join(r.Lacks, ", ")
			if lacking == "" {
				lacking = "nothing"
			}
			fmt.Fprintf(tab, "%s\t%s\t%s\n", r.Client, r.Library, lacking)
		} else {
			first, _, _ := strings.Cut(r.HowToGet, "\n")
			fmt.Fprintf(tab, "%s\t%s\t%s\n", r.Client, r.State, first)
		}
	}
	return tab.Flush()
}

func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}
