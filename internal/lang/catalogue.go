package lang

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The files of a language say how they are written: ru/report.txt, at its top.
//
//go:embed ru/*.txt
var files embed.FS

var russian = sync.OnceValues(func() (*catalogue, error) { return read(files, "ru") })

// catalogue is what is known of a language.
type catalogue struct {
	sentences map[string]pattern // without places for text, by key
	joints    []pattern          // with such places, those that say least first: they hold together least
}

// pattern is an English text with places, and what is said for it.
type pattern struct {
	literals []string // what stands between the places for text, holes included
	names    []string // of these places, in their order
	russian  []piece
}

// piece is literal text, or what is put in a place.
type piece struct {
	literal string
	place   string // "1" for the first hole, "a" for a text; "" for literal text
	raw     bool   // the figure or text as it was, such as a seed or code
	forms   forms  // of a word, chosen by the figure
}

// hole is the number of the hole that the piece is about, from 0.
func (p piece) hole() int {
	n, _ := strconv.Atoi(p.place) // the catalogue was read: it is a number
	return n - 1
}

// forms are those of a word behind a number: 1, 2 to 4, 5 and more, a fraction.
type forms struct{ one, few, many, other string }

// read takes every file of a folder. The error names file and line.
func read(folder fs.FS, name string) (*catalogue, error) {
	names, err := fs.Glob(folder, name+"/*.txt")
	if err != nil {
		return nil, err
	}
	c := &catalogue{sentences: map[string]pattern{}}
	for _, file := range names {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		if err := c.parse(string(text)); err != nil {
			return nil, fmt.Errorf("%s:%w", file, err)
		}
	}
	slices.SortStableFunc(c.joints, func(p, q pattern) int { return p.length() - q.length() })
	return c, nil
}

// length is how much of a text the pattern itself says.
func (p pattern) length() int { return len(strings.Join(p.literals, "")) }

// isWorded says whether it has words beside its places: such a joint is part of a sentence,
// and half a sentence is not said in another language.
func (p pattern) isWorded() bool { return strings.ContainsFunc(strings.Join(p.literals, ""), isLatin) }

// parse reads pairs of lines, English and what is said for it, with blank lines and
// comments between the pairs.
func (c *catalogue) parse(text string) error {
	english := ""
	for n, line := range strings.Split(text, "\n") {
		switch {
		case english == "" && (line == "" || strings.HasPrefix(line, "# ") || line == "#"):
		case english == "":
			english = line
		default:
			if err := c.add(english, line); err != nil {
				return fmt.Errorf("%d: %q: %w", n+1, english, err)
			}
			english = ""
		}
	}
	if english != "" {
		return fmt.Errorf("end: %q has no translation behind it", english)
	}
	return nil
}

func (c *catalogue) add(english, said string) error {
	if said == "" {
		return fmt.Errorf("no translation in the next line")
	}
	pieces, err := parsePieces(unescaped(said))
	if err != nil {
		return err
	}
	for _, variant := range alternatives(unescaped(english)) {
		p, err := newPattern(variant, pieces)
		if err != nil {
			return err
		}
		if len(p.names) > 0 {
			if slices.ContainsFunc(c.joints, func(q pattern) bool { return slices.Equal(p.literals, q.literals) }) {
				return fmt.Errorf("stands in the catalogue twice")
			}
			c.joints = append(c.joints, p)
			continue
		}
		key := p.literals[0]
		if _, twice := c.sentences[key]; twice {
			return fmt.Errorf("stands in the catalogue twice")
		}
		c.sentences[key] = p
	}
	return nil
}

// unescaped puts a blank at which no line is broken where an editor would not show it.
func unescaped(line string) string { return strings.ReplaceAll(line, `\_`, noBreak) }

var choice = regexp.MustCompile(`\[([^\[\]]*)\]`)

// alternatives are the texts of which "record[s] [is|are]" is short. "[s]" is "[|s]".
func alternatives(english string) []string {
	at := choice.FindStringSubmatchIndex(english)
	if at == nil {
		return []string{english}
	}
	words := strings.Split(english[at[2]:at[3]], "|")
	if len(words) == 1 {
		words = []string{"", words[0]}
	}
	var all []string
	for _, w := range words {
		all = append(all, alternatives(english[:at[0]]+w+english[at[1]:])...)
	}
	return all
}

var (
	englishPlace = regexp.MustCompile(`\{([a-z]|\d+)\}`)
	russianPlace = regexp.MustCompile(`\{(=?)([a-z]|\d+)(?::([^{}]*))?\}`)
)

// newPattern holds the two sides to the same places.
func newPattern(english string, said []piece) (pattern, error) {
	p := pattern{russian: said}
	var places []string
	holes := 0
	key := englishPlace.ReplaceAllStringFunc(english, func(place string) string {
		name := place[1 : len(place)-1]
		places = append(places, name)
		if name[0] >= 'a' {
			p.names = append(p.names, name)
			return "\x01"
		}
		holes++
		return string(hole)
	})
	for i, name := range slices.DeleteFunc(slices.Clone(places), func(name string) bool { return name[0] >= 'a' }) {
		if name != fmt.Sprint(i+1) {
			return p, fmt.Errorf("places are numbered in their order: expected {%d} instead of {%s}", i+1, name)
		}
	}
	if strings.ContainsAny(key, "{}[]") || scan(key).key != key {
		return p, fmt.Errorf("a figure, a quoted name or code that is no place: expected {1}, {2} and so on")
	}
	p.literals = strings.Split(key, "\x01")
	return p, samePlaces(places, said)
}

func samePlaces(english []string, said []piece) error {
	var used []string
	for _, s := range said {
		if s.place != "" {
			used = append(used, s.place)
		}
	}
	for _, name := range english {
		if !slices.Contains(used, name) {
			return fmt.Errorf("{%s} is missing in the translation", name)
		}
	}
	for _, name := range used {
		if !slices.Contains(english, name) {
			return fmt.Errorf("{%s} is in the translation alone", name)
		}
	}
	return nil
}

// parsePieces reads the side of the translation: {1} a figure, {=1} the same as it was,
// {1:one|few|many} a word in the form for it, with a fourth form for fractions where it is
// not the second; {a} a text, {=a} one that is not said.
func parsePieces(said string) ([]piece, error) {
	var all []piece
	from := 0
	for _, at := range russianPlace.FindAllStringSubmatchIndex(said, -1) {
		all = append(all, piece{literal: said[from:at[0]]})
		p := piece{place: said[at[4]:at[5]], raw: at[2] < at[3]}
		if at[6] >= 0 {
			words := strings.Split(said[at[6]:at[7]], "|")
			if len(words) < 3 || len(words) > 4 {
				return nil, fmt.Errorf("%s: expected the forms for 1, 2 and 5", said[at[0]:at[1]])
			}
			p.forms = forms{words[0], words[1], words[2], words[len(words)-1]}
			if len(words) == 3 {
				p.forms.other = words[1]
			}
		}
		all = append(all, p)
		from = at[1]
	}
	all = append(all, piece{literal: said[from:]})
	for _, p := range all {
		if strings.ContainsAny(p.literal, "{}[]") {
			return nil, fmt.Errorf("a brace that is no place in %q", p.literal)
		}
	}
	return all, nil
}
