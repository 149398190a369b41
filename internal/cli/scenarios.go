package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
)

type scenariosOptions struct {
	state *State
	names []string

	format string
}

func newScenarios(s *State) *cobra.Command {
	opts := &scenariosOptions{state: s}
	cmd := &cobra.Command{
		Use:   "scenarios [NAME]",
		Short: "List the scenarios, or explain one",
		RunE: func(_ *cobra.Command, args []string) error {
			opts.names = args
			return runScenarios(opts)
		},
	}
	cmd.Flags().StringVar(&opts.format, "format", formatText, "text or json")
	return cmd
}

// scenarioRow is a scenario as JSON shows it.
type scenarioRow struct {
	Name     string       `json:"name"`
	Core     bool         `json:"core"`
	Summary  string       `json:"summary"`
	Story    string       `json:"story"`
	Variants []variantRow `json:"variants"`
}

type variantRow struct {
	Name   string        `json:"name"`
	Kind   evidence.Kind `json:"kind"`
	Claim  string        `json:"claim"`
	About  string        `json:"about"`
	Faults []string      `json:"faults"`

	Needs   []string `json:"needs"`           // in words; all of the following are among them
	Kafka   string   `json:"kafka,omitempty"` // why it needs Apache Kafka
	Nodes   int      `json:"nodes,omitempty"` // the least number; absent for any
	Repeats bool     `json:"repeats"`         // the same seed gives the same counts
}

func runScenarios(opts *scenariosOptions) error {
	if err := oneOf("format", opts.format, formatText, formatJSON); err != nil {
		return err
	}
	if len(opts.names) > 1 {
		return usagef("scenarios explains one scenario at a time, got %q", opts.names)
	}
	chosen := scenario.All()
	if len(opts.names) == 1 {
		one, ok := scenario.ByName(opts.names[0])
		if !ok {
			return unknown("scenario", opts.names[0], scenario.Names())
		}
		chosen = []scenario.Scenario{one}
	}
	return renderScenarios(opts, chosen)
}

func renderScenarios(opts *scenariosOptions, chosen []scenario.Scenario) error {
	rows := make([]scenarioRow, 0, len(chosen))
	for _, s := range chosen {
		rows = append(rows, describeScenario(s))
	}
	switch {
	case opts.format == formatJSON:
		return writeJSON(opts.state.Stdout, rows)
	case len(opts.names) == 1:
		return explainScenario(opts.state.Stdout, rows[0])
	}
	return listScenarios(opts.state.Stdout, rows)
}

func describeScenario(s scenario.Scenario) scenarioRow {
	p := scenario.DefaultParameters()
	row := scenarioRow{Name: s.Name, Core: s.Core, Summary: s.Summary, Story: s.Story}
	for _, v := range s.Variants {
		vr := variantRow{
			Name: v.Name, Kind: v.Kind, Claim: v.Claim, About: v.About(p),
			Faults: v.FaultNames(p), Needs: v.Requirements(p),
			Kafka: v.NeedsKafka, Nodes: v.Nodes, Repeats: v.Repeats,
		}
		row.Variants = append(row.Variants, vr)
	}
	return row
}

func listScenarios(w io.Writer, rows []scenarioRow) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "SCENARIO\tCORE\tVARIANTS\tQUESTION")
	for _, r := range rows {
		core := "no"
		if r.Core {
			core = "yes"
		}
		fmt.Fprintf(tab, "%s\t%s\t%d\t%s\n", r.Name, core, len(r.Variants), r.Summary)
	}
	return tab.Flush()
}

func explainScenario(w io.Writer, r scenarioRow) error {
	if _, err := fmt.Fprintf(w, "%s: %s\n\n%s\n", r.Name, r.Summary, r.Story); err != nil {
		return err
	}
	for _, v := range r.Variants {
		if err := explainVariant(w, v); err != nil {
			return err
		}
	}
	return nil
}

func explainVariant(w io.Writer, v variantRow) error {
	lines := []string{
		fmt.Sprintf("\n%s", v.Name),
		fmt.Sprintf("    %s: %s", v.Kind, v.Claim),
		"    " + v.About,
	}
	for _, f := range v.Faults {
		lines = append(lines, "    fault: "+f)
	}
	for _, n := range v.Needs {
		lines = append(lines, "    needs: "+n)
	}
	if v.Repeats {
		lines = append(lines, "    the same seed gives the same counts")
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}
