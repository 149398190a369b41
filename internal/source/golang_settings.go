package source

import (
	"go/ast"
	"slices"
)

// goEntry is a setting on its way into a client: a key of a ConfigMap, or an option of
// kgo.
type goEntry struct {
	Entry
	goType string        // of the value
	call   *ast.CallExpr // of kgo's option
	in     *goFile
	path   []ast.Node // the branches and loops in which it is set
}

// goSettings is a ConfigMap or a list of kgo options, as it stands at some point of a
// function.
type goSettings struct {
	options bool // of kgo
	in      *goFile
	at      ast.Node
	from    []ast.Node // every literal that is in it
	entries []goEntry
	open    bool       // something was put in that nobody can know
	home    []ast.Node // the branches in which it was made
}

func (s *goSettings) clone() *goSettings {
	c := *s
	c.entries, c.from = slices.Clone(s.entries), slices.Clone(s.from)
	return &c
}

// merge adds everything of another one.
func (s *goSettings) merge(other *goSettings, path []ast.Node) {
	for _, e := range other.settled(path) {
		e.path = path
		s.entries = append(s.entries, e)
	}
	s.from = append(s.from, other.from...)
	s.open = s.open || other.open
}

// remove takes a key out again. Where that is in a branch nobody knows whether it is there.
func (s *goSettings) remove(key string) {
	s.entries = slices.DeleteFunc(s.entries, func(e goEntry) bool { return e.Key == key })
}

// settled is what is in it at a place: the last entry of each key. The value of a key that
// was set in a branch that need not have been taken is not known.
func (s *goSettings) settled(at []ast.Node) []goEntry {
	var all []goEntry
	for _, e := range s.entries {
		i := slices.IndexFunc(all, func(other goEntry) bool { return other.Key == e.Key })
		certain := inBranch(e.path, at)
		if !certain {
			e = e.unsure()
		}
		switch {
		case i < 0:
			all = append(all, e)
		case certain:
			all[i] = e
		default:
			all[i] = all[i].unsure()
		}
	}
	return all
}

// inBranch reports whether whoever is at a place has been through a branch.
func inBranch(branch, at []ast.Node) bool {
	return len(branch) <= len(at) && slices.Equal(branch, at[:len(branch)])
}

// unsure is the entry with a value that may be another one.
func (e goEntry) unsure() goEntry {
	e.Value = Value{Kind: Computed, Source: e.Value.Source, At: e.Value.At, Changing: e.Value.Changing}
	e.CanonicalValue, e.Maybe = "", true
	return e
}
