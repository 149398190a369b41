package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kcompare/internal/config"
	"kcompare/internal/explain"
	"kcompare/internal/report"
)

type configDefaultsOptions struct {
	state *State

	differing bool
	clients   []string
	output    output
}

func newConfigDefaults(s *State) *cobra.Command {
	opts := &configDefaultsOptions{state: s}
	cmd := &cobra.Command{
		Use:   "defaults",
		Short: "The defaults of every client side by side, those that differ marked",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return runConfigDefaults(opts) },
	}
	cmd.Flags().BoolVar(&opts.differing, "differing", false, "only those that differ")
	clientsFlag(cmd, &opts.clients)
	opts.output.flags(cmd)
	return cmd
}

func runConfigDefaults(opts *configDefaultsOptions) error {
	if err := checkClients(opts.clients); err != nil {
		return err
	}
	if err := opts.output.check(); err != nil {
		return err
	}
	all := explain.Defaults(opts.clients)
	differ := append([]explain.Default{}, all...)
	differ = slices.DeleteFunc(differ, func(d explain.Default) bool { return !d.Differs })
	rows := all
	if opts.differing {
		rows = differ
	}
	t := defaultsTable(opts.clients, rows)
	t.Notes = []string{
		fmt.Sprintf("%d of %d differ. Times are in ms, and values in librdkafka's spelling, where a word says it all.", len(differ), len(all)),
		"`config explain KEY` says more.",
	}
	return opts.output.writeTables(opts.state, rows, t)
}

func defaultsTable(clients []string, rows []explain.Default) report.Table {
	t := report.Table{Columns: []report.Column{{Name: "KEY"}, {Name: "FOR"}}}
	library := map[string]string{"franz": "franz-go", "librdkafka": "librdkafka", "java": "kafka-clients"}
	for _, c := range clients {
		t.Columns = append(t.Columns, report.Column{Name: library[c] + " " + config.Newest(library[c]).Name})
	}
	t.Columns = append(t.Columns, report.Column{Name: "DIFFERS"})
	for _, d := range rows {
		cells := []string{d.Key, strings.Replace(d.For, "producer, consumer", "both", 1)}
		for _, c := range clients {
			cells = append(cells, defaultCell(d, c))
		}
		mark := ""
		if d.Differs {
			mark = "yes"
		}
		t.Rows = append(t.Rows, append(cells, mark))
	}
	return t
}

func defaultCell(d explain.Default, client string) string {
	cell := brief(d.Clients[client])
	if client == "librdkafka" && d.Since != "" {
		return cell + " (from " + d.Since + " on)"
	}
	return cell
}

// brief leaves out what a default says about itself, so that a row fits into a line.
func brief(cell string) string {
	const room = 25
	if word, _, explained := strings.Cut(cell, " ("); explained {
		cell = word
	}
	if len(cell) > room {
		return cell[:room-3] + "..."
	}
	return cell
}
