package workbook

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// BenchDrift is what a bench that was played again concludes otherwise than the evidence.
type BenchDrift struct {
	File    string
	Changes []string // "records/s of librdkafka beside franz: 1.30 (1.28 to 1.33) -> 0.91 (0.90 to 0.93)"
	Unclear []string // why nothing could be compared
}

// String is the drift in one line.
func (d BenchDrift) String() string {
	return d.File + ": " + strings.Join(append(slices.Clone(d.Changes), d.Unclear...), "; ")
}

// VerifyBench compares the conclusions of a bench that was played again with those that are
// stored: which settings are not equal, and who differs from whom. Figures of two moments are
// never compared; a ratio has changed where one of the two says otherwise than the other and
// their intervals do not even touch.
func (s *Store) VerifyBench(n BenchNeed, now evidence.Bench) (d BenchDrift, differs bool) {
	d = BenchDrift{File: s.BenchFileOf(n)}
	old, ok := s.Bench(n)
	if !ok {
		d.Unclear = []string{"there is no evidence to compare it with"}
		return d, true
	}
	if was, is := unequalSettings(old), unequalSettings(now); was != is {
		d.Changes = append(d.Changes, fmt.Sprintf("settings that are not equal: %s -> %s", orNothing(was), orNothing(is)))
	}
	if why := now.Judgement.Open; len(why) > 0 {
		d.Unclear = append(d.Unclear, why...)
	}
	before, after := ratiosOf(old), ratiosOf(now)
	for _, pair := range slices.Sorted(maps.Keys(before)) {
		if is, known := after[pair]; known && contradict(before[pair], is) {
			d.Changes = append(d.Changes, fmt.Sprintf("%s: %s -> %s", pair, ratioText(before[pair]), ratioText(is)))
		}
	}
	return d, len(d.Changes)+len(d.Unclear) > 0
}

func unequalSettings(b evidence.Bench) string {
	return strings.Join(namesOf(b.Judgement.Unequal, func(u evidence.BenchUnequal) string { return u.Setting }), ", ")
}

// ratiosOf are those of the figure that ranks, between every two contestants that are compared,
// each pair in one order.
func ratiosOf(b evidence.Bench) map[string]evidence.BenchRatio {
	all := map[string]evidence.BenchRatio{}
	if len(b.Judgement.Metrics) == 0 {
		return all
	}
	m := b.Judgement.Metrics[0]
	for _, f := range m.Standing {
		if f.Ratio == nil {
			continue
		}
		of, beside, ratio := f.Contestant, f.Ratio.Against, *f.Ratio
		if of > beside { // who is compared with whom depends on who was best
			of, beside, ratio = beside, of, turned(ratio)
		}
		all[fmt.Sprintf("%s of %s beside %s", m.Name, of, beside)] = ratio
	}
	return all
}

// turned is the ratio the other way around.
func turned(r evidence.BenchRatio) evidence.BenchRatio {
	r.Mean, r.Low, r.High = 1/r.Mean, 1/r.High, 1/r.Low
	return r
}

// contradict says whether two intervals are on different sides of something: apart from each
// other, and not on the same side of 1.
func contradict(a, b evidence.BenchRatio) bool {
	apart := a.High < b.Low || b.High < a.Low
	return apart && side(a) != side(b)
}

// side is -1, 0 or 1: below 1, around it, above it.
func side(r evidence.BenchRatio) int {
	switch {
	case r.High < 1:
		return -1
	case r.Low > 1:
		return 1
	}
	return 0
}

func ratioText(r evidence.BenchRatio) string {
	return fmt.Sprintf("%.3g (%.3g to %.3g)", r.Mean, r.Low, r.High)
}
