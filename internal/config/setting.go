// Package config knows the settings of Kafka clients: their names in each
// library, the values they take, their defaults, and which contradict which.
package config

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Role says what kind of client a set of settings is for.
type Role int

// The roles. A transactional producer is a Producer with a transactional.id.
const (
	Producer Role = iota
	Consumer
)

// Type is the kind of value that a setting takes.
type Type string

// The types of values.
const (
	String  Type = "string"
	Boolean Type = "boolean"
	Integer Type = "integer"
	Float   Type = "float"
	Enum    Type = "enum"    // one word of Words, in any letter case
	Flags   Type = "flags"   // words of Words, separated by commas
	Refused Type = "refused" // Java's key, which librdkafka knows only to refuse it

	// Those of version tables alone.
	Duration Type = "duration" // as Go writes it: "10ms"
	List     Type = "list"     // any words, separated by commas
	Code     Type = "code"     // a value that only a program can have
)

// Relation says how far franz-go can express a setting.
type Relation string

// The relations between librdkafka and franz-go.
const (
	Same             Relation = "same"
	Converted        Relation = "same-with-conversion" // other unit or type
	DifferentDefault Relation = "different-default"    // same meaning; must always be set to compare
	Approximate      Relation = "approximate"          // the nearest option means something else
	NoEquivalent     Relation = "no-kgo-equivalent"
	NotApplicable    Relation = "n-a" // deprecated, logging only, or of the C interface
)

// Setting is one row of the catalogue. Texts say "-" where there is nothing to
// say; defaults are as the library documents them. Range and Default are those of
// librdkafka 2.11.1, or of the first version that has it; see Version for each.
type Setting struct {
	Name    string   // canonical: the name that Java shares, else librdkafka's. librdkafka knows it
	Aliases []string // every other name that means the same
	Applies string   // "P" producers, "C" consumers, "*" both
	Type    Type
	Range   string // "0 .. 300000", "none, gzip", "-" for any

	Min, Max float64  // limits of numbers, inclusive
	Words    []string // of Enum and Flags, and words that a number may be ("all")

	Default     string // librdkafka's
	KgoOptions  string
	KgoDefault  string
	JavaKey     string // Java's nearest key, which may mean something else: only Name and Aliases are the same setting
	JavaDefault string

	Relation Relation
	Wire     string // where it shows on the wire; "no" or "no (why)" where it does not
	Gotcha   string // what surprises about it, in one sentence
	Does     string // what it decides, in a short sentence of our own
}

// For reports whether the setting means something to a client of that role.
func (s Setting) For(role Role) bool {
	switch s.Applies {
	case "P":
		return role == Producer
	case "C":
		return role == Consumer
	}
	return true
}

// Secret reports whether the value must never be printed, logged or stored.
func (s Setting) Secret() bool {
	for _, word := range []string{"password", "passphrase", "secret", "key.pem", "jaas.config", "oauthbearer.config"} {
		if strings.Contains(s.Name, word) {
			return true
		}
	}
	return false
}

// Masked is what may be printed of settings: the values of secrets are replaced.
// Keys may be any names.
func Masked(settings map[string]string) map[string]string {
	masked := maps.Clone(settings)
	for key := range masked {
		if s, known := Lookup(key); known && s.Secret() {
			masked[key] = "(secret)"
		}
	}
	return masked
}

//go:embed settings.tsv
var settingsTSV string

// columns is the first line of settings.tsv.
const columns = "key\taliases\tapplies\ttype\trange\tlibrdkafka default\tkgo options\tkgo default\tjava key\tjava default\trelation\twire\tgotcha\tdoes"

// parse reads a table with the columns above.
func parse(table string) ([]Setting, error) {
	head, body, _ := strings.Cut(table, "\n")
	if head != columns {
		return nil, fmt.Errorf("read settings: line 1: expected the columns %q", columns)
	}
	var all []Setting
	line := 1
	for row := range strings.Lines(body) {
		line++
		s, err := parseRow(strings.TrimSuffix(row, "\n"))
		if err != nil {
			return nil, fmt.Errorf("read settings: line %d: %w", line, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func parseRow(row string) (Setting, error) {
	f := strings.Split(row, "\t")
	if want := strings.Count(columns, "\t") + 1; len(f) != want {
		return Setting{}, fmt.Errorf("expected %d columns, found %d", want, len(f))
	}
	s := Setting{
		Name: f[0], Applies: f[2], Type: Type(f[3]), Range: f[4],
		Default: f[5], KgoOptions: f[6], KgoDefault: f[7],
		JavaKey: f[8], JavaDefault: f[9], Relation: Relation(f[10]), Wire: f[11], Gotcha: f[12], Does: f[13],
	}
	if f[1] != "-" {
		s.Aliases = strings.Fields(f[1])
	}
	if err := s.valid(); err != nil {
		return Setting{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	var err error
	if s.Min, s.Max, s.Words, err = parseRange(s.Type, s.Range); err != nil {
		return Setting{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	return s, nil
}

func (s Setting) valid() error {
	known := []Type{String, Boolean, Integer, Float, Enum, Flags, Refused}
	relations := []Relation{Same, Converted, DifferentDefault, Approximate, NoEquivalent, NotApplicable}
	switch {
	case s.Name == "" || strings.ContainsAny(s.Name, " ="):
		return fmt.Errorf("expected a key without blanks")
	case s.Applies != "P" && s.Applies != "C" && s.Applies != "*":
		return fmt.Errorf("applies is %q, expected P, C or *", s.Applies)
	case !slices.Contains(known, s.Type):
		return fmt.Errorf("type is %q, expected one of %q", s.Type, known)
	case s.Range == "-" && s.Type != String && s.Type != Refused:
		return fmt.Errorf("a setting of type %s needs a range", s.Type)
	case !slices.Contains(relations, s.Relation):
		return fmt.Errorf("relation is %q, expected one of %q", s.Relation, relations)
	}
	return nil
}

// parseRange reads "1 .. 5", "a, b" or "1 .. 5, a".
func parseRange(kind Type, text string) (low, high float64, words []string, err error) {
	if text == "-" {
		return 0, 0, nil, nil
	}
	words = strings.Split(text, ", ")
	if kind == Duration {
		low, high, err = parseTimes(text)
		return low, high, nil, err
	}
	if kind == Integer || kind == Float {
		from, to, _ := strings.Cut(words[0], " .. ")
		var errLow, errHigh error
		low, errLow = strconv.ParseFloat(from, 64)
		high, errHigh = strconv.ParseFloat(to, 64)
		if errLow != nil || errHigh != nil || low > high {
			return 0, 0, nil, fmt.Errorf("range is %q, expected LOW .. HIGH", words[0])
		}
		words = words[1:]
	}
	if len(words) == 0 {
		words = nil
	}
	return low, high, words, nil
}

// parseTimes reads "10ms .. 1h0m0s" as milliseconds. "any" is no limit.
func parseTimes(text string) (low, high float64, err error) {
	from, to, _ := strings.Cut(text, " .. ")
	limits := []float64{math.Inf(-1), math.Inf(1)}
	for i, word := range []string{from, to} {
		if word == "any" {
			continue
		}
		d, err := time.ParseDuration(word)
		if err != nil {
			return 0, 0, fmt.Errorf("range is %q, expected times such as 10ms .. 1m0s", text)
		}
		limits[i] = float64(d) / float64(time.Millisecond)
	}
	return limits[0], limits[1], nil
}
