package workbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/lang"
	"kcompare/internal/lint"
	"kcompare/internal/report"
	"kcompare/internal/source"
)

// lintKind is what lint says of a file: a listing that is wrong on purpose, or one that a
// page takes for right.
func lintKind() Kind {
	return Kind{
		Name:  "lint",
		About: "What `kcompare lint` finds in a file: line, rule, what is wrong, what to do.",
		Attributes: []Attribute{
			{Name: "file", About: "path of a .py .go .java .properties .yaml .json or .md file", Required: true},
			{Name: "severity", About: "the least that is shown: error, warning or info (default: info)"},
		},
		Listings: listingOf,
		Render:   renderLint,
	}
}

func renderLint(c Course, b Block) (Content, error) {
	severities := []string{string(lint.Info), string(lint.Warning), string(lint.Error)}
	least := max(0, slices.Index(severities, b.Get("severity")))
	if given := b.Get("severity"); given != "" && !slices.Contains(severities, given) {
		return Content{}, wrongName("severity", "severity", given, severities)
	}
	f, err := c.listing("file", b.Get("file"))
	if err != nil {
		return Content{}, err
	}
	p := lang.In(b.Lang)
	findings := slices.DeleteFunc(lint.Lint([]source.File{f}), func(f lint.Finding) bool {
		return slices.Index(severities, string(f.Severity)) < least
	})
	var parts []string
	if f.Unread != "" {
		parts = append(parts, p.Say("A part of it could not be read.")+" "+report.Plain(said(p, f.Unread)))
	}
	switch {
	case len(findings) > 0:
		parts = append(parts, lintSum(p, findings, severities[least:]), lintTable(p, f.Path, findings))
	case f.Unread == "":
		parts = append(parts, p.Say("Lint finds nothing wrong here."))
	}
	return Content{Markdown: strings.Join(parts, "\n\n")}, nil
}

// lintSum counts the findings of the severities that are shown, the gravest first.
func lintSum(p lang.Printer, findings []lint.Finding, severities []string) string {
	count := lint.Count(findings)
	var words []string
	for _, s := range slices.Backward(severities) {
		switch n := count[lint.Severity(s)]; n {
		case 1:
			words = append(words, "1 "+s)
		default:
			words = append(words, fmt.Sprintf("%d %ss", n, s))
		}
	}
	return p.Say("Found: " + strings.Join(words, ", ") + ".")
}

func lintTable(p lang.Printer, file string, findings []lint.Finding) string {
	head := []string{p.Say("line"), p.Say("severity"), p.Say("rule"), p.Say("what is wrong"), p.Say("what to do")}
	withFix := slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.Fix != "" })
	if !withFix {
		head = head[:4]
	}
	var rows [][]string
	for _, f := range findings {
		line := strconv.Itoa(f.Line)
		if f.File != file { // a constant that is imported
			line = report.Code(f.File) + " " + line
		}
		row := []string{line, p.Say(string(f.Severity)), report.Code(f.Rule), report.Plain(said(p, f.Message)), report.Plain(said(p, f.Fix))}
		rows = append(rows, row[:len(head)])
	}
	return grid(head, rows)
}
