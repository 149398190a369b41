package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// role is a kind of client that a trial sets up.
type role struct {
	settings func(evidence.Trial) map[string]string

	common, commonTitle string // of what every trial set
	own, ownTitle       string // of where a variant departs from that

	story  bool // clients of the story, which may be bare
	always bool // every story is taken to have such clients
}

func roles() []role {
	return []role{
		{
			settings: func(t evidence.Trial) map[string]string { return t.Config },
			common:   "every trial", commonTitle: "Every trial",
			own: "settings", ownTitle: "Settings of this variant",
			story: true, always: true,
		},
		{
			settings: func(t evidence.Trial) map[string]string { return t.Consuming },
			common:   "consumers", commonTitle: "The consumers in the story",
			own: "consuming", ownTitle: "Settings of the consumers in this variant",
			story: true,
		},
		{
			settings: func(t evidence.Trial) map[string]string { return t.Reading },
			common:   "own reading", commonTitle: "The client's own reading at the end",
			own: "reading", ownTitle: "Settings of the client's own reading in this variant",
		},
	}
}

// setup is a role, and the settings that more than half of its trials have. Those
// are told once, and a variant tells where it departs from them: one variant with
// acks=0 shall not make every other one say acks=all.
type setup struct {
	role
	shared map[string]string
	always bool // no trial departs from them
}

func setups(trials []evidence.Trial) []setup {
	var all []setup
	for _, r := range roles() {
		all = append(all, r.setup(trials))
	}
	return all
}

// setup counts only trials that set anything: one that was not supported did not,
// and not every story has consumers. One with bare clients departs from all of it.
func (r role) setup(trials []evidence.Trial) setup {
	s := setup{role: r, shared: map[string]string{}, always: true}
	trials = filter(trials, func(t evidence.Trial) bool {
		s.always = s.always && !r.isBare(t)
		return len(r.settings(t)) > 0 && !r.isBare(t)
	})
	type pair struct{ key, value string }
	set := map[pair]int{}
	for _, t := range trials {
		for key, value := range r.settings(t) {
			set[pair{key, value}]++
		}
	}
	for p, n := range set {
		if 2*n > len(trials) {
			s.shared[p.key] = p.value
			s.always = s.always && n == len(trials)
		}
	}
	return s
}

// ownSheet is where a variant departs from the common settings, beyond what its
// name already says.
func (s setup) ownSheet(v variant) sheet {
	return sheet{term: s.own, title: s.ownTitle, columns: settingColumns(), flows: true}.tell(v, func(c client) []item {
		var items []item
		for _, t := range c.trials {
			items = append(items, s.departures(t)...)
		}
		return unique(items)
	})
}

func (r role) isBare(t evidence.Trial) bool { return t.Bare && r.story }

// bareSettings are those that bare clients have all the same, and what holds for the
// rest. Whether consumers that have none took part nobody can tell.
func (s setup) bareSettings(t evidence.Trial) []item {
	set := s.settings(t)
	if len(set) == 0 && !s.role.always {
		return nil
	}
	var items []item
	for _, key := range slices.Sorted(maps.Keys(set)) {
		items = append(items, setting(key, set[key]))
	}
	return append(items, item{about: "(all else)", text: "(all else: the library's default)", cells: []string{"(all else)", "(the library's default)"}})
}

func (s setup) departures(t evidence.Trial) []item {
	if s.isBare(t) {
		return s.bareSettings(t)
	}
	set := s.settings(t)
	if len(set) == 0 {
		return nil
	}
	keys := maps.Clone(s.shared)
	maps.Copy(keys, set)
	var items []item
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		value, isSet := set[key]
		shared, isShared := s.shared[key]
		switch {
		case !isSet:
			items = append(items, item{about: key, text: key + " (not set)", cells: []string{key, "(not set)"}})
		case isShared && value == shared, slices.Contains(strings.Split(t.Variant, ","), key+"="+value):
		default:
			items = append(items, setting(key, value))
		}
	}
	return items
}

func settingColumns() []column {
	return []column{{name: "setting", code: true}, {name: "value", code: true}}
}

// setting is "acks=all"; a value with blanks is quoted.
func setting(key, value string) item {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		value = strconv.Quote(value)
	}
	return item{about: key, text: key + "=" + value, cells: []string{key, value}}
}

// settings is what every trial set, and what each client could express only
// approximately.
func settings(trials []evidence.Trial, set []setup) section {
	var sheets []sheet
	for _, s := range set {
		sheets = append(sheets, s.commonSheet())
	}
	for _, name := range distinct(trials, clientName) {
		sheets = append(sheets, sheet{
			term: name + " approximates", title: name + " can only approximate",
			items: approximations(trials, name),
		})
	}
	return section{heading: span{text: "Settings", mark: heading}, sheets: written(sheets...), aside: true}
}

func (s setup) commonSheet() sheet {
	out := sheet{term: s.common, title: s.commonTitle, columns: settingColumns(), flows: true}
	if !s.always {
		out.term += ", unless its variant says otherwise"
		out.title += ", unless its variant says otherwise"
	}
	for _, key := range slices.Sorted(maps.Keys(s.shared)) {
		out.items = append(out.items, setting(key, s.shared[key]))
	}
	return out
}

func approximations(trials []evidence.Trial, client string) []item {
	var all []item
	for _, t := range trials {
		if t.Client == client {
			all = append(all, plain(t.Differences)...)
		}
	}
	return unique(all)
}
