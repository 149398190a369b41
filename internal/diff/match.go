package diff

import (
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// pair is the trials of one client in one variant, on both sides: one each, or their
// repeats.
type pair struct{ old, new []evidence.Trial }

// versions says which client of the new side each client of the old one is: the one of
// the same name, or where there is none the only one left that is another version of the
// same library ("python@2.11.1" and "python"), the one without a version before others.
func versions(old, new []string) map[string]string {
	matched := map[string]string{}
	left := func(names []string, other []string, library string) []string {
		return filter(names, func(name string) bool { return !slices.Contains(other, name) && Base(name) == library })
	}
	for _, name := range old {
		switch o, n := left(old, new, Base(name)), left(new, old, Base(name)); {
		case slices.Contains(new, name):
			matched[name] = name
		case len(o) == 1 && len(n) == 1:
			matched[name] = n[0]
		case len(o) == 1 && slices.Contains(n, Base(name)):
			matched[name] = Base(name)
		}
	}
	return matched
}

// Base is the name of a client without its version. A command (exec:...) has none.
func Base(client string) string {
	if strings.HasPrefix(client, "exec:") {
		return client
	}
	name, _, _ := strings.Cut(client, "@")
	return name
}

// match pairs what stands on both sides, in the order of the new one, and lists the
// rest.
func match(old, new []evidence.Trial, clients map[string]string) (pairs []pair, onlyOld, onlyNew []Name) {
	renamed := func(t evidence.Trial) Name {
		n := nameOf(t)
		n.Client = clients[t.Client]
		return n
	}
	for _, name := range distinct(new, nameOf) {
		p := pair{
			old: filter(old, func(t evidence.Trial) bool { return renamed(t) == name }),
			new: filter(new, func(t evidence.Trial) bool { return nameOf(t) == name }),
		}
		if len(p.old) == 0 {
			onlyNew = append(onlyNew, name)
			continue
		}
		pairs = append(pairs, p)
	}
	for _, name := range distinct(old, nameOf) {
		there := func(t evidence.Trial) bool {
			return nameOf(t) == Name{Scenario: name.Scenario, Variant: name.Variant, Client: clients[name.Client]}
		}
		if !slices.ContainsFunc(new, there) {
			onlyOld = append(onlyOld, name)
		}
	}
	return pairs, onlyOld, onlyNew
}

func nameOf(t evidence.Trial) Name {
	return Name{Scenario: t.Scenario, Variant: t.Variant, Client: t.Client}
}

func clientOf(t evidence.Trial) string { return t.Client }

func filter[T any](all []T, keep func(T) bool) []T {
	var kept []T
	for _, one := range all {
		if keep(one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// distinct is the names of all, each once, in the order of their first use.
func distinct[T any, K comparable](all []T, name func(T) K) []K {
	var names []K
	for _, one := range all {
		if n := name(one); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}
