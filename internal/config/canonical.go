package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Error says that settings are wrong or contradict each other. It has the
// shape of drivers.ConfigError; drivers convert it.
type Error struct {
	Keys   []string // every key that takes part, as the caller spelled it
	Reason string   // what was expected, and what to do
}

// Error names all keys.
func (e *Error) Error() string {
	if len(e.Keys) == 0 {
		return "settings: " + e.Reason
	}
	return strings.Join(e.Keys, " and ") + ": " + e.Reason
}

// Canonical renames every key to its canonical name and leaves the values
// alone. The error is an *Error: for a key that no library knows, with the
// nearest name, or for two names of one setting. (confluent-kafka-go would
// apply the two in random map order.)
func Canonical(in map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(in))
	spelled := make(map[string]string, len(in))
	for _, key := range slices.Sorted(maps.Keys(in)) {
		s, ok := Lookup(key)
		if !ok {
			return nil, unknown(key)
		}
		if other, twice := spelled[s.Name]; twice {
			return nil, &Error{Keys: []string{other, key}, Reason: "two names of one setting, give only one of them"}
		}
		spelled[s.Name] = key
		out[s.Name] = in[key]
	}
	return out, nil
}

func unknown(key string) *Error {
	reason := "unknown setting"
	if near := Nearest(key, Names()); near != "" {
		reason += fmt.Sprintf(", did you mean %s?", near)
	}
	return &Error{Keys: []string{key}, Reason: reason}
}
