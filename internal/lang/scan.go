package lang

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hole stands in a key for a part of a text that is no language: a figure, a duration, a
// version, a quoted name, code.
const hole = '\x00'

// scanned is a text with its holes.
type scanned struct {
	key   string
	parts []part // what stood in the holes, in their order
}

// part is what a hole was made for.
type part struct {
	text string
	kind partKind
}

type partKind int

const (
	figure   partKind = iota // "200", "0.35", of repeats "200..203"
	duration                 // as Go writes it: "1m0s", "2.5ms"
	quoted                   // "name"
	verbatim                 // `code`, a version
)

var (
	figureForm   = regexp.MustCompile(`^\d+(\.\d+)?(\.\.\d+(\.\d+)?)?$`)
	durationForm = regexp.MustCompile(`^\d+(\.\d+)?(ns|µs|ms|s|m|h)(\d+(\.\d+)?(ms|s|m))*(\.\.\d+(\.\d+)?(ns|µs|ms|s|m|h))?$`)
	versionForm  = regexp.MustCompile(`^\d+(\.\d+){2,}$`)
	quotedForm   = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"`)
	codeForm     = regexp.MustCompile("^`[^`]*`")
)

// scan makes the holes. Digits within a word or a name (v12, KIP-890, order-0001, acks=0)
// are part of it.
func scan(text string) scanned {
	var key strings.Builder
	var s scanned
	before := ' '
	for i := 0; i < len(text); {
		if p, ok := partAt(text[i:], before); ok {
			key.WriteRune(hole)
			s.parts = append(s.parts, p)
			i += len(p.text)
			before = hole
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		key.WriteString(text[i : i+size])
		i, before = i+size, r
	}
	s.key = key.String()
	return s
}

func partAt(text string, before rune) (part, bool) {
	switch {
	case text[0] == '"':
		found := quotedForm.FindString(text)
		return part{found, quoted}, found != ""
	case text[0] == '`':
		found := codeForm.FindString(text)
		return part{found, verbatim}, found != ""
	case '0' <= text[0] && text[0] <= '9' && !joins(before):
		return figureAt(text)
	}
	return part{}, false
}

// joins says whether a digit behind this is part of a word or a name.
func joins(before rune) bool {
	return unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("_-./=#:@", before)
}

func figureAt(text string) (part, bool) {
	end := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_'
	})
	if end >= 0 {
		text = text[:end]
	}
	text = strings.TrimRight(text, ".")
	for kind, form := range map[partKind]*regexp.Regexp{figure: figureForm, duration: durationForm, verbatim: versionForm} {
		if form.MatchString(text) {
			return part{text, kind}, true
		}
	}
	return part{}, false
}
