package config

import (
	"regexp"
	"slices"
	"strings"
)

// Find is one version of a library, if it has a table.
func Find(library, version string) (Version, bool) {
	for _, v := range loadVersions() {
		if v.Library == library && v.Name == version {
			return v, true
		}
	}
	return Version{}, false
}

// Versions is every version of librdkafka and of Java's client that has the setting under
// one of its names, by the tables.
func (s Setting) Versions() []Version {
	var all []Version
	for _, v := range loadVersions() {
		if v.Library != "librdkafka" && v.Library != "kafka-clients" {
			continue
		}
		if _, has := v.Of(s); has {
			all = append(all, v)
		}
	}
	return all
}

// Of is the property of a version that is a setting under one of its names. Of an option
// of franz-go, see KgoNames, and of a keyword argument it is none.
func (v Version) Of(s Setting) (Property, bool) {
	for _, name := range s.names() {
		if p, has := v.Property(name); has {
			return p, true
		}
	}
	return Property{}, false
}

func (s Setting) names() []string { return append([]string{s.Name}, s.Aliases...) }

var identifier = regexp.MustCompile(`[A-Z][A-Za-z]+`)

// KgoNames is the options of franz-go's newest version that the catalogue names for a
// setting, the chief one first.
func (s Setting) KgoNames() []string {
	if strings.HasPrefix(s.KgoOptions, "(") {
		return nil // in words
	}
	franz, names := Newest("franz-go"), []string(nil)
	for _, word := range identifier.FindAllString(s.KgoOptions, -1) {
		if _, is := franz.Property(word); is && !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	return names
}
