package security

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// line is one setting of a .properties file.
type line struct {
	key, value string
	at         int // where it begins, from 1
}

// parseProperties reads a file as Java does (java.util.Properties.load), with two
// differences: a key that is there twice is an error, because the last one would win
// in silence; and so is a character beyond ASCII, which Java reads as Latin-1 and
// others as UTF-8.
func parseProperties(text string) ([]line, error) {
	var lines []line
	first := map[string]int{}
	rest := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	for i := 0; i < len(rest); i++ {
		at := i + 1
		logical := strings.TrimLeft(rest[i], blanks)
		if logical == "" || logical[0] == '#' || logical[0] == '!' {
			continue
		}
		for continued(logical) {
			logical = logical[:len(logical)-1]
			if i++; i == len(rest) {
				break
			}
			logical += strings.TrimLeft(rest[i], blanks)
		}
		key, value, err := splitLine(logical)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", at, err)
		}
		if before, twice := first[key]; twice {
			return nil, fmt.Errorf("%d: %s: set twice, first in line %d: give it once", at, key, before)
		}
		first[key] = at
		lines = append(lines, line{key, value, at})
	}
	return lines, nil
}

// blanks are what Java takes for white space within a line.
const blanks = " \t\f"

// continued lines end in an odd number of backslashes.
func continued(s string) bool {
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// splitLine ends the key at the first =, : or blank that is not escaped. Blanks
// around one = or : belong to neither side.
func splitLine(s string) (key, value string, err error) {
	end := 0
	for end < len(s) && !strings.ContainsRune("=:"+blanks, rune(s[end])) {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(s))
	value = strings.TrimLeft(s[end:], blanks)
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], blanks)
	}
	if key, err = unescape(s[:end]); err != nil {
		return "", "", err
	}
	if value, err = unescape(value); err != nil {
		return "", "", fmt.Errorf("%s: %w", key, err)
	}
	return key, value, nil
}

// unescape knows \t, \n, \r, \f and \uXXXX, which is a unit of UTF-16. Before any
// other character a backslash means nothing, as in Java.
func unescape(s string) (string, error) {
	var units []uint16
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] >= 0x80:
			return "", errors.New(`expected ASCII: write other characters as \uXXXX, because Java reads such a file as Latin-1 and other programs as UTF-8`)
		case s[i] != '\\' || i+1 == len(s):
			units = append(units, uint16(s[i]))
		case s[i+1] == 'u':
			unit, err := strconv.ParseUint(s[i+2:min(i+6, len(s))], 16, 16)
			if err != nil || i+6 > len(s) {
				return "", errors.New(`expected four hexadecimal digits after \u`)
			}
			units = append(units, uint16(unit))
			i += 5
		default:
			i++
			units = append(units, uint16(escape(s[i])))
		}
	}
	return string(utf16.Decode(units)), nil
}

// escape is what a character means after a backslash.
func escape(c byte) byte {
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
