package config

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryRowParses(t *testing.T) {
	c, err := newCatalogue(settingsTSV)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(settingsTSV, "\n") - 1; len(c.settings) != want {
		t.Errorf("%d settings from %d rows", len(c.settings), want)
	}
	if !slices.IsSortedFunc(c.settings, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("settings.tsv is not sorted by key")
	}
}

// Defaults that are numbers or words must pass their own setting's check, so
// that a report can set every default explicitly.
func TestDefaultsAreInRange(t *testing.T) {
	for _, s := range Settings() {
		value, _, _ := strings.Cut(s.Default, " ")
		if value == "(unset)" || s.Type == Refused || s.Name == "metadata.request.timeout.ms" {
			continue
		}
		if reason := s.refuse(value); reason != "" {
			t.Errorf("%s: default %s", s.Name, reason)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	row := func(name, alias, applies, typ, rng, relation string) string {
		return columns + "\n" + strings.Join([]string{name, alias, applies, typ, rng, "-", "-", "-", "-", "-", relation, "-", "-", "-"}, "\t") + "\n"
	}
	tests := map[string]struct{ table, want string }{
		"other columns":  {"key\n", "line 1: expected the columns"},
		"short row":      {columns + "\na\tb\n", "line 2: expected 14 columns, found 2"},
		"blank in key":   {row("a b", "-", "P", "string", "-", "same"), "without blanks"},
		"applies":        {row("a", "-", "X", "string", "-", "same"), `applies is "X"`},
		"type":           {row("a", "-", "P", "text", "-", "same"), `type is "text"`},
		"relation":       {row("a", "-", "P", "string", "-", "alike"), `relation is "alike"`},
		"no range":       {row("a", "-", "P", "integer", "-", "same"), "needs a range"},
		"range upside":   {row("a", "-", "P", "integer", "5 .. 1", "same"), "expected LOW .. HIGH"},
		"range of words": {row("a", "-", "P", "integer", "low, high", "same"), "expected LOW .. HIGH"},
		"alias is a key": {row("a", "a", "P", "string", "-", "same"), "a names both a and a"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := newCatalogue(tc.table); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestLookupTakesEveryName(t *testing.T) {
	tests := map[string]string{
		"acks": "acks", "request.required.acks": "acks",
		"linger.ms": "linger.ms", "queue.buffering.max.ms": "linger.ms",
		"retries": "retries", "message.send.max.retries": "retries",
		"message.timeout.ms": "delivery.timeout.ms", "compression.codec": "compression.type",
		"metadata.broker.list": "bootstrap.servers", "sasl.mechanisms": "sasl.mechanism",
		"fetch.message.max.bytes": "max.partition.fetch.bytes",
		"fetch.max.wait.ms":       "fetch.wait.max.ms", // Java's name; librdkafka knows only its own
		"max.in.flight":           "max.in.flight.requests.per.connection",
		"enable.auto.commit":      "enable.auto.commit",
	}
	got := map[string]string{}
	for name := range tests {
		s, _ := Lookup(name)
		got[name] = s.Name
	}
	if d := cmp.Diff(tests, got); d != "" {
		t.Error(d)
	}
	if s, ok := Lookup("ACKS"); ok {
		t.Errorf("ACKS found %s, names are case-sensitive", s.Name)
	}
}

func TestCanonical(t *testing.T) {
	got, err := Canonical(map[string]string{"queue.buffering.max.ms": "5", "acks": "all", "fetch.max.wait.ms": "10"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"linger.ms": "5", "acks": "all", "fetch.wait.max.ms": "10"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCanonicalRefuses(t *testing.T) {
	tests := map[string]struct {
		in   map[string]string
		want Error
	}{
		"two aliases": {map[string]string{"linger.ms": "0", "queue.buffering.max.ms": "300"},
			Error{[]string{"linger.ms", "queue.buffering.max.ms"}, "two names of one setting, give only one of them"}},
		"misspelled": {map[string]string{"enable.idempotance": "true"},
			Error{[]string{"enable.idempotance"}, "unknown setting, did you mean enable.idempotence?"}},
		"nothing near": {map[string]string{"min.insync.replicas": "2"},
			Error{[]string{"min.insync.replicas"}, "unknown setting"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Canonical(tc.in)
			wantError(t, err, tc.want)
		})
	}
}

func wantError(t *testing.T, err error, want Error) {
	t.Helper()
	var got *Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if d := cmp.Diff(want, *got); d != "" {
		t.Error(d)
	}
}

func TestCheckRefusesValues(t *testing.T) {
	tests := map[string]struct{ key, value, want string }{
		"number with letters": {"retries", "5x", `is "5x", expected integer 0 .. 2147483647`},
		"overflow":            {"retries", "4294967297", `is "4294967297", expected integer 0 .. 2147483647`},
		"fraction":            {"retries", "1.5", `is "1.5", expected integer 0 .. 2147483647`},
		"not a number":        {"linger.ms", "NaN", `is "NaN", expected float 0 .. 900000`},
		"boolean":             {"enable.idempotence", "yes", `is "yes", expected boolean true, false`},
		"enum":                {"compression.type", "snapy", `is "snapy", expected one of none, gzip, snappy, lz4, zstd, did you mean snappy?`},
		"Java's none":         {"auto.offset.reset", "none", `is "none", expected one of smallest, earliest, beginning, largest, latest, end, error`},
		"list":                {"partition.assignment.strategy", "range,sticky", `is "range,sticky", expected a list of range, roundrobin, cooperative-sticky`},
		"acks word":           {"acks", "any", `is "any", expected integer -1 .. 1000, all`},
		"Java's store":        {"ssl.truststore.location", "ca.jks", "Java key that librdkafka knows only to refuse: use ssl.ca.location."},
		"an alias":            {"queue.buffering.max.ms", "5", "not the canonical name, use linger.ms"},
		"unknown":             {"linger", "5", "unknown setting"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			wantError(t, Check(map[string]string{tc.key: tc.value}, Producer), Error{[]string{tc.key}, tc.want})
		})
	}
}

func TestCheckNamesBothKeys(t *testing.T) {
	tests := map[string]struct {
		in   string
		role Role
		keys []string
	}{
		"acks and idempotence":        {"acks=1 enable.idempotence=true", Producer, []string{"acks", "enable.idempotence"}},
		"acks and transactions":       {"acks=0 transactional.id=t", Producer, []string{"acks", "transactional.id"}},
		"no idempotence":              {"enable.idempotence=false transactional.id=t", Producer, []string{"enable.idempotence", "transactional.id"}},
		"six in flight":               {"enable.idempotence=true max.in.flight.requests.per.connection=6", Producer, []string{"max.in.flight.requests.per.connection", "enable.idempotence"}},
		"no retries":                  {"enable.idempotence=true retries=0", Producer, []string{"retries", "enable.idempotence"}},
		"lifo":                        {"enable.idempotence=true queuing.strategy=lifo", Producer, []string{"queuing.strategy", "enable.idempotence"}},
		"threshold":                   {"enable.idempotence=true queue.buffering.backpressure.threshold=2", Producer, []string{"queue.buffering.backpressure.threshold", "enable.idempotence"}},
		"gapless":                     {"enable.gapless.guarantee=true", Producer, []string{"enable.gapless.guarantee", "enable.idempotence"}},
		"outlives transaction":        {"transactional.id=t delivery.timeout.ms=120000 transaction.timeout.ms=60000", Producer, []string{"delivery.timeout.ms", "transaction.timeout.ms"}},
		"socket outlives transaction": {"transactional.id=t socket.timeout.ms=60101 transaction.timeout.ms=60000", Producer, []string{"socket.timeout.ms", "transaction.timeout.ms"}},
		"lingers too long":            {"linger.ms=5 delivery.timeout.ms=5", Producer, []string{"linger.ms", "delivery.timeout.ms"}},
		"reconnect of a producer":     {"reconnect.backoff.ms=200 reconnect.backoff.max.ms=100", Producer, []string{"reconnect.backoff.ms", "reconnect.backoff.max.ms"}},
		"reconnect of a consumer":     {"reconnect.backoff.ms=200 reconnect.backoff.max.ms=100", Consumer, []string{"reconnect.backoff.ms", "reconnect.backoff.max.ms"}},
		"session":                     {"session.timeout.ms=6000 max.poll.interval.ms=5000", Consumer, []string{"session.timeout.ms", "max.poll.interval.ms"}},
		"small fetch":                 {"message.max.bytes=2000 fetch.max.bytes=1000", Consumer, []string{"message.max.bytes", "fetch.max.bytes"}},
		"small response":              {"fetch.max.bytes=2000 receive.message.max.bytes=2511", Consumer, []string{"fetch.max.bytes", "receive.message.max.bytes"}},
		"KIP-848 session":             {"group.protocol=consumer session.timeout.ms=6000", Consumer, []string{"session.timeout.ms", "group.protocol"}},
		"KIP-848 heartbeat":           {"group.protocol=consumer heartbeat.interval.ms=6000", Consumer, []string{"heartbeat.interval.ms", "group.protocol"}},
		"KIP-848 type":                {"group.protocol=consumer group.protocol.type=consumer", Consumer, []string{"group.protocol.type", "group.protocol"}},
		"KIP-848 strategy":            {"group.protocol=consumer partition.assignment.strategy=range", Consumer, []string{"partition.assignment.strategy", "group.protocol"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got *Error
			if err := Check(settings(tc.in), tc.role); !errors.As(err, &got) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if d := cmp.Diff(tc.keys, got.Keys); d != "" {
				t.Error(d)
			}
		})
	}
	if len(tests) != len(rules) {
		t.Errorf("%d rules, %d of them tested", len(rules), len(tests))
	}
}

func TestCheckAccepts(t *testing.T) {
	tests := map[string]struct {
		in   string
		role Role
	}{
		"acks in words":               {"acks=all enable.idempotence=true", Producer},
		"acks in numbers":             {"acks=-1 enable.idempotence=true", Producer},
		"acks=1 alone":                {"acks=1", Producer},
		"five in flight":              {"enable.idempotence=true max.in.flight.requests.per.connection=5", Producer},
		"six without idempotence":     {"enable.idempotence=false max.in.flight.requests.per.connection=6", Producer},
		"no transactional.id":         {"delivery.timeout.ms=120000 transaction.timeout.ms=60000", Producer},
		"empty transactional.id":      {"transactional.id= delivery.timeout.ms=120000 transaction.timeout.ms=60000", Producer},
		"no delivery timeout":         {"delivery.timeout.ms=0 linger.ms=5", Producer},
		"socket 100 ms more":          {"transactional.id=t socket.timeout.ms=60100 transaction.timeout.ms=60000", Producer},
		"a consumer's clash":          {"session.timeout.ms=6000 max.poll.interval.ms=5000", Producer},
		"any letter case":             {"auto.offset.reset=EARLIEST isolation.level=Read_Committed", Consumer},
		"a list with blanks":          {"partition.assignment.strategy=range,roundrobin", Consumer},
		"heartbeat, classic protocol": {"group.protocol=classic heartbeat.interval.ms=6000", Consumer},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := Check(settings(tc.in), tc.role); err != nil {
				t.Error(err)
			}
		})
	}
}

// settings reads "key=value key=value".
func settings(text string) map[string]string {
	m := map[string]string{}
	for pair := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(pair, "=")
		m[key] = value
	}
	return m
}

func TestErrorsNeverRepeatPasswords(t *testing.T) {
	in := map[string]string{"sasl.password": "hunter2", "sasl.passwrod": "hunter2", "sasl.jaas.config": "hunter2"}
	for key, value := range in {
		one := map[string]string{key: value}
		_, err := Canonical(one)
		for _, err := range []error{err, Check(one, Producer)} {
			if err != nil && strings.Contains(err.Error(), value) {
				t.Errorf("%v repeats the value", err)
			}
		}
	}
}

func TestFor(t *testing.T) {
	tests := map[string][2]bool{"linger.ms": {true, false}, "group.id": {false, true}, "client.id": {true, true}}
	for name, want := range tests {
		s, _ := Lookup(name)
		if got := [2]bool{s.For(Producer), s.For(Consumer)}; got != want {
			t.Errorf("%s is for (producer, consumer) %v, want %v", name, got, want)
		}
	}
}

func TestSecret(t *testing.T) {
	var got []string
	for _, s := range Settings() {
		if s.Secret() {
			got = append(got, s.Name)
		}
	}
	want := []string{
		"sasl.jaas.config", "sasl.oauthbearer.assertion.private.key.passphrase",
		"sasl.oauthbearer.assertion.private.key.pem", "sasl.oauthbearer.client.credentials.client.secret",
		"sasl.oauthbearer.config", "sasl.password", "ssl.key.password", "ssl.key.pem", "ssl.keystore.password",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestNearest(t *testing.T) {
	scenarios := []string{"idempotent", "at-most-once", "at-least-once", "transactional", "zombie"}
	tests := map[string]string{
		"idempotnet": "idempotent", "at-most-onec": "at-most-once", "zombi": "zombie",
		"transaction": "transactional", "": "", "consumer-groups": "",
	}
	for typed, want := range tests {
		if got := Nearest(typed, scenarios); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1},
		{"abc", "acb", 1}, {"abc", "bc", 1}, {"kitten", "sitting", 3}, {"ключ", "клюю", 1},
	}
	for _, tc := range tests {
		if got := Distance(tc.a, tc.b); got != tc.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(settingsTSV)
	f.Add(columns + "\n")
	f.Fuzz(func(t *testing.T, table string) {
		c, err := newCatalogue(table)
		if err != nil {
			return
		}
		for name, i := range c.index {
			s := c.settings[i]
			if s.Name != name && !slices.Contains(s.Aliases, name) {
				t.Errorf("%q leads to %q", name, s.Name)
			}
		}
	})
}

func FuzzCanonical(f *testing.F) {
	f.Add("linger.ms", "5", "acks", "all")
	f.Add("request.required.acks", "1", "acks", "all")
	f.Fuzz(func(t *testing.T, k1, v1, k2, v2 string) {
		in := map[string]string{k1: v1, k2: v2}
		before := maps.Clone(in)
		out, err := Canonical(in)
		if d := cmp.Diff(before, in); d != "" {
			t.Errorf("the input changed: %s", d)
		}
		if err != nil {
			return
		}
		again, err := Canonical(out)
		if d := cmp.Diff(out, again); err != nil || d != "" {
			t.Errorf("canonical names are not their own canonical names: %v %s", err, d)
		}
		for _, role := range []Role{Producer, Consumer} {
			_ = Check(out, role)
		}
	})
}
