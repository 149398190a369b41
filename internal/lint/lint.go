package lint

import (
	"cmp"
	"slices"
	"strings"

	"kcompare/internal/source"
)

// Rule is one thing that lint looks for.
type Rule struct {
	Name     string   // what `kcompare:ignore` names
	Severity Severity // the gravest that it gives; less where a library lets it pass
	Finds    string   // one sentence
}

// Rules is every rule, by name: those over settings and those over the code around them.
func Rules() []Rule {
	var all []Rule
	for _, c := range checks() {
		all = append(all, c.Rule)
	}
	for name, f := range facts() {
		all = append(all, Rule{name, f.severity, factsFind()[name]})
	}
	all = append(all, misspelt, ignored)
	slices.SortFunc(all, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// check is a rule over the settings of one client.
type check struct {
	Rule
	in func(*block) []Finding // without file and rule, which are the same for all
}

func checks() []check {
	return slices.Concat(keyChecks(), valueChecks(), conflictChecks(), javaChecks(), transactionChecks(), riskyChecks())
}

// Lint judges what was read. Findings are sorted by file, place and rule; the same one in
// several blocks is one. Those that a comment silences are left out.
func Lint(files []source.File) []Finding {
	var all []Finding
	ignores := map[string][]source.Ignore{}
	shared := sharedOf(files)
	for i := range files {
		all = append(all, lintFile(&files[i], shared)...)
		ignores[files[i].Path] = files[i].Ignores
	}
	all = silence(unique(all), ignores)
	sortFindings(all)
	return all
}

// sharedOf are the places of the settings that both a producer and a consumer get.
func sharedOf(files []source.File) map[place]bool {
	roles := map[place]source.Role{}
	shared := map[place]bool{}
	for i := range files {
		for _, b := range files[i].Blocks {
			if b.Role != source.Producer && b.Role != source.Consumer {
				continue
			}
			for _, e := range b.Entries {
				at := place{cmp.Or(e.Path, files[i].Path), e.KeyAt}
				if roles[at] != "" && roles[at] != b.Role {
					shared[at] = true
				}
				roles[at] = b.Role
			}
		}
	}
	return shared
}

func lintFile(f *source.File, shared map[place]bool) []Finding {
	var all []Finding
	for i := range f.Blocks {
		b := newBlock(f, &f.Blocks[i])
		b.shared = shared
		for _, c := range checks() {
			for _, found := range c.in(b) {
				found.Rule = c.Name
				found.File = cmp.Or(found.File, f.Path)
				all = append(all, found)
			}
		}
	}
	return append(append(all, factFindings(f)...), wordFindings(f)...)
}

func sortFindings(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Key, b.Key))
	})
}

// unique keeps the gravest of those of one rule about one thing at one place: a dict that
// two clients take is judged twice.
func unique(all []Finding) []Finding {
	type id struct {
		file         string
		line, column int
		rule, key    string
	}
	seen := map[id]int{}
	var out []Finding
	for _, f := range all {
		key := id{f.File, f.Line, f.Column, f.Rule, f.Key}
		at, twice := seen[key]
		switch {
		case !twice:
			seen[key] = len(out)
			out = append(out, f)
		case rank(f.Severity) > rank(out[at].Severity):
			out[at] = f
		}
	}
	return out
}

func rank(s Severity) int {
	return slices.Index([]Severity{Info, Warning, Error}, s)
}
