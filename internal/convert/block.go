package convert

import (
	"fmt"
	"strconv"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// block is what one block of a source says, in canonical names.
type block struct {
	client  string // whose settings they are; "librdkafka" where nothing says so
	role    source.Role
	version string // of its library, "" where nothing says so
	class   string // what takes them in the source, "" where nothing does
	line    int
	name    string // unique within the file: "producer", "producer7"

	order  []string          // keys that were given, in the order of the source
	silent []string          // keys that were not given and differ by default, sorted
	given                    // the values of both
	lost   []Lost            // what no canonical setting is
	raw    map[string]string // the source's own keys and values, for those that are read together
}

// value is one setting's, in librdkafka's spelling and unit.
type value struct {
	text string
	env  string // the environment variable that stands for a secret or for what a program computes; "" for text
	line int
	key  string // as the source calls it
}

// given is the settings of one client, by canonical name.
type given map[string]value

// set reports whether a setting has a value that is not empty.
func (g given) set(key string) bool { return g[key].text != "" || g[key].env != "" }

func (g given) text(key string) string { return g[key].text }

// number is a setting as a number, or the second value where it is not given.
func (g given) number(key string, otherwise float64) float64 {
	n, err := strconv.ParseFloat(g[key].text, 64)
	if err != nil {
		return otherwise
	}
	return n
}

func (g given) isTrue(key string) bool {
	v, ok := config.Bool(g[key].text)
	return ok && v
}

func (g given) isFalse(key string) bool {
	v, ok := config.Bool(g[key].text)
	return ok && !v
}

// texts is what can be checked: a value that nobody knows yet is taken for a good one.
func (g given) texts() map[string]string {
	all := map[string]string{}
	for key, v := range g {
		all[key] = v.text
		if v.env != "" {
			all[key] = v.env
		}
	}
	return all
}

// has reports whether the setting means something to what the block makes. An admin
// client has what producers and consumers share.
func (b block) has(s config.Setting) bool {
	if b.role == source.Admin {
		return s.Applies == "*"
	}
	return s.For(b.configRole())
}

func (b block) configRole() config.Role {
	if b.role == source.Producer {
		return config.Producer
	}
	return config.Consumer
}

// keys is all of them, those of the source first.
func (b block) keys() []string { return append(append([]string{}, b.order...), b.silent...) }

// lostOf says that a setting that was given could not be carried over.
func (b block) lostOf(key, reason string) Lost {
	v := b.given[key] // a secret has no text
	return Lost{Line: v.line, Key: v.key, Value: v.text, Reason: reason}
}

// comment is a Lost in one line.
func (l Lost) comment() string { return l.pair() + ": " + oneLine(l.Reason) }

// pair is its key and value as far as it may be shown.
func (l Lost) pair() string {
	if l.Value == "" {
		return l.Key
	}
	return l.Key + "=" + oneLine(l.Value)
}

// oneLine keeps a comment from ending early.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// envName is the environment variable that stands for a setting.
func envName(canonical string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, canonical)
}

// library is what the settings of a client are those of.
func library(client string) string {
	switch client {
	case "python":
		return "librdkafka"
	case "java":
		return "kafka-clients"
	case "franz":
		return "kgo"
	}
	return client
}

// origin says in words where the block stands.
func (b block) origin(path string) string {
	what := b.class
	if what == "" {
		what = article(string(b.role))
	}
	return fmt.Sprintf("%s in %s, line %d (%s)", what, path, b.line, library(b.client))
}

func comments(all []Lost) []string {
	var lines []string
	for _, l := range all {
		lines = append(lines, l.comment())
	}
	return lines
}
