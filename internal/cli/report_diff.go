package cli

import (
	"bytes"
	"fmt"

	"kcompare/internal/diff"
	"kcompare/internal/evidence"
	"kcompare/internal/report"
)

// runDiff says what changed between two documents, or between two versions of a client
// in one.
func runDiff(opts *reportOptions) error {
	old, new, err := readTwo(opts.files)
	if err != nil {
		return err
	}
	doc, err := diff.Compare(old, new)
	if err != nil {
		return usagef("report --diff: %w", err)
	}
	var b bytes.Buffer
	switch opts.output.format {
	case formatJSON:
		err = writeJSON(&b, doc)
	case formatMarkdown:
		err = report.MarkdownDiff(&b, doc, opts.output.printer())
	case formatHTML:
		err = report.HTMLDiff(&b, doc, opts.output.printer())
	default:
		err = report.TextDiff(&b, doc, opts.output.text(opts.state))
	}
	if err != nil {
		return err
	}
	if err := opts.output.put(opts.state, b.Bytes()); err != nil {
		return err
	}
	return finish(diff.Exit(doc))
}

func readTwo(files []string) (old, new evidence.Document, err error) {
	if len(files) > 2 {
		return old, new, usagef("report --diff: expected OLD and NEW, or one file with two versions of a client, got %d files", len(files))
	}
	if old, err = readJudged(files[:1]); err != nil {
		return old, new, err
	}
	if len(files) == 2 {
		new, err = readJudged(files[1:])
		return old, new, err
	}
	if old, new, err = diff.Versions(old); err != nil {
		return old, new, usageError{fmt.Errorf("report --diff %s: %w", files[0], err)}
	}
	return old, new, nil
}
