package explain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/internal/config"
	"kcompare/internal/convert"
	"kcompare/internal/source"
)

// Default is what clients do where a setting is not given.
type Default struct {
	Key     string            `json:"key"`
	For     string            `json:"for"`             // "producer", "consumer" or "producer, consumer"
	Clients map[string]string `json:"clients"`         // by client; "-": nothing is set there, or it has nothing like it
	Since   string            `json:"since,omitempty"` // the first version of librdkafka that has it, if not the oldest one known
	Differs bool              `json:"differs"`         // not all that have it do the same
}

// Defaults is a row for each setting, or two where it depends on what the client is.
// Values are in librdkafka's spelling and unit where a word says it all.
func Defaults(clients []string) []Default {
	known := canonicalDefaults(clients)
	var rows []Default
	for _, s := range config.Settings() {
		if s.Type == config.Refused {
			continue
		}
		var own []Default
		for _, r := range []config.Role{config.Producer, config.Consumer} {
			if s.For(r) {
				own = append(own, defaultOf(s, r, clients, known))
			}
		}
		if len(own) == 2 && equal(own[0].Clients, own[1].Clients) {
			own[0].For = roles("*")
			own = own[:1]
		}
		rows = append(rows, own...)
	}
	return rows
}

// canonicalDefaults is what package convert carries over, by client and role.
func canonicalDefaults(clients []string) map[string]map[config.Role]map[string]string {
	known := map[string]map[config.Role]map[string]string{}
	for _, c := range clients {
		known[c] = map[config.Role]map[string]string{
			config.Producer: convert.Defaults(c, source.Producer), config.Consumer: convert.Defaults(c, source.Consumer),
		}
	}
	return known
}

func equal(a, b map[string]string) bool {
	for client := range a {
		if a[client] != b[client] {
			return false
		}
	}
	return true
}

func defaultOf(s config.Setting, r config.Role, clients []string, known map[string]map[config.Role]map[string]string) Default {
	d := Default{Key: s.Name, For: "producer", Clients: map[string]string{}, Since: since(s)}
	if r == config.Consumer {
		d.For = "consumer"
	}
	var words []string
	for _, client := range clients {
		word, sure := known[client][r][s.Name]
		if sure {
			words = append(words, word)
		} else {
			word = documented(s, r, client)
		}
		d.Clients[client] = word
	}
	d.Differs = differ(s, words) || len(clients) > 1 && s.Relation == config.DifferentDefault && slices.Contains(clients, "franz")
	return d
}

// since is the first version of librdkafka that has the setting, "" for the oldest known.
func since(s config.Setting) string {
	first := ""
	for _, v := range config.Versions() {
		if v.Library != "librdkafka" {
			continue
		}
		if _, has := v.Of(s); has {
			return first
		}
		first = config.Newest("librdkafka").Name
	}
	return first
}

func differ(s config.Setting, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return !convert.SameValue(s, w, words[0]) })
}

// documented is a default as the tables have it, in words.
func documented(s config.Setting, r config.Role, client string) string {
	switch client {
	case "franz":
		return inFranzFor(s, r)
	case "java":
		c := inJava(s)
		if len(c.Names) > 0 && c.Nearest {
			return c.Default + " (" + c.Names[0] + ")"
		}
		return c.Default
	}
	if s.Default == "(unset)" {
		return "-"
	}
	return s.Default
}

// inFranzFor leaves out what only clients of the other role have.
func inFranzFor(s config.Setting, r config.Role) string {
	c := inFranz(s)
	if p, has := property(c); has && !(config.Setting{Applies: p.Applies[:1]}).For(r) {
		return "-"
	}
	return inMilliseconds(nothing(s, c.Default))
}

// nothing is one word for what is not set.
func nothing(s config.Setting, word string) string {
	plain, _, _ := strings.Cut(word, " (")
	if plain == "unset" || plain == `""` || plain == "none" && s.Default == "(unset)" {
		return "-"
	}
	return word
}

// inMilliseconds has a time as the other libraries write it.
func inMilliseconds(word string) string {
	if d, err := time.ParseDuration(word); err == nil {
		return strconv.FormatInt(d.Milliseconds(), 10)
	}
	return word
}
