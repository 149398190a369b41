package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
		Short: "Which client libraries are built in, their exact versions, what each lacks",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return runClients(opts) },
	}
	cmd.Flags().StringVar(&opts.format, "format", formatText, "text or json")
	return cmd
}

// clientRow is one line of the answer.
type clientRow struct {
	Client    string   `json:"client"`
	Library   string   `json:"library"` // empty when it is not available
	Available bool     `json:"available"`
	Lacks     []string `json:"lacks"`
	HowToGet  string   `json:"how_to_get,omitempty"`
}

func runClients(opts *clientsOptions) error {
	if err := oneOf("format", opts.format, formatText, formatJSON); err != nil {
		return err
	}
	rows := make([]clientRow, 0, len(opts.state.Clients))
	for _, c := range opts.state.Clients {
		rows = append(rows, describeClient(c))
	}
	if opts.format == formatJSON {
		return writeJSON(opts.state.Stdout, rows)
	}
	return renderClients(opts.state.Stdout, rows)
}

func describeClient(c Client) clientRow {
	d, err := c.New()
	if err != nil {
		return clientRow{Client: c.Name, Lacks: []string{}, HowToGet: err.Error()}
	}
	return clientRow{Client: c.Name, Library: d.Library().String(), Available: true, Lacks: lacks(d)}
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
			fmt.Fprintf(tab, "%s\tnot available\t%s\n", r.Client, r.HowToGet)
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
