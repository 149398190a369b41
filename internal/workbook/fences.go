package workbook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"kcompare/internal/lint"
	"kcompare/internal/page"
	"kcompare/internal/source"
)

// Fences is what became of the listings that the author of a book wrote between its blocks.
type Fences struct {
	Findings []Finding // errors of lint and syntax errors, of the kind LintError
	Warnings int       // findings that are no errors: kcompare lint lists them
	Skipped  int       // listings below kcompare:skip next
	Unread   []string  // "PATH: why": pages with a listing that this machine cannot read
}

// Fences checks these listings, those of all pages at once. The error is page.Problems where
// a comment kcompare:skip is wrong, or that of a canceled context.
func (b Book) Fences(ctx context.Context) (Fences, error) {
	var f Fences
	var problems page.Problems
	var pages []source.Page
	for _, c := range b.Chapters {
		prose, skipped, err := c.Page.Prose()
		if wrong := (page.Problems)(nil); errors.As(err, &wrong) {
			problems = append(problems, wrong...)
			continue
		}
		f.Skipped += skipped
		pages = append(pages, source.Page{Path: c.File, Content: prose})
	}
	if len(problems) > 0 {
		return f, problems
	}
	read := source.ReadPages(ctx, pages)
	for _, file := range read {
		for _, m := range file.Mistakes {
			f.Findings = append(f.Findings, fenceFinding(file.Path, m.At.Line, m.At.Column, fmt.Sprintf("not %s: %s", m.Language, m.Message)))
		}
		if file.Unchecked != "" {
			f.Unread = append(f.Unread, file.Path+": "+file.Unchecked)
		}
	}
	for _, l := range lint.Lint(read) {
		if l.Severity != lint.Error {
			f.Warnings++
			continue
		}
		reason := l.Rule + ": " + l.Message
		if l.Fix != "" {
			reason += "; " + l.Fix
		}
		f.Findings = append(f.Findings, fenceFinding(l.File, l.Line, l.Column, reason))
	}
	slices.SortStableFunc(f.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	return f, ctx.Err()
}

func fenceFinding(file string, line, column int, reason string) Finding {
	return Finding{File: file, Line: line, Column: column, Kind: LintError, Reasons: []string{reason}}
}
