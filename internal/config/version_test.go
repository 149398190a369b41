package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVersions: every table parses, is sorted, and each alias leads to a name.
func TestVersions(t *testing.T) {
	var got []string
	for _, v := range Versions() {
		got = append(got, v.Library+" "+v.Name)
		all := v.Properties()
		if !slices.IsSortedFunc(all, func(a, b Property) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("%s %s is not sorted by name", v.Library, v.Name)
		}
		for _, p := range all {
			if _, there := v.Property(p.AliasOf); p.AliasOf != "" && !there {
				t.Errorf("%s %s: %s is an alias of %s, which is not there", v.Library, v.Name, p.Name, p.AliasOf)
			}
		}
	}
	want := []string{"aiokafka 0.14.0", "franz-go v1.22.3", "kafka-broker 4.4.0", "kafka-clients 4.4.0",
		"kafka-python 3.0.12", "kafka-topic 4.4.0", "librdkafka 2.11.1", "librdkafka 2.16.0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n := Newest("librdkafka").Name; n != "2.16.0" {
		t.Errorf("the newest librdkafka is %s", n)
	}
}

// TestWhatVersionsHave are rows of each kind of table.
func TestWhatVersionsHave(t *testing.T) {
	tests := map[string]Property{
		"librdkafka 2.11.1 queue.buffering.max.ms": {Applies: "P", Type: Float, Range: "0 .. 900000", Max: 900000, Default: "5"},
		"librdkafka 2.11.1 linger.ms":              {AliasOf: "queue.buffering.max.ms", Applies: "P", Type: Float, Range: "0 .. 900000", Max: 900000, Default: "5"},
		"librdkafka 2.11.1 go.delivery.reports":    {Applies: "P", Type: Boolean, Range: "true, false", Words: []string{"true", "false"}, Default: "true", Binding: "go"},
		"librdkafka 2.11.1 max.poll.records":       {},
		"librdkafka 2.11.1 min.insync.replicas":    {},
		"librdkafka 2.16.0 max.poll.records":       {Applies: "C", Type: Integer, Range: "1 .. 2147483647", Min: 1, Max: 2147483647, Default: "500"},
		"librdkafka 2.16.0 on_delivery":            {Applies: "P", Type: Code, Range: "-", Default: "-", Application: true, Binding: "python"},
		"librdkafka 2.16.0 client.software.name":   {Applies: "*", Type: String, Range: "-", Default: "librdkafka"},
		"franz-go v1.22.3 ProducerLinger":          {Applies: "P", Type: Duration, Range: "any .. 1m0s", Default: "10ms"},
		"franz-go v1.22.3 Balancers":               {Applies: "CG", Type: Code, Range: "-", Default: "cooperative-sticky"},
		"kafka-clients 4.4.0 linger.ms":            {Applies: "P", Type: Integer, Range: "0 .. 9223372036854775807", Max: 1 << 63, Default: "5"},
		"kafka-topic 4.4.0 min.insync.replicas":    {Applies: "*", Type: Integer, Range: "1 .. 2147483647", Min: 1, Max: 2147483647, Default: "1"},
		"kafka-python 3.0.12 linger_ms":            {Applies: "P", Type: Integer, Range: "-", Default: "0"},
		"aiokafka 0.14.0 session_timeout_ms":       {Applies: "C", Type: Integer, Range: "-", Default: "10000"},
	}
	got := map[string]Property{}
	for _, v := range Versions() {
		for name := range tests {
			f := strings.Fields(name)
			if f[0] == v.Library && f[1] == v.Name {
				p, _ := v.Property(f[2])
				p.Name = ""
				if p.Type == Duration {
					p.Min, p.Max = 0, 0 // not a number and 60000
				}
				got[name] = p
			}
		}
	}
	if d := cmp.Diff(tests, got); d != "" {
		t.Error(d)
	}
}
