package source

import (
	"context"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// readProperties reads .properties files by the rules of java.util.Properties.load:
// "=", ":" or blanks part key and value, a backslash at the end of a line continues it,
// comments have a line of their own, and blanks at the end belong to the value.
//
// Programs on librdkafka that read such files have no common rules (its own examples cut
// at "=" and keep the rest). Where the rules would part, lint speaks of it.
func readProperties(_ context.Context, inputs []input) []File {
	files := make([]File, len(inputs))
	for i, in := range inputs {
		files[i] = readOneProperties(in)
	}
	return files
}

func readOneProperties(in input) File {
	f := File{Path: in.path, Language: Properties}
	lines := splitLines(string(in.text))
	var remarks []string // comments before the first setting: they say what the file is for
	var entries []setting
	for i := 0; i < len(lines); i++ {
		text := strings.TrimLeft(lines[i], " \t\f")
		at := Pos{Line: i + 1 + in.firstLine, Column: 1 + len(lines[i]) - len(text)}
		switch {
		case text == "" || text == `\`: // what a lone backslash continues is a line of its own, to Java too
		case text[0] == '#' || text[0] == '!':
			if len(entries) == 0 {
				remarks = append(remarks, text)
			}
			if ignore, ok := parseIgnore(text, at); ok {
				ignore.Line = nextLine(lines, i+1, isPropertiesComment) + in.firstLine
				f.Ignores = append(f.Ignores, ignore)
			}
		default:
			logical, more := continued(lines, i)
			entry := property(logical, lines[i], at)
			entries = append(entries, setting{path: entry.Key, Entry: entry})
			i += more
		}
	}
	f.Blocks = blocks(entries, hints{path: in.path, remarks: remarks})
	return f
}

func isPropertiesComment(line string) bool { return line[0] == '#' || line[0] == '!' }

// splitLines splits at \n, \r\n and \r, as Java does.
func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

// continued is the logical line that begins at lines[i], and how many lines more it has.
func continued(lines []string, i int) (logical string, more int) {
	logical = strings.TrimLeft(lines[i], " \t\f")
	for endsInBackslash(logical) && i+more+1 < len(lines) {
		more++
		logical = logical[:len(logical)-1] + strings.TrimLeft(lines[i+more], " \t\f")
	}
	return logical, more
}

// endsInBackslash is true for an odd number of them: two are one that is meant.
func endsInBackslash(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// property parts a logical line. physical is the line that it begins on.
func property(logical, physical string, at Pos) Entry {
	end := keyEnd(logical)
	rest := logical[end:]
	value := strings.TrimLeft(rest, " \t\f")
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], " \t\f")
	}
	valueAt := at
	if offset := len(logical) - len(value); at.Column-1+offset <= len(physical) {
		valueAt.Column += utf8.RuneCountInString(logical[:offset])
	}
	return Entry{
		Key: unescape(logical[:end]), KeyAt: at,
		Value: scalar(unescape(value), value, valueAt),
	}
}

// keyEnd is where the key ends: at the first "=", ":" or blank without a backslash.
func keyEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '=', ':', ' ', '\t', '\f':
			return i
		}
	}
	return len(line)
}

// unescape resolves \t \n \r \f and \uXXXX; of any other character the backslash goes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			if s[i] != '\\' {
				b.WriteByte(s[i])
			}
			continue
		}
		i++
		if s[i] == 'u' {
			units, length := escapedUnits(s[i-1:])
			if length > 0 {
				b.WriteString(string(utf16.Decode(units)))
				i += length - 2
				continue
			}
		}
		b.WriteByte(escaped(s[i]))
	}
	return b.String()
}

func escaped(c byte) byte {
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	}
	return c
}

// escapedUnits reads the \uXXXX that follow one another at the beginning of s, because
// two of them may be one character. length is in bytes of s, 0 for none.
func escapedUnits(s string) (units []uint16, length int) {
	for len(s)-length >= 6 && s[length] == '\\' && s[length+1] == 'u' {
		unit, ok := hex(s[length+2 : length+6])
		if !ok {
			break
		}
		units = append(units, unit)
		length += 6
	}
	return units, length
}

func hex(digits string) (uint16, bool) {
	var v uint16
	for _, c := range []byte(strings.ToLower(digits)) {
		n := strings.IndexByte("0123456789abcdef", c)
		if n < 0 {
			return 0, false
		}
		v = v<<4 | uint16(n)
	}
	return v, true
}
