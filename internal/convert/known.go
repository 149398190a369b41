package convert

import (
	"slices"

	"kcompare/internal/config"
)

// knownTo reports whether the library has a setting of that name.
func knownTo(library, name string) bool {
	if library == "kafka-clients" {
		return slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.JavaKey == name })
	}
	s, known := config.Lookup(name)
	return known && (s.Name == name || s.JavaKey != name)
}
