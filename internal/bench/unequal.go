package bench

import (
	"math"
	"slices"

	"kcompare/internal/evidence"
)

// rule says when one effective setting is equal.
type rule struct {
	name string

	// figure is nil where equal means the same word. ok is false where it was not seen.
	figure func(evidence.BenchSeen) (v float64, ok bool)
	slack  func(most float64) float64 // how far figures may lie apart

	// work says that the setting belongs to what is to be done: it must be equal even
	// where one key is compared, because nothing follows for it from a client's settings.
	work bool
}

// rules are what must be equal before anything is called faster.
//
// A batch is full where one more record does not fit, so the largest ones differ by up to a
// record and by what a library counts into the limit: a twentieth is allowed. What is seen
// of linger has the waking of a thread on top, up to a few milliseconds on a machine that is
// busy: two milliseconds, or a quarter.
func rules() []rule {
	return []rule{
		{name: evidence.SettingAcks},
		{name: evidence.SettingIdempotence},
		{name: evidence.SettingCodec},
		{name: evidence.SettingRecordSize, work: true, slack: share(0.01), figure: func(s evidence.BenchSeen) (float64, bool) {
			return s.RecordBytes, s.RecordBytes > 0
		}},
		{name: evidence.SettingPartitions, work: true},
		{name: evidence.SettingLargestBatch, slack: share(0.05), figure: func(s evidence.BenchSeen) (float64, bool) {
			return float64(s.LargestBatch), s.LargestBatch > 0
		}},
		{name: evidence.SettingLinger, slack: func(most float64) float64 { return math.Max(2, most*0.25) }, figure: linger},
		{name: evidence.SettingInFlight},
		{name: evidence.SettingIsolation},
	}
}

func share(of float64) func(float64) float64 { return func(most float64) float64 { return of * most } }

func linger(s evidence.BenchSeen) (float64, bool) {
	if s.LingerMS == nil {
		return 0, false
	}
	return *s.LingerMS, true
}

const notSeen = "(not seen)"

// unequal lists the settings that differ, and forbid to call one faster. follow is those
// that differ because the compared key does.
func unequal(b evidence.Bench) (forbid, follow []evidence.BenchUnequal) {
	for _, group := range compared(b) {
		proven := slices.DeleteFunc(slices.Clone(group), func(c evidence.BenchContestant) bool { return c.Seen == nil })
		for _, r := range rules() {
			if r.equal(proven) {
				continue
			}
			differs := evidence.BenchUnequal{Setting: r.name, Seen: asSeen(proven, r.name)}
			if b.Compare != "" && (!r.work || ownLoads(proven)) {
				follow = append(follow, differs)
			} else {
				forbid = append(forbid, differs)
			}
		}
	}
	return forbid, follow
}

// compared is the contestants in groups that are compared with each other: all of them, or,
// where values of a key are compared, those of each client.
func compared(b evidence.Bench) [][]evidence.BenchContestant {
	if b.Compare == "" {
		return [][]evidence.BenchContestant{players(b)}
	}
	var groups [][]evidence.BenchContestant
	for _, c := range players(b) {
		i := slices.IndexFunc(groups, func(g []evidence.BenchContestant) bool { return g[0].Client == c.Client })
		if i < 0 {
			groups = append(groups, []evidence.BenchContestant{c})
		} else {
			groups[i] = append(groups[i], c)
		}
	}
	return groups
}

// ownLoads says whether the compared key is one of the load's, such as the size of records.
func ownLoads(all []evidence.BenchContestant) bool {
	return slices.ContainsFunc(all, func(c evidence.BenchContestant) bool { return c.Load != nil })
}

func (r rule) equal(all []evidence.BenchContestant) bool {
	if len(all) < 2 {
		return true
	}
	if r.figure == nil {
		first := settingOf(*all[0].Seen, r.name)
		return !slices.ContainsFunc(all, func(c evidence.BenchContestant) bool { return settingOf(*c.Seen, r.name) != first })
	}
	var figures []float64
	for _, c := range all {
		if v, ok := r.figure(*c.Seen); ok {
			figures = append(figures, v)
		}
	}
	if len(figures) == 0 {
		return true
	}
	least, most := slices.Min(figures), slices.Max(figures)
	return len(figures) == len(all) && most-least <= r.slack(most)
}

func asSeen(all []evidence.BenchContestant, name string) map[string]string {
	seen := map[string]string{}
	for _, c := range all {
		seen[c.Name] = settingOf(*c.Seen, name)
	}
	return seen
}

func settingOf(s evidence.BenchSeen, name string) string {
	for _, one := range s.Settings() {
		if one.Name == name {
			return one.Text
		}
	}
	return notSeen
}
