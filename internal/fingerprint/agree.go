package fingerprint

import (
	"fmt"
	"strconv"
	"strings"

	"kcompare/internal/config"
)

// Agreement is how what was seen stands to what somebody expects.
type Agreement string

// The agreements. NotSeen is neither: no request shows the setting, or not far enough.
const (
	Same      Agreement = "same"
	Different Agreement = "different"
	NotSeen   Agreement = "not-seen"
)

// Against compares what was seen with a value from a file of settings, in any spelling
// that libraries take. The reason says why a trait that was seen decides nothing; it is
// "" otherwise.
func (t Trait) Against(value string) (a Agreement, reason string) {
	want, have := Spelled(t.Key, value), Spelled(t.Key, t.Value)
	switch t.Precision {
	case About, AtMost: // libraries add chance to what they wait
		return NotSeen, "measured only: " + t.Seen
	case AtLeast:
		return t.againstBound(want)
	}
	if want != have && t.Precision == Hint {
		return NotSeen, "no batch was large enough to tell: " + t.Seen
	}
	if want != have {
		return Different, ""
	}
	for _, o := range t.Others {
		if Spelled(t.Key, o.Value) != want && t.Key != "compression.type" { // which leaves batches alone that would not get smaller
			return Different, ""
		}
	}
	return Same, ""
}

// againstBound: more than is allowed is a difference, less proves nothing.
func (t Trait) againstBound(want string) (Agreement, string) {
	limit, err := strconv.Atoi(want)
	seen, _ := strconv.Atoi(t.Value)
	switch {
	case err != nil:
		return NotSeen, fmt.Sprintf("expected a whole number, got %q", want)
	case t.Key == "batch.size" && seen != limit: // of the records before compression, and a first record may be larger
		return NotSeen, "sizes as sent, compressed and with headers: " + t.Seen
	case seen > limit:
		return Different, ""
	case seen < limit:
		return NotSeen, "a limit that was not reached: " + t.Seen
	}
	return Same, ""
}

// Spelled is a value in the one spelling that values are compared in: words in small
// letters, librdkafka's synonyms and Java's class names as the word that both have.
func Spelled(key, value string) string {
	s, known := config.Lookup(key)
	if !known {
		return value
	}
	value = strings.TrimSpace(value)
	switch {
	case s.Name == "partition.assignment.strategy":
		return assignors(value)
	case s.Type == config.Boolean:
		if v, ok := config.Bool(value); ok {
			return strconv.FormatBool(v)
		}
	case s.Type == config.Enum:
		value = strings.ToLower(value)
	case s.Type == config.Integer:
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			value = strconv.FormatInt(n, 10)
		}
	}
	if word, has := synonyms()[s.Name+"="+value]; has {
		return word
	}
	return value
}

func synonyms() map[string]string {
	return map[string]string{
		"acks=-1":                     "all",
		"auto.offset.reset=smallest":  "earliest",
		"auto.offset.reset=beginning": "earliest",
		"auto.offset.reset=largest":   "latest",
		"auto.offset.reset=end":       "latest",
	}
}

// assignors are the names that go over the wire. Java's settings name classes.
func assignors(list string) string {
	classes := map[string]string{
		"RangeAssignor": "range", "RoundRobinAssignor": "roundrobin", "StickyAssignor": "sticky", "CooperativeStickyAssignor": "cooperative-sticky",
	}
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if word, has := classes[name[strings.LastIndex(name, ".")+1:]]; has {
			name = word
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}
