package report

import (
	"strings"
	"unicode"
)

// inline is a text where other text may stand beside it. What is bad is bold: it
// is to be found without reading.
func inline(s span) string {
	if s.mark == bad {
		return strong(escaped(s.text))
	}
	return escaped(s.text)
}

func strong(text string) string { return "**" + text + "**" }

func joined(spans []span, between string) string {
	var texts []string
	for _, s := range spans {
		texts = append(texts, inline(s))
	}
	return strings.Join(texts, between)
}

// code is a name or value in the letters of code, where everything stands for
// itself. Within a table that has no way to write a bar behind a backslash, so
// what is out of the ordinary is ordinary text.
func code(text string) string {
	line := oneLine(text)
	if line == "" || strings.ContainsAny(line, "`|\\") {
		return escaped(line)
	}
	return "`" + line + "`"
}

func oneLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// escaped is text that markdown shows as it is, in one line: it neither ends a
// cell of a table nor becomes a tag, an emphasis, a link or a formula.
func escaped(text string) string {
	var b strings.Builder
	runes := []rune(oneLine(text))
	for i, r := range runes {
		b.WriteString(escapedRune(r, runeAt(runes, i-1), runeAt(runes, i+1)))
	}
	return b.String()
}

func runeAt(runes []rune, i int) rune {
	if i < 0 || i >= len(runes) {
		return 0
	}
	return runes[i]
}

// zeroWidth keeps GitHub from taking "@name" for a person who is told, and "#12"
// for an issue.
const zeroWidth = "&#8203;"

func escapedRune(r, before, after rune) string {
	switch r {
	case '\\', '`', '|', '*', '[', ']', '~':
		return `\` + string(r)
	case '_': // within a word it is only itself
		if inWord(before) && inWord(after) {
			return "_"
		}
		return `\_`
	case '<':
		return "&lt;"
	case '&':
		if after == '#' || inWord(after) {
			return "&amp;"
		}
	case '$': // GitHub looks for formulas before it looks for backslashes
		return "&#36;"
	case '@':
		if inWord(after) {
			return "@" + zeroWidth
		}
	case '#':
		if inWord(after) {
			return `\#` + zeroWidth
		}
		return `\#`
	}
	return string(r)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// opening is text that is already escaped, at the beginning of a block: no quote,
// item, rule or numbered list.
func opening(text string) string {
	digits := 0
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		digits++
	}
	switch {
	case digits == len(text):
	case digits > 0 && strings.ContainsRune(".)", rune(text[digits])):
		return text[:digits] + `\` + text[digits:]
	case strings.ContainsRune(">+-=", rune(text[0])):
		return `\` + text
	}
	return text
}
