package source

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// codeIgnores finds the comments of Go and Java that lint obeys. Both have // and /* */,
// and literals in which neither is a comment.
func codeIgnores(in input) []Ignore {
	if !bytes.Contains(in.text, []byte(ignoreMark)) {
		return nil
	}
	text := string(in.text)
	lines := splitLines(text)
	var all []Ignore
	for at := 0; at < len(text); {
		length := literal(text[at:])
		if length == 0 {
			length = commentLength(text[at:])
			if length > 0 {
				all = append(all, codeIgnore(in, lines, at, text[at:at+length])...)
			}
		}
		at += max(1, length)
	}
	return all
}

func codeIgnore(in input, lines []string, at int, comment string) []Ignore {
	before := string(in.text[:at])
	line := strings.Count(before, "\n") + 1
	start := before[strings.LastIndexByte(before, '\n')+1:]
	ignore, ok := parseIgnore(comment, Pos{Line: line + in.firstLine, Column: utf8.RuneCountInString(start) + 1})
	if !ok {
		return nil
	}
	if strings.TrimSpace(start) == "" && strings.HasSuffix(strings.TrimSpace(lines[line-1]), strings.TrimSpace(comment)) {
		ignore.Line = nextLine(lines, line, func(s string) bool { return strings.HasPrefix(s, "//") }) + in.firstLine
	}
	return []Ignore{ignore}
}

// literal is the length of the string or character that text begins with, 0 for none. A
// text block of Java is ended by three quotes, a raw string of Go by one.
func literal(text string) int {
	for _, quote := range []string{`"""`, "`", `"`, "'"} {
		if strings.HasPrefix(text, quote) {
			return len(quote) + toEnd(text[len(quote):], quote)
		}
	}
	return 0
}

// toEnd is how far the end of a literal is. One that is not closed ends with its line.
func toEnd(text, quote string) int {
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\\' && quote != "`":
			i++
		case text[i] == '\n' && len(quote) == 1 && quote != "`":
			return i
		}
	}
	return len(text)
}

// commentLength is that of the comment that text begins with, 0 for none.
func commentLength(text string) int {
	end := ""
	switch {
	case strings.HasPrefix(text, "//"):
		end = "\n"
	case strings.HasPrefix(text, "/*"):
		end = "*/"
	default:
		return 0
	}
	before, _, closed := strings.Cut(text, end)
	if closed && end == "*/" {
		return len(before) + len(end)
	}
	return len(before)
}
