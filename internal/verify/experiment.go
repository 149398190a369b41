package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/fingerprint"
)

// Experiment is a short story in which some settings show. It is played once for each
// client, with the settings of the file as they are.
type Experiment struct {
	Name  string
	Roles []config.Role // of the clients that it is for
	About string        // what happens, in one sentence

	// Takes is how long the effect takes that is waited for, with these settings; nil
	// for less than a second. More than Deepest is waited for with Options.Deep alone.
	Takes func(Settings) time.Duration

	// Wants is why it makes no sense with these settings, which then stands at all its
	// keys: "no transactional.id". "" where it does; nil: always.
	Wants func(Settings) string

	// Security has the client get the file's settings of TLS and logins, too. It must not
	// meet the broker then, which has neither.
	Security bool

	Topics []broker.Topic // made before the client starts; their roles in fault rules are their names
	Nodes  int            // of the broker, 1 where it is 0

	// Faults of these settings. Rules must count requests (First, Nth), as no record has
	// an identity here.
	Faults func(Settings) fault.Plan

	// Play tells the story. Its error means that nothing was proven; an *impossible is
	// that the settings do not let it, and nobody's failure.
	Play   func(context.Context, *Stand) error
	Sights []Sight
}

// Experiments are all of them.
func Experiments() []Experiment {
	return slices.Concat(producing(), consuming(), connecting())
}

// Proven are the keys that some experiment sees, sorted. A test flips each of them.
func Proven() []string {
	keys := map[string]bool{}
	for _, e := range Experiments() {
		for _, s := range e.Sights {
			keys[s.Key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// obstacle is why the experiment is not played, "" for none.
func (e Experiment) obstacle(s Settings, deep bool) string {
	if e.Wants != nil {
		if why := e.Wants(s); why != "" {
			return why
		}
	}
	if e.Takes == nil || deep {
		return ""
	}
	if takes := e.Takes(s); takes > Deepest {
		return fmt.Sprintf("needs %s (--deep)", seconds(takes))
	}
	return ""
}

// seconds is a duration as people say it: "120 s", "3.5 s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}

// Sight is one key, and how it shows in the experiment.
type Sight struct {
	Key string
	See func(Seen) Observation

	// Alike says whether two observations mean the same; nil: their texts are equal.
	Alike func(a, b Observation) bool

	// Timed says that load can change what is seen: a time, how much happened within one,
	// or which records a library packs together (librdkafka sends what it has when its
	// thread gets to it). A difference is measured again then, and is one only if it
	// shows each time.
	Timed bool

	// Within is why observations of different libraries cannot be compared; "" where
	// they can.
	Within string

	// GivenOnly leaves the key out where the settings do not name it, as chance has a
	// part in what is seen then.
	GivenOnly bool
}

// Observation is what was seen of a key. Either Text or Not is set.
type Observation struct {
	Text   string  // as people read it: "50 ms", "lz4"
	Number float64 // for Sight.Alike
	Not    string  // why nothing was seen: "because of acks=0", in which no request is answered
}

// Seen is all that one play leaves.
type Seen struct {
	Experiment string
	Client     string   // the driver's name: "franz"
	Settings   Settings // that the client had

	// Trace is in the order of arrival, and complete: the client was closed.
	Trace []evidence.Exchange
	Sends []Send                 // in the order of sending
	Notes map[string]Observation // what Play noted
}

// Of are the exchanges of one API, in their order.
func (s Seen) Of(api string) []evidence.Exchange {
	var all []evidence.Exchange
	for _, e := range s.Trace {
		if e.API == api {
			all = append(all, e)
		}
	}
	return all
}

// Send is a record that was handed to the client, and what the client said of it.
// Times are since the stand was opened.
type Send struct {
	Key   []byte
	Bytes int // of the value

	At       time.Duration // when it was handed over
	Taken    time.Duration // when the call returned
	Reported time.Duration // when the client reported on it; 0: never
	Failed   string        // the code of a failed one: "_MSG_TIMED_OUT"
}

// saw is an observation in words.
func saw(text string) Observation { return Observation{Text: text} }

// counted is one that is a number; its text is the number unless format has more.
func counted(n int, format string) Observation {
	return Observation{Text: fmt.Sprintf(format, n), Number: float64(n)}
}

// lasted is one that is a time, in milliseconds.
func lasted(d time.Duration) Observation {
	ms := float64(d) / float64(time.Millisecond)
	return Observation{Text: fmt.Sprintf("%.0f ms", ms), Number: ms}
}

// unseen is why nothing was seen.
func unseen(format string, args ...any) Observation {
	return Observation{Not: fmt.Sprintf(format, args...)}
}

// because names the setting that keeps another one from being seen.
func because(s Settings, key, why string) Observation {
	return Observation{Not: fmt.Sprintf("because of %s=%s: %s", key, s[key], why)}
}

// noted is what Play noted under that name.
func noted(name string) func(Seen) Observation {
	return func(s Seen) Observation {
		if o, ok := s.Notes[name]; ok {
			return o
		}
		return unseen("the experiment did not come to it")
	}
}

// carried is a setting that requests carry or show for certain, as package fingerprint
// reads it.
func carried(key string) Sight {
	return Sight{Key: key, See: func(s Seen) Observation {
		trait, seen := fingerprint.Find(key, s.Trace)
		if !seen {
			return unseen("no request of experiment %s shows it", s.Experiment)
		}
		if strings.Contains(trait.Seen, trait.Value) {
			return saw(trait.Seen)
		}
		return saw(trait.Value + ": " + trait.Seen)
	}}
}

// near says that two numbers are the same but for part of the greater one and for
// slack, in the unit of the numbers.
func near(part, slack float64) func(a, b Observation) bool {
	return func(a, b Observation) bool {
		low, high := min(a.Number, b.Number), max(a.Number, b.Number)
		return high-low <= part*high+slack
	}
}
