package verify

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// judge makes a row of each key that the settings name, and of each other key that
// turned out to be different.
func judge(o Options, candidates []candidate, runs []*run) []Key {
	seen := map[string]Key{}
	for _, r := range runs {
		for _, s := range r.experiment.Sights {
			row := r.row(s)
			if better(row, seen[s.Key]) {
				seen[s.Key] = row
			}
		}
	}
	for key := range givenKeys(candidates) {
		seen[key] = named(key, o, candidates, seen[key])
	}
	var rows []Key
	for _, row := range seen {
		if row.Given || row.Result == Different && !o.GivenOnly {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b Key) int {
		return cmp.Or(boolOrder(b.Given)-boolOrder(a.Given), strings.Compare(a.Key, b.Key))
	})
	return rows
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

func givenKeys(candidates []candidate) map[string]bool {
	all := map[string]bool{}
	for _, c := range candidates {
		for key := range c.Config {
			all[key] = true
		}
		for key := range c.Unread {
			all[key] = true
		}
	}
	return all
}

// better says whether one row says more than another of the same key: a difference in
// one experiment stands, whatever others saw.
func better(row, than Key) bool {
	rank := map[Result]int{Different: 3, Same: 2, NotObservable: 1}
	return rank[row.Result] > rank[than.Result]
}

// row is what the plays say together. A difference that load can make is one only if
// every play has it: load makes one in some of them, a setting in all.
func (r *run) row(s Sight) Key {
	if len(r.plays) == 0 {
		return r.compare(s, make([]outcome, len(r.candidates)))
	}
	row := r.compare(s, r.plays[0])
	for n := 1; n < len(r.plays) && s.Timed && row.Result == Different; n++ {
		row = r.compare(s, r.plays[n])
		row.Reason = measured(row, n+1)
	}
	return row
}

// measured adds to a reason how often it took, where that is not once.
func measured(row Key, plays int) string {
	switch row.Result {
	case Same:
		return fmt.Sprintf("measured %d times, and alike the last time: what differs under load is no difference", plays)
	case Different:
		return fmt.Sprintf("measured %d times, and different each time", plays)
	}
	return row.Reason
}

// compare is what one sight saw of each client in one play.
func (r *run) compare(s Sight, play []outcome) Key {
	row := Key{Key: s.Key, Observed: map[string]string{}, Experiment: r.experiment.Name, Result: Same}
	observations := r.observe(s, play)
	for i, o := range observations {
		if o.Not == "" {
			row.Observed[r.candidates[i].Name] = o.Text
		}
	}
	if why := r.unseen(observations); why != "" {
		row.Result, row.Reason = NotObservable, why
		return row
	}
	if s.Within != "" && len(r.libraries()) > 1 {
		row.Result, row.Reason = NotObservable, s.Within
		return row
	}
	for _, o := range observations[1:] {
		if !s.alike(observations[0], o) {
			row.Result = Different
		}
	}
	if row.Result == Different && s.GivenOnly && !s.given(r.candidates) {
		row.Result, row.Reason = NotObservable, "chance has a part in it"
	}
	return row
}

func (r *run) libraries() map[string]bool {
	all := map[string]bool{}
	for _, c := range r.candidates {
		all[c.Driver.Client()] = true
	}
	return all
}

func (s Sight) alike(a, b Observation) bool {
	if s.Alike == nil {
		return a.Text == b.Text
	}
	return s.Alike(a, b)
}

// notPlayed is of a client that would have had nothing to be compared with.
const notPlayed = "not played"

// observe looks once for each client. Where one of them was not played nobody was.
func (r *run) observe(s Sight, play []outcome) []Observation {
	all := make([]Observation, len(r.candidates))
	hindered := r.hindered()
	var cannot *impossible
	for i, o := range play {
		switch {
		case hindered && r.obstacles[i] != "":
			all[i] = Observation{Not: r.obstacles[i]}
		case hindered:
			all[i] = Observation{Not: notPlayed}
		case errors.As(o.err, &cannot):
			all[i] = Observation{Not: cannot.why}
		case o.err != nil:
			all[i] = unseen("experiment %s failed: %v", r.experiment.Name, o.err)
		default:
			all[i] = s.See(o.seen)
			if all[i].Not == "" && all[i].Text == "" {
				all[i] = unseen("experiment %s saw nothing of it", r.experiment.Name)
			}
		}
	}
	return all
}

// unseen is why a comparison is not possible, "" where it is.
func (r *run) unseen(observations []Observation) string {
	different := map[string]bool{}
	var why []string
	for i, o := range observations {
		if o.Not != "" && o.Not != notPlayed {
			different[o.Not] = true
			why = append(why, r.candidates[i].Name+": "+o.Not)
		}
	}
	if len(different) == 1 && len(why) == len(observations) {
		return observations[0].Not
	}
	return strings.Join(why, "; ")
}

// named adds what the settings and the libraries say to what was seen of a key.
func named(key string, o Options, candidates []candidate, row Key) Key {
	if row.Key == "" {
		row = Key{Key: key, Result: NotObservable, Observed: map[string]string{}, Reason: unproven(key, o.Role)}
	}
	row.Given, row.Value = true, valueOf(key, candidates)
	cannot := 0
	for _, c := range candidates {
		if why := c.withheld[key]; why != "" && row.Experiment == "" {
			row.Result, row.Reason, row.Observed = NotObservable, why, map[string]string{}
		}
		if why := c.Unread[key]; why != "" {
			row.Result, row.Reason, row.Observed = NotObservable, why, map[string]string{}
		}
		if note := c.differ[key]; note != "" {
			row.Notes = append(row.Notes, c.Name+": "+note)
		}
		if why := c.cannot[key]; why != "" {
			cannot++
			row.Observed[c.Name] = why
		}
	}
	switch {
	case cannot == len(candidates):
		row.Result, row.Reason = NotObservable, "no client can"
	case cannot > 0:
		row.Result, row.Reason = Different, "it is left out for the client that has no such thing"
	}
	return row
}

// valueOf is the value in the settings, masked where it is a secret.
func valueOf(key string, candidates []candidate) string {
	var values []string
	for _, c := range candidates {
		value, has := c.Config[key]
		switch {
		case c.Unread[key] != "":
			value = "(not known)"
		case !has:
			value = "(not set)"
		}
		values = append(values, config.Masked(map[string]string{key: value})[key])
	}
	if slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
		return strings.Join(values, " | ")
	}
	return values[0]
}

// refusedKeys is the rows where a client refuses the settings as a whole and another
// does not: the keys that it names are different, and nothing can be said of others.
func refusedKeys(candidates []candidate) []Key {
	blamed := map[string]bool{}
	for _, c := range candidates {
		for _, key := range blame(c) {
			blamed[key] = true
		}
	}
	var rows []Key
	for _, key := range slices.Sorted(maps.Keys(givenKeys(candidates))) {
		row := Key{Key: key, Given: true, Value: valueOf(key, candidates), Observed: map[string]string{}, Result: NotObservable, Reason: "a client refuses the settings"}
		if blamed[key] {
			row.Result, row.Reason = Different, "only some clients take these settings"
			for _, c := range candidates {
				row.Observed[c.Name] = "takes it"
				if c.refusal != nil {
					row.Observed[c.Name] = fmt.Sprintf("refuses: %v", c.refusal)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// blame is the keys that a refusal names; all of them where it names none.
func blame(c candidate) []string {
	var wrong *drivers.ConfigError
	if c.refusal == nil {
		return nil
	}
	if errors.As(c.refusal, &wrong) {
		return wrong.Keys
	}
	var keys []string
	for key := range c.Config {
		s, _ := config.Lookup(key)
		if slices.ContainsFunc(append(s.Aliases, key), func(name string) bool { return strings.Contains(c.refusal.Error(), name) }) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return slices.Sorted(maps.Keys(c.Config))
	}
	return keys
}
