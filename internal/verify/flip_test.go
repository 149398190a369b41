package verify

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/config"
	"kcompare/librdkafka"
)

// flip is the proof that a key is proven: with one value both libraries are seen to do
// the same, and with one value against the other they are not. Values of what is Timed
// are far apart, for a busy machine must not make them alike in any of three plays.
type flip struct {
	key  string
	a, b string // "": not set
	with map[string]string

	// only is the one library that the key does something in. In two that do something
	// else each the same values are different.
	only string

	deep bool // with Options.Deep
}

const (
	onlyFranz      = "franz"
	onlyLibrdkafka = "librdkafka"
)

func (f flip) settings(value string) Settings {
	s := Settings{}
	maps.Copy(s, f.with)
	if value != "" {
		s[f.key] = value
	}
	return s
}

// flips plays each key with each library and both values, and compares all four.
func flips(t *testing.T, role config.Role, all []flip) {
	t.Helper()
	for _, f := range all {
		t.Run(fmt.Sprintf("%s=%s,%s", f.key, f.a, f.b), func(t *testing.T) {
			t.Parallel()
			f.play(t, role)
		})
	}
}

func (f flip) play(t *testing.T, role config.Role) {
	var libraries []drivers.Driver
	for _, d := range both(t) {
		if f.only == "" || f.only == d.Client() {
			libraries = append(libraries, d)
		}
	}
	var clients []Client
	for _, d := range libraries {
		for _, value := range []string{f.a, f.b} {
			clients = append(clients, Client{Name: d.Client() + " " + value, Driver: d, Config: f.settings(value)})
		}
	}
	o := Options{Role: role, Clients: clients, GivenOnly: true, Deep: f.deep, Now: time.Now}
	candidates, err := prepareAll(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range candidates {
		if c.refusal != nil || c.cannot[f.key] != "" {
			t.Fatalf("%s: %v %s", c.Name, c.refusal, c.cannot[f.key])
		}
	}
	runs := slices.DeleteFunc(plan(o, candidates), func(r *run) bool {
		return !slices.ContainsFunc(r.experiment.Sights, func(s Sight) bool { return s.Key == f.key })
	})
	playAll(t.Context(), o, runs)
	repeat(t.Context(), o, runs)
	for _, p := range problems(runs) {
		t.Error(p)
	}
	for i := range candidates {
		for j := range i {
			f.compare(t, runs, j, i)
		}
	}
}

// compare judges two of the clients as Verify would.
func (f flip) compare(t *testing.T, runs []*run, i, j int) {
	var row Key
	for _, r := range runs {
		pair := &run{experiment: r.experiment, candidates: []candidate{r.candidates[i], r.candidates[j]}}
		if r.hindered() {
			pair.obstacles = []string{r.obstacles[i], r.obstacles[j]}
		}
		for _, play := range r.plays {
			pair.plays = append(pair.plays, []outcome{play[i], play[j]})
		}
		for _, s := range r.experiment.Sights {
			if found := pair.row(s); s.Key == f.key && better(found, row) {
				row = found
			}
		}
	}
	want := Different
	if runs[0].candidates[i].Config[f.key] == runs[0].candidates[j].Config[f.key] {
		want = Same
	}
	if row.Result != want {
		t.Errorf("%s and %s: %s, want %s: %q %s", runs[0].candidates[i].Name, runs[0].candidates[j].Name, row.Result, want, row.Observed, row.Reason)
	}
}

func both(t *testing.T) []drivers.Driver {
	t.Helper()
	rdkafka, err := librdkafka.New()
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return []drivers.Driver{franz.New(), rdkafka}
}
