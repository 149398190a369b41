package workbook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/diff"
	"kcompare/internal/evidence"
)

// Replayed is a trial that was played again.
type Replayed struct {
	Need  Need
	Trial evidence.Trial // as it was played, with its scenes
}

// Drift is what a trial that was played again shows otherwise than the evidence.
type Drift struct {
	Need    Need
	File    string   // of the evidence
	Library string   // "librdkafka 2.11.1 -> 2.16.0", or the one of both
	Changes []string // "duplicates 3 -> 0"; what no seed repeats is none
	Unclear []string // what could not be compared, and why
}

// String is the drift in one line.
func (d Drift) String() string {
	what := strings.Join(append(slices.Clone(d.Changes), d.Unclear...), "; ")
	return fmt.Sprintf("%s: %s %s: %s: %s", d.File, d.Need.Scenario, d.Need.Variant, d.Library, what)
}

// Verify compares trials that were played again with what is stored, and gives those that
// differ or could not be compared, in their order. The error names a value that does not
// look like what it should be.
func (s *Store) Verify(all []Replayed) ([]Drift, error) {
	byFile := map[string][]Replayed{}
	for _, r := range all {
		file := s.FileOf(r.Need)
		byFile[file] = append(byFile[file], r)
	}
	var drifts []Drift
	for _, file := range once(fileNames(s, all)) {
		own, err := s.verifyFile(file, byFile[file])
		if err != nil {
			return nil, err
		}
		drifts = append(drifts, own...)
	}
	return drifts, nil
}

func fileNames(s *Store, all []Replayed) []string {
	var names []string
	for _, r := range all {
		names = append(names, s.FileOf(r.Need))
	}
	return names
}

// verifyFile compares the trials of one file together: which requests a client makes at all
// shows in all of its trials, not in one.
func (s *Store) verifyFile(file string, all []Replayed) ([]Drift, error) {
	var drifts []Drift
	old, now := documentOf(all[0].Need, s.file(all[0].Need).doc.Broker.Software), documentOf(all[0].Need, s.made.Brokers[all[0].Need.Broker])
	compared := map[string]Replayed{}
	for _, r := range all {
		stored, _, ok := s.Trial(r.Need)
		if !ok {
			drifts = append(drifts, Drift{Need: r.Need, File: file, Library: r.Trial.Library, Unclear: []string{"there is no evidence to compare it with"}})
			continue
		}
		again, err := normalised(r.Trial, r.Need.Broker)
		if err != nil {
			return nil, fmt.Errorf("%s %s on %s: %w", r.Need.Scenario, r.Need.Variant, r.Need.Client, err)
		}
		r.Trial = again
		compared[r.Need.Variant] = r
		old.Trials, now.Trials = append(old.Trials, stored), append(now.Trials, again)
	}
	if len(compared) == 0 {
		return drifts, nil
	}
	found, err := diff.Compare(old, now)
	if err != nil {
		return nil, err
	}
	for i, t := range found.Trials {
		d := Drift{Need: compared[t.Variant].Need, File: file, Library: librarySteps(old.Trials[i], now.Trials[i])}
		d.Changes, d.Unclear = inWords(t.Changes), append([]string(nil), t.Unclear...)
		if i == 0 { // those of the client are said once
			d.Changes = append(d.Changes, inWords(found.Clients[0].Changes)...)
		}
		d.Changes = append(d.Changes, scenesChanged(old.Trials[i], now.Trials[i])...)
		if len(d.Changes)+len(d.Unclear) > 0 {
			drifts = append(drifts, d)
		}
	}
	return drifts, nil
}

func librarySteps(old, now evidence.Trial) string {
	if old.Library == now.Library {
		return now.Library
	}
	return upgrade(old.Library, now.Library)
}

// inWords says changes as "duplicates 3 -> 0".
func inWords(changes []diff.Change) []string {
	var all []string
	for _, c := range changes {
		name := c.Name
		switch c.What {
		case diff.Verdict:
			name = "verdict"
		case diff.Count:
		default:
			name = string(c.What) + " " + c.Name
		}
		all = append(all, fmt.Sprintf("%s %s -> %s", name, orNothing(c.Old), orNothing(c.New)))
	}
	return all
}

// scenesChanged compares the scenes of a trial that the seed repeats.
func scenesChanged(old, now evidence.Trial) []string {
	var all []string
	for _, s := range now.Scenes {
		i := slices.IndexFunc(old.Scenes, func(o evidence.Scene) bool { return o.Of == s.Of })
		if i < 0 || !old.Repeats || !now.Repeats {
			continue
		}
		if step := firstStep(old.Scenes[i], s); step != "" {
			all = append(all, fmt.Sprintf("scene %s: %s", s.Of, step))
		}
	}
	return all
}

// firstStep says where two scenes part; "" where they do not.
func firstStep(old, now evidence.Scene) string {
	for i := range max(len(old.Steps), len(now.Steps)) {
		switch {
		case i >= len(now.Steps), i >= len(old.Steps):
			return fmt.Sprintf("%d steps -> %d", len(old.Steps), len(now.Steps))
		case old.Steps[i] != now.Steps[i]:
			return fmt.Sprintf("step %d %s -> %s", i+1, stepText(old.Steps[i]), stepText(now.Steps[i]))
		}
	}
	if old.LeftOut != now.LeftOut {
		return fmt.Sprintf("%d exchanges left out -> %d", old.LeftOut, now.LeftOut)
	}
	return ""
}

func stepText(s evidence.SceneStep) string {
	text := fmt.Sprintf("%s to %s (%s): %s", s.API, s.Node, s.Request, s.Answer)
	if s.Times > 1 {
		text += fmt.Sprintf(" x %d", s.Times)
	}
	return text
}

// Unsteady names every fact in which two plays of the same trial differ: what pages may tell
// of it is not the same each time. Measures are no facts, nor are figures of a trial that no
// seed repeats.
func Unsteady(n Need, one, other evidence.Trial) ([]string, error) {
	a, err := normalised(one, n.Broker)
	if err != nil {
		return nil, err
	}
	b, err := normalised(other, n.Broker)
	if err != nil {
		return nil, err
	}
	x, y := facts(a), facts(b)
	all := maps.Clone(x)
	maps.Copy(all, y)
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if x[name] != y[name] {
			differ = append(differ, fmt.Sprintf("%s is %s and %s", name, orNothing(x[name]), orNothing(y[name])))
		}
	}
	return differ, nil
}

// facts are the values of a trial that the same seed has to repeat, by their path in the
// document: "counts.duplicates".
func facts(t evidence.Trial) map[string]string {
	var b bytes.Buffer
	var read any
	_ = json.NewEncoder(&b).Encode(withoutMeasures(t)) // a trial holds nothing that has no JSON
	dec := json.NewDecoder(&b)
	dec.UseNumber()
	_ = dec.Decode(&read)
	all := map[string]string{}
	flatten("", read, all)
	return all
}

// withoutMeasures takes out what depends on the moment.
func withoutMeasures(t evidence.Trial) evidence.Trial {
	t = cloned(t)
	t.ElapsedMS, t.Conditions.Exchanges, t.Requests = 0, 0, nil
	for i := range t.Faults {
		t.Faults[i].Collateral = 0
	}
	for i := range t.Errors {
		t.Errors[i].Count, t.Errors[i].Text = 0, ""
	}
	for i := range t.Answers {
		if t.Answers[i].Measured {
			t.Answers[i].Answer = ""
		}
	}
	if !t.Repeats {
		t.Faults, t.Counts, t.Anomalies, t.Errors, t.Scenes, t.Reasons = nil, nil, nil, nil, nil, nil
		t.Conditions, t.Notes = evidence.Conditions{}, nil
	}
	return t
}

func flatten(at string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			flatten(strings.TrimPrefix(at+"."+key, "."), inner, into)
		}
	case []any:
		for i, inner := range v {
			flatten(fmt.Sprintf("%s[%d]", at, i), inner, into)
		}
	case nil:
	case string:
		into[at] = strconv.Quote(v)
	default:
		into[at] = fmt.Sprint(v)
	}
}
