package lint

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/source"
)

// TestPythonFacts holds the table to the rules that are found, and sees that each speaks.
func TestPythonFacts(t *testing.T) {
	rules := pythonFacts()
	if diff := cmp.Diff(source.PythonRules(), slices.Sorted(maps.Keys(rules))); diff != "" {
		t.Errorf("rules that are found and rules that are judged differ (-found +judged)\n%s", diff)
	}
	for name, rule := range rules {
		fact := source.Fact{Rule: name, About: "ABOUT", Args: map[string]string{"nearest": "NEAREST", "class": "Producer", "has": "2.16.1"}}
		if rule.severity == "" || rule.message(fact) == "" || rule.fix(fact) == "" {
			t.Errorf("%s: needs a severity, a message and a fix: %q %q %q", name, rule.severity, rule.message(fact), rule.fix(fact))
		}
	}
}

// TestPythonMemberTexts says what a finding about a name says.
func TestPythonMemberTexts(t *testing.T) {
	rule := pythonFacts()["no-such-member"]
	for _, c := range []struct {
		about        string
		args         map[string]string
		message, fix string
	}{
		{"metrics", map[string]string{"class": "Producer", "package": "confluent-kafka", "versions": "2.11.1, 2.16.1"},
			"Producer has no metrics (confluent-kafka 2.11.1, 2.16.1)", "statistics.interval.ms with stats_cb in the settings"},
		{"_CONCURRENT_TRANSACTIONS", map[string]string{"class": "KafkaError", "package": "confluent-kafka", "versions": "2.11.1, 2.16.1", "nearest": "CONCURRENT_TRANSACTIONS"},
			"KafkaError has no _CONCURRENT_TRANSACTIONS (confluent-kafka 2.11.1, 2.16.1)", "CONCURRENT_TRANSACTIONS"},
		{"close", map[string]string{"class": "Producer", "package": "confluent-kafka", "versions": "2.11.1, 2.16.1", "has": "2.16.1", "version": "2.11.1"},
			"Producer has no close (confluent-kafka 2.11.1, which is asked for here; 2.16.1 has it)", ""},
	} {
		fact := source.Fact{About: c.about, Args: c.args}
		if got := [2]string{rule.message(fact), rule.fix(fact)}; got != [2]string{c.message, c.fix} {
			t.Errorf("%s: found %q, expected %q", c.about, got, [2]string{c.message, c.fix})
		}
	}
}
