package convert

import (
	"maps"
	"slices"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// Equivalent is what one of several settings of a librdkafka client becomes for another
// client, as lines of Go code, key=value, or nothing where its default is the same.
// Settings have canonical names and values that passed config.Check, and may change what
// the one becomes (a timeout that counts from another one). why says that it cannot be
// carried over; then there are no lines. Where kgo takes an option from members of a
// group only, the one that is asked about is taken for a member.
func Equivalent(settings map[string]string, key string, role source.Role, to Target) (lines []string, why string) {
	b := block{client: "librdkafka", role: role, given: given{}, order: slices.Sorted(maps.Keys(settings))}
	for name, text := range settings {
		b.given[name] = hidden(name, text)
	}
	if !b.set("group.id") {
		b.given["group.id"] = value{text: "GROUP"}
	}
	s, _ := config.Lookup(key)
	switch to {
	case Franz:
		g := goBlock{block: b}
		lines, _, why = g.option(key)
	case Java:
		if toJava(s, b) == "" && s.JavaKey == key { // Java has it, and convert does not read it as the same
			return []string{key + "=" + b.given[key].shown()}, ""
		}
		var pairs []pair
		pairs, why = b.javaPairs(s)
		for _, p := range pairs {
			lines = append(lines, p.key+"="+shown(p))
		}
	default:
		lines = []string{key + "=" + b.given[key].shown()}
	}
	return lines, why
}

// hidden is a value; an environment variable stands for one that is a secret.
func hidden(name, text string) value {
	if s, _ := config.Lookup(name); s.Secret() {
		return value{env: envName(name), key: name}
	}
	return value{text: text, key: name}
}

func (v value) shown() string {
	if v.env != "" {
		return "${" + v.env + "}"
	}
	return v.text
}

func shown(p pair) string {
	if p.env != "" && p.value == "" {
		return "${" + p.env + "}"
	}
	return p.value
}

// Defaults is what a client of that role does where nothing is set, in canonical names
// and librdkafka's spelling, as far as it can be said in one word. It is nil for a client
// whose defaults nobody knows here.
func Defaults(client string, role source.Role) map[string]string {
	b := block{client: client, role: role, given: given{}}
	return b.defaults(client)
}

// SameValue reports whether two spellings of a setting's value mean the same.
func SameValue(s config.Setting, a, b string) bool { return plain(s, a) == plain(s, b) }

// FromJava is the value of a key of Java's client in the spelling and unit of the setting
// that is nearest to it, or the value itself where that is not known.
func FromJava(key, text string) string {
	if rule := javaRules[key]; rule.read != nil {
		if canonical, err := rule.read(text); err == nil {
			return canonical
		}
	}
	return text
}
