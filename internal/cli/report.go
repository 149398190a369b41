package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"kcompare/internal/evidence"
	"kcompare/internal/verdict"
)

type reportOptions struct {
	state *State
	files []string

	output output
}

func newReport(s *State) *cobra.Command {
	opts := &reportOptions{state: s}
	cmd := &cobra.Command{
		Use:   "report EVIDENCE...",
		Short: "Render evidence again and recompute its verdicts; needs no broker",
		RunE: func(_ *cobra.Command, args []string) error {
			opts.files = args
			return runReport(opts)
		},
	}
	cmd.Flags().StringVar(&opts.output.format, "format", formatText, "text, markdown or json")
	cmd.Flags().StringVarP(&opts.output.file, "output", "o", "", "write to this file instead of stdout")
	return cmd
}

func runReport(opts *reportOptions) error {
	if len(opts.files) == 0 {
		return usagef("report: expected evidence files, as `kcompare run --format=json -o FILE` writes them")
	}
	if err := opts.output.check(); err != nil {
		return err
	}
	doc, err := readEvidence(opts.files)
	if err != nil {
		return err
	}
	if wrong := verdict.Recompute(doc); len(wrong) > 0 {
		return fmt.Errorf("the evidence contradicts itself, first (of %d): %w", len(wrong), wrong[0])
	}
	verdict.MarkUnstable(doc.Trials) // repeats may come from several files
	if err := opts.output.write(opts.state, doc); err != nil {
		return err
	}
	return finish(verdict.Exit(doc))
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
