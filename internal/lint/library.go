package lint

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// library is what reads the settings of a block, in every version of it that has a table,
// or in one where the file says which.
type library struct {
	name     string // as package config calls it; "" where nothing says
	shown    string // in messages
	versions []version
}

// version is the table of one version by key; a key may have a row for each kind of
// client.
type version struct {
	config.Version
	rows map[string][]config.Property
}

// versions is every table, made once.
var versions = sync.OnceValue(func() []version {
	var all []version
	for _, v := range config.Versions() {
		t := version{v, map[string][]config.Property{}}
		for _, p := range v.Properties() {
			t.rows[p.Name] = append(t.rows[p.Name], p)
		}
		all = append(all, t)
	}
	return all
})

func libraryOf(b *source.Block) library {
	l := libraryNamed(b.Client)
	for _, v := range l.versions {
		if v.Name == b.Version {
			l.versions = []version{v}
			break
		}
	}
	return l
}

func libraryNamed(client string) library {
	name, ok := map[string]string{
		"python": "librdkafka", "librdkafka": "librdkafka", "java": "kafka-clients", "franz": "franz-go",
		"kafka-python": "kafka-python", "aiokafka": "aiokafka", "broker": "kafka-broker", "topic": "kafka-topic",
	}[client]
	if !ok {
		return library{}
	}
	l := library{name: name, shown: cmp.Or(map[string]string{"kafka-broker": "broker", "kafka-topic": "topic"}[name], name)}
	for _, v := range versions() {
		if v.Library == name {
			l.versions = append(l.versions, v)
		}
	}
	return l
}

// has tells the versions that have a key from those that have not. A key that only the
// binding to another language takes is none.
func (l library) has(key string, client string) (with, without []string) {
	for _, v := range l.versions {
		taken := slices.ContainsFunc(v.rows[key], func(p config.Property) bool {
			return p.Binding == "" || (p.Binding == "python") == (client == "python")
		})
		if taken {
			with = append(with, v.Name)
		} else {
			without = append(without, v.Name)
		}
	}
	return with, without
}

// newest is a key's row in the newest version that has it.
func (l library) newest(key string) (config.Property, bool) {
	for _, v := range slices.Backward(l.versions) {
		if rows := v.rows[key]; len(rows) > 0 {
			return rows[0], true
		}
	}
	return config.Property{}, false
}

// knows reports whether any version has the key.
func (l library) knows(key string) bool {
	_, ok := l.newest(key)
	return ok
}

// applies reports whether a key means something to a client of that role.
func (l library) applies(key string, role source.Role) bool {
	letter := map[source.Role]string{source.Producer: "P", source.Consumer: "C", source.Admin: "A"}[role]
	for _, v := range l.versions {
		for _, p := range v.rows[key] {
			if p.Applies == "*" || strings.Contains(p.Applies, letter) {
				return true
			}
		}
	}
	return false
}

// keys is every name of every version.
func (l library) keys() []string {
	var all []string
	for _, v := range l.versions {
		for key := range v.rows {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// list is a few names in a sentence.
func list(names []string) string { return strings.Join(names, " and ") }
