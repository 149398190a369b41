package fingerprint

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// Precision says how a value is to be read.
type Precision string

// The precisions.
const (
	Exact   Precision = "exact"    // requests carry the value, or show it for certain
	Hint    Precision = "hint"     // fits, and proves nothing: a small batch stays uncompressed, whatever the codec
	AtLeast Precision = "at-least" // the most that was seen; the setting is that or more
	AtMost  Precision = "at-most"  // the least that was seen, in milliseconds; something else may have taken part of it
	About   Precision = "about"    // measured, in milliseconds
)

// Trait is one setting of a client as its requests show it.
type Trait struct {
	Key       string // canonical name
	Value     string // in the spelling of package config
	Precision Precision
	Seen      string // what was seen: "acks=-1 in Produce"
	Requests  int    // requests that say so
	Others    []Reading
}

// Reading is another value that a setting was seen to have: the program has several
// clients that call themselves the same, or the library changes the value by itself.
type Reading struct {
	Value    string
	Requests int
}

// row is how one setting is read.
type row struct {
	key  string
	read func(key string, exchanges []evidence.Exchange) (Trait, bool)
}

// Keys are the settings that Find knows, in the order in which they are told.
func Keys() []string {
	var keys []string
	for _, r := range rows() {
		keys = append(keys, r.key)
	}
	return keys
}

// Find reads one setting, by its canonical name, out of exchanges of any clients; false
// where no request shows it, or the key is none of Keys. Package verify calls it for the
// exchanges of one experiment.
func Find(key string, exchanges []evidence.Exchange) (Trait, bool) {
	all := rows()
	i := slices.IndexFunc(all, func(r row) bool { return r.key == key })
	if i < 0 {
		return Trait{}, false
	}
	return all[i].read(key, exchanges)
}

// reading is what one request says of a setting; seen is "" where it says nothing.
type reading struct{ value, seen string }

// each asks every request. The value is that of the first one which says something.
func each(read func(evidence.Exchange) reading) func(string, []evidence.Exchange) (Trait, bool) {
	return func(key string, exchanges []evidence.Exchange) (Trait, bool) {
		t := Trait{Key: key, Precision: Exact}
		for _, e := range exchanges {
			if r := read(e); r.seen != "" {
				t.add(r)
			}
		}
		return t, t.Requests > 0
	}
}

func (t *Trait) add(r reading) {
	if t.Requests == 0 {
		t.Value, t.Seen = r.value, r.seen
	}
	if r.value == t.Value {
		t.Requests++
		return
	}
	i := slices.IndexFunc(t.Others, func(o Reading) bool { return o.Value == r.value })
	if i < 0 {
		t.Others = append(t.Others, Reading{r.value, 1})
		return
	}
	t.Others[i].Requests++
}

// with reads a setting only where the client sent a request of the API as well: others
// send the same request for another reason.
func with(api string, read func(string, []evidence.Exchange) (Trait, bool)) func(string, []evidence.Exchange) (Trait, bool) {
	return func(key string, exchanges []evidence.Exchange) (Trait, bool) {
		if !slices.ContainsFunc(exchanges, func(e evidence.Exchange) bool { return e.API == api }) {
			return Trait{}, false
		}
		return read(key, exchanges)
	}
}

// field reads a field of a request as it is.
func field(api, name string) func(evidence.Exchange) reading {
	return spelled(api, name, nil)
}

// spelled reads a field whose numbers have words in settings. A value without a word is
// told as it is.
func spelled(api, name string, words map[string]string) func(evidence.Exchange) reading {
	return func(e evidence.Exchange) reading {
		value, has := e.Fields[name]
		if !has || e.API != api {
			return reading{}
		}
		seen := fmt.Sprintf("%s=%s in %s", name, value, api)
		if word, known := words[value]; known {
			value = word
		}
		return reading{value, seen}
	}
}

// either asks one after the other, until one says something.
func either(reads ...func(evidence.Exchange) reading) func(evidence.Exchange) reading {
	return func(e evidence.Exchange) reading {
		for _, read := range reads {
			if r := read(e); r.seen != "" {
				return r
			}
		}
		return reading{}
	}
}
