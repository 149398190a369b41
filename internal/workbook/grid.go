package workbook

import (
	"strings"

	"kcompare/internal/lang"
)

// grid is a table whose cells are markdown already, compact: a wider cell touches its own
// row alone.
func grid(head []string, rows [][]string) string {
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = "---"
	}
	lines := []string{gridRow(head), "|" + strings.Join(rule, "|") + "|"}
	for _, row := range rows {
		lines = append(lines, gridRow(row))
	}
	return strings.Join(lines, "\n")
}

func gridRow(cells []string) string {
	line := "|"
	for _, cell := range cells {
		line += " " + cell + " |"
	}
	return strings.ReplaceAll(line, "|  |", "| |")
}

// itemized is a list, an item for each text that is markdown already.
func itemized(items []string) string { return "- " + strings.Join(items, "\n- ") }

// said is a text that comes from a table or a finding in the printer's language, or all of it
// in English: a sentence of which only some words are known would be in neither.
func said(p lang.Printer, text string) string {
	if !p.Knows(text) {
		return text
	}
	return p.Say(text)
}
