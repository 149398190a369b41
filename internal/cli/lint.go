package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"kcompare/internal/lint"
	"kcompare/internal/report"
	"kcompare/internal/source"
)

// The formats that only lint has.
const (
	formatGitHub = "github"
	formatSARIF  = "sarif"
)

type lintOptions struct {
	state *State
	paths []string

	as     string
	strict bool
	rules  bool
	out    output
}

func newLint(s *State) *cobra.Command {
	opts := &lintOptions{state: s}
	cmd := &cobra.Command{
		Use:   "lint PATH...",
		Short: "Check Kafka configuration in .py .go .java .properties .yaml .json .md",
		Long: `lint finds Kafka configuration in files and in all files below folders, and the code
around it, and says what a library refuses, ignores or takes otherwise than meant, and
what breaks a guarantee. A comment "kcompare:ignore RULE reason" silences a rule on its
line, or on the next one where it stands alone.

It ends with 3 where something is wrong, and with 4 where nothing is, but a file could
not be checked.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.paths = args
			return runLint(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.as, "as", "", "`LANGUAGE` of the files that are named: python, go, java, properties, yaml, json or markdown; their listings need no fences")
	flags.BoolVar(&opts.strict, "strict", false, "end with 3 on warnings too")
	flags.BoolVar(&opts.rules, "rules", false, "list the rules")
	flags.StringVar(&opts.out.format, "format", formatText, "text, json, github or sarif")
	flags.StringVarP(&opts.out.file, "output", "o", "", "write to a file instead of stdout")
	return cmd
}

func runLint(ctx context.Context, opts *lintOptions) error {
	if opts.rules {
		return listRules(opts)
	}
	if len(opts.paths) == 0 {
		return usagef("lint: expected a file or folder, such as kcompare lint .")
	}
	if err := oneOf("format", opts.out.format, formatText, formatJSON, formatGitHub, formatSARIF); err != nil {
		return err
	}
	if err := opts.out.checkFile(); err != nil {
		return err
	}
	files, err := source.Read(ctx, source.Options{As: source.Language(opts.as)}, opts.paths...)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return usageError{err}
	}
	findings := lint.Lint(files)
	unread := unreadOf(files)
	if err := opts.print(findings, unread); err != nil {
		return err
	}
	fmt.Fprintln(opts.state.Stderr, lint.Summary(findings, len(files), len(unread)))
	return finish(opts.code(findings, unread))
}

func unreadOf(files []source.File) []source.File {
	return slices.DeleteFunc(slices.Clone(files), func(f source.File) bool { return f.Unread == "" })
}

func (opts *lintOptions) code(findings []lint.Finding, unread []source.File) int {
	count := lint.Count(findings)
	switch {
	case count[lint.Error] > 0, opts.strict && count[lint.Warning] > 0:
		return exitWrong
	case len(unread) > 0:
		return exitUnproven
	}
	return exitOK
}

// lintDocument is the JSON of the contract.
type lintDocument struct {
	Command  string         `json:"command"`
	Schema   string         `json:"schema"`
	Findings []lint.Finding `json:"findings"`
	Unread   []unreadRow    `json:"unread"`
}

// unreadRow is a file, or a part of one, that was not checked.
type unreadRow struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

func (opts *lintOptions) print(findings []lint.Finding, unread []source.File) error {
	var b bytes.Buffer
	var err error
	switch opts.out.format {
	case formatJSON:
		doc := lintDocument{Command: "lint", Schema: "kcompare/lint/v1", Findings: append([]lint.Finding{}, findings...), Unread: []unreadRow{}}
		for _, f := range unread {
			doc.Unread = append(doc.Unread, unreadRow{f.Path, f.Unread})
		}
		err = writeJSON(&b, doc)
	case formatGitHub:
		err = lint.GitHub(&b, findings, unread)
	case formatSARIF:
		err = lint.SARIF(&b, Version, findings, unread)
	default:
		err = lint.Text(&b, findings, unread)
	}
	if err != nil {
		return err
	}
	return opts.out.put(opts.state, b.Bytes())
}

// lintRule is a rule as JSON shows it.
type lintRule struct {
	Rule     string        `json:"rule"`
	Severity lint.Severity `json:"severity"`
	Finds    string        `json:"finds"`
}

func listRules(opts *lintOptions) error {
	if err := oneOf("format", opts.out.format, formatText, formatJSON); err != nil {
		return err
	}
	rows := []lintRule{}
	table := report.Table{Columns: []report.Column{{Name: "RULE"}, {Name: "SEVERITY"}, {Name: "FINDS"}}}
	for _, r := range lint.Rules() {
		rows = append(rows, lintRule{r.Name, r.Severity, r.Finds})
		table.Rows = append(table.Rows, []string{r.Name, string(r.Severity), r.Finds})
	}
	return opts.out.writeTables(opts.state, rows, table)
}
