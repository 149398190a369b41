package workbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// outputKind shows what a program of the manifest printed when it was run for the evidence,
// or a part of it.
func outputKind() Kind {
	return Kind{
		Name:  "output",
		About: "What a program of kcompare.yaml printed, or a part of it.",
		Attributes: []Attribute{
			{Name: "program", About: "name of a program in kcompare.yaml", Required: true},
			{Name: "lines", About: "first and last line that is shown, such as 3-10; without the second one to the end: 3- (default: all)"},
			{Name: "from", About: "text in the first line that is shown, instead of its number"},
			{Name: "to", About: "text in the last line that is shown, the first such line behind `from`"},
		},
		Render: renderOutput,
	}
}

func renderOutput(c Course, b Block) (Content, error) {
	if err := checkProgram(c.Manifest, b.Get("program")); err != nil {
		return Content{}, err
	}
	printed, ok := c.Evidence.Output(b.Get("program"))
	if !ok {
		return Content{}, fmt.Errorf("there is no output of %s", b.Get("program"))
	}
	lines, err := outputPart(b, printed)
	if err != nil {
		return Content{}, err
	}
	return Content{Markdown: fenced("text", strings.Join(lines, "\n"))}, nil
}

func checkProgram(m Manifest, name string) error {
	known := distinct(m.Programs, func(p Program) string { return p.Name })
	switch {
	case slices.Contains(known, name):
		return nil
	case len(known) == 0:
		return attributeError("program", "%q: kcompare.yaml at the root of the course has no programs: expected it there", name)
	}
	return wrongName("program", "program", name, known)
}

// outputPart is the lines that a block asks for.
func outputPart(b Block, printed []string) ([]string, error) {
	first, last, err := lineRange(b, len(printed))
	if err != nil {
		return nil, err
	}
	if b.Get("lines") != "" && (b.Get("from") != "" || b.Get("to") != "") {
		return nil, attributeError("lines", "stands beside from or to: expected one way to say what is shown")
	}
	if text := b.Get("from"); text != "" {
		if first, err = lineWith(b, "from", printed, 0); err != nil {
			return nil, err
		}
	}
	if text := b.Get("to"); text != "" {
		if last, err = lineWith(b, "to", printed, first); err != nil {
			return nil, err
		}
		last++
	}
	return printed[first:last], nil
}

// lineRange is the lines of the attribute lines, the last one not among them.
func lineRange(b Block, printed int) (first, last int, err error) {
	text := b.Get("lines")
	if text == "" {
		return 0, printed, nil
	}
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	first, errFirst := strconv.Atoi(from)
	last, errLast := strconv.Atoi(to)
	if to == "" {
		last, errLast = printed, nil
	}
	if errFirst != nil || errLast != nil || first < 1 || last < first {
		return 0, 0, attributeError("lines", "%q: expected lines such as 3-10", text)
	}
	if last > printed {
		return 0, 0, broken("lines", "%q: %s printed %d lines", text, b.Get("program"), printed)
	}
	return first - 1, last, nil
}

// lineWith is the first line with the attribute's text, at or behind another one.
func lineWith(b Block, attribute string, printed []string, behind int) (int, error) {
	text := b.Get(attribute)
	i := slices.IndexFunc(printed[behind:], func(line string) bool { return strings.Contains(line, text) })
	if i < 0 {
		return 0, broken(attribute, "no line of what %s printed has %q", b.Get("program"), text)
	}
	return behind + i, nil
}
