package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// Compare says what changed from one document to the other. The error says that they
// have no trial in common.
func Compare(old, new evidence.Document) (Document, error) {
	clients := versions(distinct(old.Trials, clientOf), distinct(new.Trials, clientOf))
	pairs, onlyOld, onlyNew := match(old.Trials, new.Trials, clients)
	if len(pairs) == 0 {
		return Document{}, fmt.Errorf("the two have no trial in common: expected the same scenario, variant and client (%s and %s)",
			listed(old.Trials), listed(new.Trials))
	}
	limits := limitsOf(old, new)
	doc := Document{
		Command: "report --diff", Schema: Schema, Old: side(old), New: side(new),
		Notes: append([]string{}, limits.notes...), Clients: []Client{}, Trials: []Trial{},
		OnlyOld: append([]Name{}, onlyOld...), OnlyNew: append([]Name{}, onlyNew...),
	}
	for _, name := range distinct(pairs, func(p pair) string { return p.old[0].Client }) {
		own := filter(pairs, func(p pair) bool { return p.old[0].Client == name })
		doc.Clients = append(doc.Clients, compareClient(own, limits))
	}
	for _, p := range pairs {
		doc.Trials = append(doc.Trials, compareTrial(p, limits))
	}
	return doc, nil
}

// Versions splits a document in which clients stand in several versions ("python@2.11.1"
// and "python") into the older ones and the one that each is compared with: the one
// without a version, or the last. The error says that there is no such client.
func Versions(doc evidence.Document) (old, new evidence.Document, err error) {
	old, new = doc, doc
	old.Trials, new.Trials = nil, nil
	names := distinct(doc.Trials, clientOf)
	for _, t := range doc.Trials {
		own := filter(names, func(name string) bool { return Base(name) == Base(t.Client) })
		newest := own[len(own)-1]
		if slices.Contains(own, Base(t.Client)) {
			newest = Base(t.Client)
		}
		switch {
		case len(own) < 2:
		case t.Client == newest:
			new.Trials = append(new.Trials, t)
		case len(own) > 2:
			return old, new, fmt.Errorf("%s stands in more than two versions (%s): expected two, such as --client=%s@VERSION,%[1]s",
				Base(t.Client), strings.Join(own, ", "), Base(t.Client))
		default:
			old.Trials = append(old.Trials, t)
		}
	}
	if len(new.Trials) == 0 {
		return old, new, fmt.Errorf("no client stands in it in two versions (%s): expected two files, or a run with --client=NAME@VERSION,NAME",
			strings.Join(names, ", "))
	}
	return old, new, nil
}

func listed(trials []evidence.Trial) string {
	return strings.Join(distinct(trials, func(t evidence.Trial) string { return t.Scenario + " on " + t.Client }), ", ")
}

func side(doc evidence.Document) Side {
	return Side{Kcompare: doc.Kcompare, Platform: doc.Platform, Seed: doc.Seed, Broker: doc.Broker, Trials: len(doc.Trials)}
}

// limits is what two documents do not have in common, and why a part of them cannot be
// compared.
type limits struct {
	notes   []string
	figures string // why counts need not be the same; "" where those that the seed repeats have to
	sends   bool   // how often a request is sent is the broker's matter too: a real one asks for another try now and then
	broker  string // why errors and requests may be the broker's; "" where it is of the same kind
}

func limitsOf(old, new evidence.Document) limits {
	var l limits
	if old.Seed != new.Seed {
		l.note(&l.figures, fmt.Sprintf("seed %d and seed %d", old.Seed, new.Seed), "counts are not compared")
	}
	for _, key := range keys(old.Parameters, new.Parameters) {
		o, n := old.Parameters[key], new.Parameters[key]
		switch {
		case o == n:
		case shapesFigures(key):
			l.note(&l.figures, fmt.Sprintf("%s is %q and %q", key, o, n), "counts are not compared")
		default:
			l.notes = append(l.notes, fmt.Sprintf("%s is %q and %q", key, o, n))
		}
	}
	l.sends = !slices.Contains([]string{old.Broker.Kind, new.Broker.Kind}, "embedded")
	if old.Broker.Kind != new.Broker.Kind {
		l.note(&l.broker, fmt.Sprintf("broker %s and %s", old.Broker.Kind, new.Broker.Kind), "errors and requests are not compared")
	}
	if o, n := brokerText(old.Broker), brokerText(new.Broker); o != n {
		l.notes = append(l.notes, fmt.Sprintf("broker %s and %s", o, n))
	}
	if old.Kcompare != new.Kcompare {
		l.notes = append(l.notes, fmt.Sprintf("kcompare %s and %s", old.Kcompare, new.Kcompare))
	}
	if old.Platform != new.Platform && old.Platform != "" && new.Platform != "" {
		l.notes = append(l.notes, fmt.Sprintf("platform %s and %s", old.Platform, new.Platform))
	}
	return l
}

// note says what differs and what follows from it.
func (l *limits) note(reason *string, what, follows string) {
	if *reason == "" {
		*reason = what
	}
	l.notes = append(l.notes, what+": "+follows)
}

// shapesFigures says whether a parameter decides how many records there are and where
// faults strike.
func shapesFigures(parameter string) bool {
	return parameter != "trial-timeout" && parameter != "repeat"
}

func brokerText(b evidence.Broker) string { return fmt.Sprintf("%s, %d nodes", b.Software, b.Nodes) }

func keys[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// timed are requests that a clock sends: whether there is one is a matter of how long the
// trials took, unless there are more than a few.
var timed = []string{"Heartbeat", "PushTelemetry"}

const fewTimed = 10

// compareClient looks for requests that a client began or ceased to make. A single trial
// does not tell: some requests depend on how long it took. Those of a trial that was not
// played to its end on both sides are left out.
func compareClient(own []pair, l limits) Client {
	c := Client{Old: own[0].old[0].Client, New: own[0].new[0].Client, Changes: []Change{}}
	library := func(t evidence.Trial) string { return t.Library }
	c.OldLibrary, c.NewLibrary = strings.Join(distinct(oldOf(own), library), ", "), strings.Join(distinct(newOf(own), library), ", ")
	if l.broker != "" {
		return c
	}
	whole := filter(own, func(p pair) bool { return p.nothingShown() == "" && p.supported() })
	o, n := requests(oldOf(whole)), requests(newOf(whole))
	for _, api := range keys(o, n) {
		if (o[api] == 0) != (n[api] == 0) && (!slices.Contains(timed, api) || o[api]+n[api] > fewTimed) {
			c.Changes = append(c.Changes, Change{What: Request, Name: api, Old: someOf(o[api]), New: someOf(n[api])})
		}
	}
	return c
}

func oldOf(pairs []pair) (all []evidence.Trial) {
	for _, p := range pairs {
		all = append(all, p.old...)
	}
	return all
}

func newOf(pairs []pair) (all []evidence.Trial) {
	for _, p := range pairs {
		all = append(all, p.new...)
	}
	return all
}

func requests(trials []evidence.Trial) map[string]int64 {
	all := map[string]int64{}
	for _, t := range trials {
		for api, n := range t.Requests {
			all[api] += n
		}
	}
	return all
}

func someOf(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
