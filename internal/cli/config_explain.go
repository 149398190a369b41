package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kcompare/internal/config"
	"kcompare/internal/explain"
	"kcompare/internal/report"
)

type configExplainOptions struct {
	state *State
	asked []explain.Asked

	clients []string
	output  output
}

func newConfigExplain(s *State) *cobra.Command {
	opts := &configExplainOptions{state: s}
	cmd := &cobra.Command{
		Use:   "explain KEY[=VALUE]...",
		Short: "What each client makes of a setting: name, default, range, the value in its words, what is not the same",
		Long: `Explains settings together: what each is called in each client and what it does there,
its default and range, what the given value is in each client's words, where it shows on
the wire, what is not the same, and which settings do not go together.

KEY is a name of librdkafka or Java, an option of franz-go (ProducerLinger), a keyword
argument (linger_ms), a constant (LINGER_MS_CONFIG), or a part that only one has (linger).`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("config explain: expected KEY or KEY=VALUE, such as linger.ms=5")
			}
			opts.asked = asked(args)
			return runConfigExplain(opts)
		},
	}
	clientsFlag(cmd, &opts.clients)
	opts.output.flags(cmd)
	return cmd
}

// clientsFlag is --client of the commands about settings.
func clientsFlag(cmd *cobra.Command, clients *[]string) {
	cmd.Flags().StringSliceVar(clients, "client", explain.Clients(), "which clients: franz, librdkafka, java")
}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", formatText, "text, markdown or json")
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write to this file instead of stdout")
}

func asked(args []string) []explain.Asked {
	var all []explain.Asked
	for _, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		a := explain.Asked{Name: strings.TrimSpace(name)}
		if given {
			a.Value = &value
		}
		all = append(all, a)
	}
	return all
}

func checkClients(names []string) error {
	for i, name := range names {
		switch {
		case !slices.Contains(explain.Clients(), name):
			return unknown("client", name, explain.Clients())
		case slices.Contains(names[:i], name):
			return usagef("--client names %s twice", name)
		}
	}
	return nil
}

func runConfigExplain(opts *configExplainOptions) error {
	if err := checkClients(opts.clients); err != nil {
		return err
	}
	if err := opts.output.check(); err != nil {
		return err
	}
	all, err := explain.Explain(opts.asked, opts.clients)
	var wrong *config.Error
	if errors.As(err, &wrong) {
		return usageError{wrong}
	}
	if err != nil {
		return err
	}
	if err := opts.output.writeTables(opts.state, all, explained(all, opts.state.Width)...); err != nil {
		return err
	}
	for _, e := range all {
		if e.Bad() {
			return finish(exitWrong)
		}
	}
	return nil
}

func explained(all []explain.Explanation, width int) []report.Table {
	var tables []report.Table
	for _, e := range all {
		tables = append(tables, explainedOne(e, width))
	}
	if broken := brokenOf(all); len(broken) > 0 {
		tables = append(tables, report.Table{Title: "Together", Notes: broken, Width: width})
	}
	return tables
}

// brokenOf is each rule that the given values break, once.
func brokenOf(all []explain.Explanation) []string {
	var lines []string
	seen := map[string]bool{}
	for _, e := range all {
		for _, c := range e.Conflicts {
			if line := ruleLine(c); c.Broken && !seen[line] {
				seen[line] = true
				lines = append(lines, "wrong: "+line)
			}
		}
	}
	return lines
}

func ruleLine(c explain.Conflict) string { return strings.Join(c.Keys, " and ") + ": " + c.Reason }

func explainedOne(e explain.Explanation, width int) report.Table {
	t := report.Table{
		Title:   e.Key,
		Width:   width,
		Columns: []report.Column{{Name: "CLIENT"}, {Name: "NAME"}, {Name: "DEFAULT"}, {Name: "RANGE"}},
	}
	if e.Value != nil {
		t.Title += "=" + *e.Value
		t.Columns = append(t.Columns, report.Column{Name: t.Title + " IS"})
	}
	for _, c := range e.Clients {
		row := []string{c.Library + " " + strings.Join(c.Versions, ", "), clientName(c), breakable(c.Default), c.Range}
		if e.Value != nil {
			row = append(row, inItsWords(e, c))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = notesOf(e)
	return t
}

// breakable lets a long list of words be broken into lines.
func breakable(list string) string {
	const long = 40
	if len(list) <= long || strings.Contains(list, " ") {
		return list
	}
	return strings.ReplaceAll(list, ",", ", ")
}

func clientName(c explain.Client) string {
	switch {
	case len(c.Names) == 0:
		return "-"
	case c.Nearest:
		return "nearest: " + strings.Join(c.Names, ", ")
	}
	return strings.Join(c.Names, ", ")
}

func inItsWords(e explain.Explanation, c explain.Client) string {
	switch {
	case e.Wrong != "":
		return "-"
	case c.Lost != "" && len(c.Names) == 0:
		return "-"
	case c.Lost != "":
		return "not to be had"
	case len(c.Equivalent) == 0:
		return "nothing to set"
	}
	return strings.Join(c.Equivalent, ", ")
}

func notesOf(e explain.Explanation) []string {
	var notes []string
	add := func(head, text string) {
		if text != "" && text != "-" {
			notes = append(notes, head+": "+text)
		}
	}
	add("note", e.Note)
	add("wrong", e.Wrong)
	add("does", e.Does)
	add("for", strings.TrimSuffix(fmt.Sprintf("%s; %s %s", e.For, e.Type, e.Range), " -"))
	add("also called", strings.Join(e.Aliases, ", "))
	add("on the wire", e.Wire)
	add("what to do", e.Means)
	add("not the same", e.Gotcha)
	for _, c := range e.Clients {
		if c.Lost != "" && e.Wrong == "" {
			add("not in "+c.Library+" "+strings.Join(c.Versions, ", "), c.Lost)
		}
	}
	for _, c := range e.Conflicts {
		if !c.Broken {
			add("goes together", ruleLine(c))
		}
	}
	return notes
}
