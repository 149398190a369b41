package workbook

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/diff"
	"kcompare/internal/evidence"
)

// A measure keeps what stood there as long as the new one is within so much of it, so that
// pages do not change with the weather of a machine.
const (
	measureFactor = 2.0 // times as much, or as little
	measureCount  = 10  // requests more or less

	measureMS = 1000 // milliseconds of a whole trial more or less
)

// settled is the new trial with the measures of the old one where they are near. Where the
// seed does not repeat a trial, all of it is a measure: as long as library and behaviour are
// the same, the old one stays.
func settled(old, now evidence.Trial) evidence.Trial {
	if !now.Repeats && !old.Repeats && old.Library == now.Library && sameBehaviour(old, now) && sameScenes(old, now) {
		old.Scenes = scenesLike(old.Scenes, now.Scenes)
		return old
	}
	if near(float64(old.ElapsedMS), float64(now.ElapsedMS)) || max(old.ElapsedMS, now.ElapsedMS)-min(old.ElapsedMS, now.ElapsedMS) <= measureMS {
		now.ElapsedMS = old.ElapsedMS
	}
	now.Conditions.Exchanges = keptCount(old.Conditions.Exchanges, now.Conditions.Exchanges)
	for api, n := range now.Requests {
		now.Requests[api] = keptCount(old.Requests[api], n)
	}
	for i := range now.Faults {
		f := &now.Faults[i]
		if j := slices.IndexFunc(old.Faults, func(o evidence.Fault) bool { return o.Rule == f.Rule }); j >= 0 {
			f.Collateral = keptCount(old.Faults[j].Collateral, f.Collateral)
		}
	}
	for i := range now.Errors {
		keepError(old.Errors, &now.Errors[i])
	}
	for i := range now.Answers {
		keepAnswer(old.Answers, &now.Answers[i])
	}
	return now
}

// sameBehaviour says whether nothing changed but figures that no seed repeats, and what the
// story says of itself is the same.
func sameBehaviour(old, now evidence.Trial) bool {
	a, b := evidence.Document{Trials: []evidence.Trial{old}}, evidence.Document{Trials: []evidence.Trial{now}}
	d, err := diff.Compare(a, b)
	return err == nil && d.Trials[0].Result == diff.Same && old.Claim == now.Claim && old.About == now.About &&
		slices.Equal(old.Requires, now.Requires) && slices.Equal(old.Checks, now.Checks) && slices.Equal(old.Allowed, now.Allowed)
}

// sameScenes says whether the old trial has every scene of the new one.
func sameScenes(old, now evidence.Trial) bool {
	return !slices.ContainsFunc(now.Scenes, func(s evidence.Scene) bool { return !hasScene(old, s.Of) })
}

// scenesLike are the old scenes that the new trial has too.
func scenesLike(old, now []evidence.Scene) []evidence.Scene {
	return slices.DeleteFunc(slices.Clone(old), func(s evidence.Scene) bool {
		return !slices.ContainsFunc(now, func(o evidence.Scene) bool { return o.Of == s.Of })
	})
}

// keptCount is the old number of something that depends on the moment, where both happened
// at all and are near.
func keptCount(old, now int64) int64 {
	if old > 0 && now > 0 && (near(float64(old), float64(now)) || max(old, now)-min(old, now) <= measureCount) {
		return old
	}
	return now
}

func near(a, b float64) bool {
	return a == b || a > 0 && b > 0 && max(a, b) <= measureFactor*min(a, b)
}

// keepError keeps how often a call was told an error, and what the library wrote, where only
// numbers in it differ.
func keepError(old []evidence.ErrorCount, now *evidence.ErrorCount) {
	i := slices.IndexFunc(old, func(o evidence.ErrorCount) bool {
		return o.Who == now.Who && o.Call == now.Call && o.Class == now.Class && o.Code == now.Code
	})
	if i < 0 {
		return
	}
	now.Count = keptCount(old[i].Count, now.Count)
	if anyNumber.ReplaceAllString(old[i].Text, "0") == anyNumber.ReplaceAllString(now.Text, "0") {
		now.Text = old[i].Text
	}
}

func keepAnswer(old []evidence.Answer, now *evidence.Answer) {
	i := slices.IndexFunc(old, func(o evidence.Answer) bool { return o.Question == now.Question })
	if i >= 0 && now.Measured && old[i].Measured && nearText(old[i].Answer, now.Answer) {
		now.Answer = old[i].Answer
	}
}

var (
	anyNumber = regexp.MustCompile(`\d+(?:\.\d+)?`)
	measured  = regexp.MustCompile(`(\d+(?:\.\d+)?)(?:\s?(µs|us|ms|s|min|m|h)\b)?`)
)

// nearText says whether two texts say the same but for numbers that are near, times in
// whatever unit.
func nearText(a, b string) bool {
	if measured.ReplaceAllString(a, "0") != measured.ReplaceAllString(b, "0") {
		return false
	}
	x, y := measured.FindAllStringSubmatch(a, -1), measured.FindAllStringSubmatch(b, -1)
	for i := range x {
		if !near(inSeconds(x[i]), inSeconds(y[i])) {
			return false
		}
	}
	return true
}

// inSeconds is a number with its unit; one without any is itself.
func inSeconds(match []string) float64 {
	n, _ := strconv.ParseFloat(match[1], 64) // the pattern has only digits
	units := map[string]float64{"µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "m": 60, "h": 3600, "": 1}
	return n * units[strings.TrimSpace(match[2])]
}

// twoDigits rounds to two significant digits: 1518 is 1500.
func twoDigits(n int64) int64 {
	if n < 100 {
		return n
	}
	unit := int64(math.Pow(10, math.Floor(math.Log10(float64(n)))-1))
	return (n + unit/2) / unit * unit
}
