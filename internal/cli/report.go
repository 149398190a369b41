package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"kcompare/internal/evidence"
	"kcompare/internal/report"
	"kcompare/internal/verdict"
)

type reportOptions struct {
	state *State
	files []string

	diff   bool
	bug    bool
	output output
}

func newReport(s *State) *cobra.Command {
	opts := &reportOptions{state: s}
	cmd := &cobra.Command{
		Use:   "report EVIDENCE...",
		Short: "Render evidence again and recompute its verdicts; needs no broker",
		Long: `report renders evidence that run has written with --format=json or --evidence, and
recomputes its verdicts; or evidence of a bench, which it judges again. It needs no
broker.

--diff says what changed in behaviour from one document to the other: verdicts, what
the same seed has to repeat, anomalies and their causes, errors, answers, settings,
kinds of requests. Of one document in which a client stands in two versions it compares
these. 0: nothing changed; 3: something did; 4: something could not be compared.

--bug writes a bug report for each trial that is violated, for people who do not know
kcompare.`,
		Example: `  kcompare report run.json
  kcompare report --diff before.json after.json
  kcompare run core --client=python@2.11.1,python --format=json -o both.json; kcompare report --diff both.json
  kcompare report --bug run.json -o bug.md`,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.files = args
			return runReport(opts)
		},
	}
	cmd.Flags().BoolVar(&opts.diff, "diff", false, "what changed from OLD to NEW, or between two versions of a client in one file")
	cmd.Flags().BoolVar(&opts.bug, "bug", false, "a bug report in markdown for each violated trial")
	cmd.Flags().StringVar(&opts.output.format, "format", formatText, "text, markdown, json or html; of a bench text, markdown, json or svg")
	cmd.Flags().StringVarP(&opts.output.file, "output", "o", "", "write to this `file` instead of stdout")
	opts.output.langFlag(cmd.Flags())
	return cmd
}

func runReport(opts *reportOptions) error {
	if len(opts.files) == 0 {
		return usagef("report: expected evidence files, as `kcompare run --format=json -o FILE` writes them")
	}
	if isBench(opts.files[0]) {
		return runBenchReport(opts)
	}
	if err := opts.output.check(formatHTML); err != nil {
		return err
	}
	switch {
	case opts.diff && opts.bug:
		return usagef("report: --diff and --bug are two reports, expected one of them")
	case opts.diff:
		return runDiff(opts)
	case opts.bug:
		return runBug(opts)
	}
	doc, err := readJudged(opts.files)
	if err != nil {
		return err
	}
	var wires report.Wires
	if opts.output.format == formatHTML {
		if wires, err = readWires(opts.files); err != nil {
			return err
		}
	}
	if err := opts.output.write(opts.state, doc, wires); err != nil {
		return err
	}
	return finish(verdict.Exit(doc))
}

// readJudged reads files of one run, and refuses what contradicts itself.
func readJudged(files []string) (evidence.Document, error) {
	doc, err := readEvidence(files)
	if err != nil {
		return doc, err
	}
	if wrong := verdict.Recompute(doc); len(wrong) > 0 {
		return doc, fmt.Errorf("the evidence contradicts itself, first (of %d): %w", len(wrong), wrong[0])
	}
	verdict.MarkUnstable(doc.Trials) // repeats may come from several files
	return doc, nil
}

func readEvidence(files []string) (evidence.Document, error) {
	var docs []evidence.Document
	for _, name := range files {
		doc, err := readEvidenceFile(name)
		if err != nil {
			return evidence.Document{}, fmt.Errorf("%s: %w", name, err)
		}
		docs = append(docs, doc)
	}
	doc, err := evidence.Merge(docs...)
	if err != nil {
		return evidence.Document{}, usageError{err}
	}
	return doc, nil
}

func readEvidenceFile(name string) (evidence.Document, error) {
	f, err := os.Open(name)
	if err != nil {
		return evidence.Document{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return evidence.Decode(f)
}
