package workbook

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"kcompare/internal/evidence"
)

// normalised is a trial without what is of one run alone: its place in the run, how long it
// took to the millisecond, the files beside it, the library's own log, the first anomaly on
// the wire with its times. Addresses and ids in texts are numbered by first appearance. The
// error names a text that holds something that no rule knows.
func normalised(t evidence.Trial, broker string) (evidence.Trial, error) {
	number := t.Number
	t.Number, t.Repeat, t.Trace, t.Log, t.ClientLog, t.Case, t.Shrunk, t.Unstable = 0, 0, "", "", nil, nil, nil, false
	t.ElapsedMS = twoDigits(t.ElapsedMS)
	t = cloned(t)
	if broker == brokerKafka {
		ownNames(&t, number)
	}
	words := newNumbering()
	for _, text := range texts(&t) {
		*text.at = words.text(*text.at)
	}
	return t, plausible(t)
}

// cloned has lists of its own, so that texts can be changed in place.
func cloned(t evidence.Trial) evidence.Trial {
	t.Config, t.Consuming, t.Reading = maps.Clone(t.Config), maps.Clone(t.Consuming), maps.Clone(t.Reading)
	t.Counts, t.Requests = maps.Clone(t.Counts), maps.Clone(t.Requests)
	t.Differences, t.Anomalies, t.Errors = slices.Clone(t.Differences), slices.Clone(t.Anomalies), slices.Clone(t.Errors)
	t.Answers, t.Notes, t.Reasons = slices.Clone(t.Answers), slices.Clone(t.Notes), slices.Clone(t.Reasons)
	t.Conditions.Problems = slices.Clone(t.Conditions.Problems)
	t.Faults = slices.Clone(t.Faults)
	for i := range t.Faults {
		t.Faults[i].Missed = slices.Clone(t.Faults[i].Missed)
	}
	t.Scenes = slices.Clone(t.Scenes)
	for i := range t.Scenes {
		t.Scenes[i].Steps = slices.Clone(t.Scenes[i].Steps)
	}
	return t
}

// ownNames takes the number that names of topics, groups and ids have on a cluster that
// trials share (trial.Site).
func ownNames(t *evidence.Trial, number int) {
	suffix := regexp.MustCompile(fmt.Sprintf(`(kcompare-[a-z][a-z-]*[a-z])-%d\b`, number))
	for _, text := range texts(t) {
		*text.at = suffix.ReplaceAllString(*text.at, "$1")
	}
	for _, set := range []map[string]string{t.Config, t.Consuming, t.Reading} {
		for key, value := range set {
			set[key] = suffix.ReplaceAllString(value, "$1")
		}
	}
}

// place is a text of a trial and where it stands.
type place struct {
	name string
	at   *string
}

// texts lists what libraries, brokers and the audit wrote in words, in the order of the
// document.
func texts(t *evidence.Trial) []place {
	c := &t.Conditions
	all := []place{{"about", &t.About}}
	list := func(name string, texts []string) {
		for i := range texts {
			all = append(all, place{fmt.Sprintf("%s[%d]", name, i), &texts[i]})
		}
	}
	list("differences", t.Differences)
	for i := range t.Faults {
		f := &t.Faults[i]
		name := fmt.Sprintf("faults[%d].", i)
		all = append(all, place{name + "not_applicable", &f.NotApplicable}, place{name + "unplanned", &f.Unplanned})
		list(name+"missed", f.Missed)
	}
	for i := range t.Anomalies {
		a := &t.Anomalies[i]
		name := fmt.Sprintf("anomalies[%d].", i)
		all = append(all, place{name + "cause", &a.Cause}, place{name + "first", &a.First})
	}
	for i := range t.Errors {
		all = append(all, place{fmt.Sprintf("errors[%d].text", i), &t.Errors[i].Text})
	}
	for i := range t.Answers {
		all = append(all, place{fmt.Sprintf("answers[%d].answer", i), &t.Answers[i].Answer})
	}
	all = append(all, place{"conditions.unsupported", &c.Unsupported}, place{"conditions.error", &c.Error}, place{"conditions.program", &c.Program},
		place{"conditions.read_back", &c.ReadBack}, place{"conditions.open_at_end", &c.OpenAtEnd}, place{"conditions.client_read", &c.ClientRead},
		place{"conditions.first_leak", &c.FirstLeak}, place{"conditions.unchecked", &c.Unchecked})
	list("conditions.problems", c.Problems)
	list("notes", t.Notes)
	for i := range t.Scenes {
		for j := range t.Scenes[i].Steps {
			step := &t.Scenes[i].Steps[j]
			name := fmt.Sprintf("scenes[%d].steps[%d].", i, j)
			all = append(all, place{name + "request", &step.Request}, place{name + "answer", &step.Answer})
		}
	}
	list("reasons", t.Reasons)
	return all
}

// numbering gives addresses and ids numbers in the order in which they appear.
type numbering struct {
	seen  map[string]string // what stands for a value
	count map[string]int    // by kind
}

func newNumbering() *numbering {
	return &numbering{seen: map[string]string{}, count: map[string]int{}}
}

// machineFolders are where paths of a machine begin.
const machineFolders = `home|root|tmp|usr|var|opt|Users|private|work`

// volatile are values that no two runs share: an address of this machine (of the client's
// own end, which is the broker's peer, in Go's "A->B"), a UUID, a producer id, librdkafka's
// number of a client, a path. Everything else that looks alike is refused by plausible.
var volatile = regexp.MustCompile(strings.Join([]string{
	`(?P<own>(?:127\.0\.0\.1|\[::1\]|localhost):\d+->)`,
	`(?P<address>(?:127\.0\.0\.1|\[::1\]|localhost):\d+)`,
	`(?P<uuid>\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)`,
	`(?P<producer>(?i:\bpid\{id:|\bproducer[ _-]?id[ =:]*(?:set to |is )?)\d+)`,
	`(?P<client>#(?:producer|consumer)-\d+)`,
	`(?P<path>\B/(?:` + machineFolders + `)(?:/[\w.@+-]+)+)`,
	`(?P<long>\b\d{15,}\b)`,
}, "|"))

var digitsAtEnd = regexp.MustCompile(`\d+$`)

// text is a text with numbers in place of what no two runs share.
func (n *numbering) text(s string) string {
	return volatile.ReplaceAllStringFunc(s, func(found string) string {
		groups := volatile.FindStringSubmatch(found)
		for i, kind := range volatile.SubexpNames() {
			if kind != "" && i < len(groups) && groups[i] != "" {
				return n.stand(kind, found)
			}
		}
		return found
	})
}

func (n *numbering) stand(kind, found string) string {
	switch kind {
	case "own":
		return "client->"
	case "address":
		return n.numbered("broker", found, "broker-%d:9092")
	case "path":
		return path.Base(found)
	case "client":
		name := found[:strings.LastIndex(found, "-")]
		return n.numbered(name, found, name+"-%d")
	case "producer":
		id := digitsAtEnd.FindString(found)
		return strings.TrimSuffix(found, id) + n.numbered("producer", id, "P%d")
	case "long":
		if slices.Contains(limits(), found) {
			return found
		}
	}
	return n.numbered("id", found, "id-%d")
}

func (n *numbering) numbered(kind, value, as string) string {
	key := kind + " " + value
	if _, known := n.seen[key]; !known {
		n.count[kind]++
		n.seen[key] = fmt.Sprintf(as, n.count[kind])
	}
	return n.seen[key]
}

// limits are long numbers that stand for "no limit": the largest of 64 bits with a sign and
// without.
func limits() []string { return []string{"9223372036854775807", "18446744073709551615"} }

// foreign is what must not stand in evidence once it is normalised: an address with a port,
// a path of this machine, a time of day.
var foreign = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}:\d+|\[[0-9a-fA-F:]*::?[0-9a-fA-F:]*\]:\d+|\blocalhost:\d+|\B/(?:` + machineFolders + `)/\S+|\b[A-Za-z]:\\\S+|\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d`)

// longestTrial is far above what a trial may take.
const longestTrial = 24 * time.Hour

// plausible says which value of a trial does not look like what it should be.
func plausible(t evidence.Trial) error {
	if t.ElapsedMS < 0 || t.ElapsedMS > longestTrial.Milliseconds() {
		return fmt.Errorf("elapsed_ms is %d, expected 0 to %d", t.ElapsedMS, longestTrial.Milliseconds())
	}
	for _, text := range texts(&t) {
		if found := foreign.FindString(*text.at); found != "" {
			return fmt.Errorf("%s has %q, expected no address, path or time of one machine", text.name, found)
		}
	}
	for api, n := range t.Requests {
		if n < 1 {
			return fmt.Errorf("requests: %s is %d, expected 1 or more", api, n)
		}
	}
	if len(t.ClientLog) > 0 || t.Trace != "" || t.Log != "" || t.Number != 0 {
		return fmt.Errorf("it has a log, a trace or a number, which evidence of pages does not keep")
	}
	return nil
}
