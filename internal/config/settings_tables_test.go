package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryPropertyIsExplained: whatever a version of librdkafka has is in the catalogue,
// under the name that its alias has, and the catalogue has nothing that no version has.
func TestEveryPropertyIsExplained(t *testing.T) {
	for _, v := range Versions() {
		if v.Library != "librdkafka" {
			continue
		}
		for _, p := range v.Properties() {
			if p.Application || p.Binding != "" {
				continue
			}
			s, known := Lookup(p.Name)
			if target, _ := Lookup(p.AliasOf); !known || p.AliasOf != "" && target.Name != s.Name {
				t.Errorf("%s of librdkafka %s (alias of %q) is %q in the catalogue", p.Name, v.Name, p.AliasOf, s.Name)
			}
		}
	}
	for _, s := range Settings() {
		if !slices.ContainsFunc(s.Versions(), func(v Version) bool { return v.Library == "librdkafka" }) {
			t.Errorf("%s: no version of librdkafka has it", s.Name)
		}
	}
}

// TestSettingsAgreeWithTables holds what settings.tsv says of a setting to the oldest
// table of librdkafka that has it, and its defaults to those of the other libraries.
func TestSettingsAgreeWithTables(t *testing.T) {
	for _, s := range Settings() {
		old := s.Versions()[slices.IndexFunc(s.Versions(), func(v Version) bool { return v.Library == "librdkafka" })]
		p, _ := old.Of(s)
		if s.Applies != p.Applies {
			t.Errorf("%s applies to %s, to librdkafka %s it is %s", s.Name, s.Applies, old.Name, p.Applies)
		}
		if _, more := judgedWords[s.Name]; !more && (s.Type != p.Type || s.Range != p.Range) {
			t.Errorf("%s is %s %s, to librdkafka %s it is %s %s", s.Name, s.Type, s.Range, old.Name, p.Type, p.Range)
		}
		if _, otherwise := otherDefaults[s.Name]; !otherwise && !begins(s.Default, p.Default) {
			t.Errorf("%s has the default %q, in librdkafka %s it is %q", s.Name, s.Default, old.Name, p.Default)
		}
	}
}

// judgedWords are strings to conf_set, which librdkafka looks at later, or whose words the
// catalogue does not know.
var judgedWords = map[string]string{
	"builtin.features":              "differs from build to build",
	"partition.assignment.strategy": "looked at when a consumer is made",
	"partitioner":                   "looked at by a function of its own",
}

// otherDefaults are defaults that rd_kafka_conf_get does not tell as the catalogue does.
var otherDefaults = map[string]string{
	"builtin.features":         "differs from build to build",
	"client.software.version":  "set when a client is made",
	"allow.auto.create.topics": "a producer has another one",
	"sasl.kerberos.kinit.cmd":  "shortened",
	"ssl.truststore.location":  "refused",
	"sasl.jaas.config":         "refused",
}

// begins compares a cell of settings.tsv, which may explain itself in parentheses, with
// the default of a table.
func begins(cell, value string) bool {
	plain, _, _ := strings.Cut(cell, " (")
	nothing := []string{"(unset)", "unset", "null", `""`, "[]"}
	return cell == value || plain == value || value == "-" && slices.Contains(nothing, plain)
}

// TestKgoDefaults: where a setting has one option of franz-go with a default of its own,
// the catalogue names that default.
func TestKgoDefaults(t *testing.T) {
	franz := Newest("franz-go")
	for _, s := range Settings() {
		if len(s.KgoNames()) == 0 || s.Relation == NotApplicable {
			continue
		}
		p, _ := franz.Property(s.KgoNames()[0])
		if p.Type != Duration && p.Type != Integer && p.Type != String || inWords[s.Name] {
			continue
		}
		if cell, _, _ := strings.Cut(s.KgoDefault, "; "); !begins(cell, p.Default) {
			t.Errorf("%s: %s has the default %q, the catalogue says %q", s.Name, p.Name, p.Default, s.KgoDefault)
		}
	}
}

// inWords are settings whose default at kgo the catalogue tells otherwise than OptValue.
var inWords = map[string]bool{
	"client.software.name":       true, // one option for two settings
	"client.software.version":    true,
	"queued.max.messages.kbytes": true, // for each broker
}

// TestJavaDefaults: the same of Java's key.
func TestJavaDefaults(t *testing.T) {
	java := Newest("kafka-clients")
	for _, s := range Settings() {
		if s.JavaKey == "-" {
			continue
		}
		key, _, _ := strings.Cut(s.JavaKey, " (")
		p, has := java.Property(key)
		if !has {
			t.Errorf("%s: Java has no key %s", s.Name, key)
			continue
		}
		if !begins(s.JavaDefault, p.Default) {
			t.Errorf("%s: Java's %s has the default %q, the catalogue says %q", s.Name, key, p.Default, s.JavaDefault)
		}
	}
}

// TestDoes: each setting has a short sentence of its own.
func TestDoes(t *testing.T) {
	whose := map[string]string{}
	for _, s := range Settings() {
		if len(s.Does) > 120 || !strings.HasSuffix(s.Does, ".") || strings.HasPrefix(s.Does, "-") {
			t.Errorf("%s does %q, expected a sentence of 120 characters or less", s.Name, s.Does)
		}
		if other, taken := whose[s.Does]; taken {
			t.Errorf("%s does what %s does: %s", s.Name, other, s.Does)
		}
		whose[s.Does] = s.Name
	}
}

// TestCounterparts: how many settings have an option of franz-go.
func TestCounterparts(t *testing.T) {
	n := 0
	for _, s := range Settings() {
		if len(s.KgoNames()) > 0 && s.Relation != NotApplicable {
			n++
		}
	}
	if n < 60 {
		t.Errorf("%d settings have a counterpart in franz-go, expected 60", n)
	}
}

// TestWhatChanged is what differs between the two versions of librdkafka. It also holds
// the defaults of 2.11.1, which the binding to Go cannot read.
func TestWhatChanged(t *testing.T) {
	old, _ := Find("librdkafka", "2.11.1")
	got := map[string][2]string{}
	for _, p := range Newest("librdkafka").Properties() {
		was, _ := old.Property(p.Name)
		if a, b := told(was), told(p); a != b {
			got[p.Name] = [2]string{a, b}
		}
	}
	want := map[string][2]string{
		"fetch.min.bytes":  {"C integer 1 .. 100000000 = 1", "C integer 0 .. 2147483647 = 1"},
		"max.poll.records": {"", "C integer 1 .. 2147483647 = 500"},
		"sasl.oauthbearer.metadata.authentication.type": {"", "* enum none, azure_imds, aws_iam = none"},
		"sasl.oauthbearer.sub.claim.name":               {"", "* string - = sub"},
		"share.acknowledgement.mode":                    {"", "C string - = implicit"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func told(p Property) string {
	if p.Name == "" {
		return ""
	}
	return p.Applies + " " + string(p.Type) + " " + p.Range + " = " + p.Default
}
