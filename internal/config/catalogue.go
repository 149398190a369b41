package config

import (
	"fmt"
	"slices"
	"sync"
)

// catalogue is the parsed data file with an index over all names.
type catalogue struct {
	settings []Setting // by name
	index    map[string]int
}

// load parses the embedded file once. A file that does not parse is a defect
// of this package which its tests find, so no caller has to handle it.
var load = sync.OnceValue(func() catalogue {
	c, err := newCatalogue(settingsTSV)
	if err != nil {
		panic(err)
	}
	return c
})

func newCatalogue(table string) (catalogue, error) {
	settings, err := parse(table)
	if err != nil {
		return catalogue{}, err
	}
	c := catalogue{settings: settings, index: map[string]int{}}
	for i, s := range settings {
		for _, name := range append([]string{s.Name}, s.Aliases...) {
			if j, taken := c.index[name]; taken {
				return catalogue{}, fmt.Errorf("read settings: %s names both %s and %s", name, settings[j].Name, s.Name)
			}
			c.index[name] = i
		}
	}
	return c, nil
}

// Settings is the whole catalogue, sorted by canonical name.
func Settings() []Setting { return slices.Clone(load().settings) }

// Lookup finds a setting by its canonical name or any alias. Names are
// case-sensitive, as in every library.
func Lookup(name string) (Setting, bool) {
	c := load()
	i, ok := c.index[name]
	if !ok {
		return Setting{}, false
	}
	return c.settings[i], true
}

// Names is every name that Lookup knows, sorted.
func Names() []string {
	var names []string
	for name := range load().index {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
