// Package report renders evidence for a person, as text or markdown. It reads the
// document and nothing else.
//
// A document becomes a page first, a value that says what stands where
// (build.go, variant.go, settings.go, differences.go), and the page is then laid
// out (text.go, table.go; markdown.go). In between it is said in the reader's language
// (said.go). Another format is another layout of the
// same page.
package report

import (
	"fmt"
	"io"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// TextOptions is how a report is to look.
type TextOptions struct {
	Width int          // of a line, in columns; 0 means 100, less than 60 means 60
	Color bool         // colour helps the eye, nothing is told by colour alone
	In    lang.Printer // what it is written in; the zero value is English
}

// Text writes the report that `kcompare run` and `kcompare report` print. No
// line is wider than the width, except where one word of the command that
// repeats the run is: a command is never cut. The error is the writer's.
func Text(w io.Writer, doc evidence.Document, opts TextOptions) error {
	if _, err := io.WriteString(w, layOut(said(build(doc), opts.In), opts)); err != nil {
		return fmt.Errorf("write text report: %w", err)
	}
	return nil
}

// Markdown writes the same report as GitHub flavoured markdown, for a bug report,
// a pull request or a page of a course. Whatever comes from outside kcompare, such
// as a library's words, is escaped. The error is the writer's.
func Markdown(w io.Writer, doc evidence.Document, in lang.Printer) error {
	if _, err := io.WriteString(w, layOutMarkdown(said(build(doc), in))); err != nil {
		return fmt.Errorf("write markdown report: %w", err)
	}
	return nil
}
