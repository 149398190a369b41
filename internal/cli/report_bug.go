package cli

import (
	"bytes"
	"fmt"

	"kcompare/internal/report"
	"kcompare/internal/verdict"
)

// runBug writes a bug report for each violated trial. It ends as the report does.
func runBug(opts *reportOptions) error {
	if f := opts.output.format; f == formatJSON || f == formatHTML {
		return usagef("report --bug --format=%s: a bug report is markdown", f)
	}
	doc, err := readJudged(opts.files)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	n, err := report.Bugs(&b, doc, opts.output.printer())
	if err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintln(opts.state.Stderr, "kcompare: no trial is violated, there is nothing to report")
	} else if err := opts.output.put(opts.state, b.Bytes()); err != nil {
		return err
	}
	return finish(verdict.Exit(doc))
}
