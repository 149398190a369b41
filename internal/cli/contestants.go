package cli

import (
	"slices"
	"strings"

	"kcompare/drivers"
)

// contestants makes the drivers that --client names: "all" are those that this
// build has. Asking by name for one that is not there is an error that says how
// to get it.
func (s *State) contestants(list string) ([]drivers.Driver, error) {
	if list == "all" {
		return s.available(), nil
	}
	if slices.Contains(strings.Split(list, ","), "all") {
		return nil, usagef("--client=%s: all stands alone", list)
	}
	var chosen []drivers.Driver
	seen := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		if seen[name] {
			return nil, usagef("--client=%s: %s is named twice", list, name)
		}
		seen[name] = true
		d, err := s.contestant(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, d)
	}
	return chosen, nil
}

func (s *State) contestant(name string) (drivers.Driver, error) {
	var known []string
	for _, c := range s.Clients {
		if c.Name != name {
			known = append(known, c.Name)
			continue
		}
		d, err := c.New()
		if err != nil {
			return nil, usagef("client %s is not available: %w", name, err)
		}
		return d, nil
	}
	return nil, unknown("client", name, append(known, "all"))
}

// available makes every driver that this build has.
func (s *State) available() []drivers.Driver {
	var all []drivers.Driver
	for _, c := range s.Clients {
		if d, err := c.New(); err == nil {
			all = append(all, d)
		}
	}
	return all
}
