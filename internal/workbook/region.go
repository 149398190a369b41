package workbook

import (
	"fmt"
	"slices"
	"strings"
)

// A region of a source stands between two comments on lines of their own:
//
//	// kcompare:region produce
//	...
//	// kcompare:end
//
// with # where that begins a comment. Regions may stand within others, whose text does not
// have the inner comments. An end may name its region.

// region is a part of a source.
type region struct {
	name  string
	first int // line of its comment, from 1
	lines []string
	ended bool
}

// regions finds all of a source. The error says on which line comments do not fit together;
// without one every region has ended and has a name of its own.
func regions(text string) ([]region, error) {
	var all []region
	var open []int // of all, the innermost last
	for i, line := range sourceLines(text) {
		word, name, is := regionComment(line)
		switch {
		case !is:
			for _, at := range open {
				all[at].lines = append(all[at].lines, line)
			}
		case word == "end":
			at, err := ending(all, open, name)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			all[at].ended = true
			open = open[:len(open)-1]
		default:
			if err := beginning(all, name); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			open = append(open, len(all))
			all = append(all, region{name: name, first: i + 1})
		}
	}
	if len(open) > 0 {
		last := all[open[len(open)-1]]
		return nil, fmt.Errorf("line %d: region %q has no kcompare:end", last.first, last.name)
	}
	return all, nil
}

func beginning(all []region, name string) error {
	if name == "" {
		return fmt.Errorf("a kcompare:region has no name")
	}
	if i := slices.IndexFunc(all, func(r region) bool { return r.name == name }); i >= 0 {
		return fmt.Errorf("region %q begins a second time, the first is on line %d", name, all[i].first)
	}
	return nil
}

// ending is the region that ends.
func ending(all []region, open []int, name string) (int, error) {
	if len(open) == 0 {
		return 0, fmt.Errorf("kcompare:end without a region that it ends")
	}
	at := open[len(open)-1]
	if name != "" && name != all[at].name {
		return 0, fmt.Errorf("kcompare:end of region %q within region %q, which begins on line %d", name, all[at].name, all[at].first)
	}
	return at, nil
}

// regionComment takes the comment of a line apart: "region" or "end", and the name behind.
func regionComment(line string) (word, name string, is bool) {
	rest, slashes := strings.CutPrefix(strings.TrimSpace(line), "//")
	if !slashes {
		var hash bool
		if rest, hash = strings.CutPrefix(rest, "#"); !hash {
			return "", "", false
		}
	}
	words := strings.Fields(rest)
	if len(words) == 0 || words[0] != "kcompare:region" && words[0] != "kcompare:end" {
		return "", "", false
	}
	return strings.TrimPrefix(words[0], "kcompare:"), strings.Join(words[1:], " "), true
}

// sourceLines are the lines of a text, whatever ends them, without a byte order mark.
func sourceLines(text string) []string {
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// text is the region without the indent that all of its lines have, without blank lines at
// its ends and blanks at the ends of lines.
func (r region) text() string { return strings.Join(unindented(r.lines), "\n") }

func unindented(lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = strings.TrimRight(line, " \t")
	}
	empty := func(s string) bool { return s == "" }
	for len(all) > 0 && empty(all[0]) {
		all = all[1:]
	}
	for len(all) > 0 && empty(all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	indent := commonIndent(all)
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], indent)
	}
	return all
}

// commonIndent is what every line that is not blank begins with.
func commonIndent(lines []string) string {
	indent, first := "", true
	for _, line := range lines {
		if line == "" {
			continue
		}
		own := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if first {
			indent, first = own, false
		}
		for !strings.HasPrefix(own, indent) {
			indent = indent[:len(indent)-1]
		}
	}
	return indent
}
