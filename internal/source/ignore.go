package source

import "strings"

// ignoreMark begins a comment that asks lint to be silent.
const ignoreMark = "kcompare:ignore"

// parseIgnore reads the text of a comment, without or with the signs around it:
// `kcompare:ignore RULE reason`. at is where the comment begins. Line is the comment's
// own; a comment that stands alone speaks for nextLine instead.
func parseIgnore(comment string, at Pos) (Ignore, bool) {
	text := strings.TrimSpace(strings.Trim(comment, "#/*!<-> \t\r\n"))
	rest, ok := strings.CutPrefix(text, ignoreMark)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return Ignore{}, false
	}
	rule, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return Ignore{Rule: rule, Reason: strings.TrimSpace(reason), At: at, Line: at.Line}, true
}

// nextLine is the number of the first line after line, both from 1, that has anything
// but blanks on it and is no comment of its own; line itself where there is none.
// isComment gets lines without blanks around them.
func nextLine(lines []string, line int, isComment func(string) bool) int {
	for i := line; i < len(lines); i++ {
		if s := strings.TrimSpace(lines[i]); s != "" && !isComment(s) {
			return i + 1
		}
	}
	return line
}
