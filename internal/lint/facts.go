package lint

import (
	"maps"

	"kcompare/internal/source"
)

// factRule says how bad a fact is, and what a finding says of it.
type factRule struct {
	severity     Severity
	message, fix func(source.Fact) string
}

// always is a text that does not depend on the fact.
func always(text string) func(source.Fact) string {
	return func(source.Fact) string { return text }
}

// facts is every rule over facts by name: a table for each language that is read with
// the code around the settings.
func facts() map[string]factRule {
	all := map[string]factRule{}
	for _, table := range []map[string]factRule{pythonFacts()} {
		maps.Copy(all, table)
	}
	return all
}

// factFindings judges the facts of a file. What no rule knows is found by
// TestEveryFactHasARule.
func factFindings(f *source.File) []Finding {
	rules := facts()
	var all []Finding
	for _, fact := range f.Facts {
		r, known := rules[fact.Rule]
		if !known {
			continue
		}
		all = append(all, Finding{
			File: f.Path, Line: fact.At.Line, Column: fact.At.Column, Severity: r.severity,
			Rule: fact.Rule, Key: fact.About, Message: r.message(fact), Fix: r.fix(fact),
		})
	}
	return all
}

// factsFind is what `lint --rules` says of each rule over facts.
func factsFind() map[string]string {
	return map[string]string{
		"abort-without-seek":            "a read-process-write loop that goes on after an abort without seeking back: the aborted input is skipped",
		"builtin-hash":                  "Python's hash() as partitioner, which is another function in each process",
		"client-before-fork":            "a client that is made before a fork and used in the child, where its threads are not",
		"delivery-report-unread":        "produce() without a callback: nobody learns what became of the record",
		"except-kafka-error":            "except KafkaError, which catches nothing that the library raises",
		"fatal-not-checked":             "an abort after an error that may be fatal",
		"member-of-some-versions":       "a name that only some versions of the Python module have",
		"missing-flush":                 "a producer that nothing flushes before the program ends",
		"name-not-imported":             "a name that a listing with imports of its own does not import",
		"no-such-member":                "a constant or method that the Python module does not have",
		"offset-not-next":               "the offset of a record that is done instead of the next one",
		"raise-kafka-error":             "raise of a KafkaError, which is no exception",
		"transaction-in-signal-handler": "a transaction that a signal handler ends under the code that began it",
		"transaction-without-id":        "a transaction of a producer without transactional.id",
		"undefined-name":                "a name that nothing defines",
	}
}
