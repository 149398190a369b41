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
	for _, table := range []map[string]factRule{pythonFacts(), goFacts(), javaFacts()} {
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
		"abort-after-fatal":             "abortTransaction() in the handler of an error that only close() may follow",
		"abort-without-seek":            "a read-process-write loop that goes on after an abort without seeking back: the aborted input is skipped",
		"builtin-hash":                  "Python's hash() as partitioner, which is another function in each process",
		"client-before-fork":            "a client that is made before a fork and used in the child, where its threads are not",
		"commit-result-ignored":         "a commit whose result nobody looks at",
		"commit-unchecked":              "a commit of kgo that does not depend on what became of the records: it commits those that did not fail",
		"commit-unflushed":              "kgo's EndTransaction without Flush: records that linger are sent after the commit",
		"delivery-report-unread":        "produce() without a callback: nobody learns what became of the record",
		"events-unread":                 "a producer of confluent-kafka-go whose delivery reports nobody reads",
		"except-kafka-error":            "except KafkaError, which catches nothing that the library raises",
		"fatal-not-checked":             "an abort after an error that may be fatal",
		"flush-result-ignored":          "Flush without a look at how many records still wait",
		"member-of-some-versions":       "a name that only some versions of the Python module have",
		"missing-flush":                 "a producer that nothing flushes before the program ends",
		"name-not-imported":             "a name that a listing with imports of its own does not import",
		"no-init-transactions":          "a transactional producer of Java that never calls initTransactions()",
		"no-such-member":                "a constant or method that the library does not have",
		"offset-not-next":               "the offset of a record that is done instead of the next one",
		"option-empty":                  "an option of kgo that must not be empty",
		"option-needs":                  "an option of kgo that needs another one beside it, such as RequiredAcks(LeaderAck()) and DisableIdempotentWrite()",
		"option-range":                  "an option of kgo with a value that it does not take",
		"options-exclude":               "two options of kgo that exclude each other",
		"options-inverted":              "an option of kgo above the one that is its upper bound",
		"raise-kafka-error":             "raise of a KafkaError, which is no exception",
		"transaction-in-signal-handler": "a transaction that a signal handler ends under the code that began it",
		"transaction-outlives-session":  "a transaction that may stay open for longer than the session of the group whose offsets it commits",
		"transaction-without-id":        "a transaction of a producer without transactional.id",
		"undefined-name":                "a name that nothing defines",
		"wrong-type":                    "a value of a type that the library does not take, such as a float64 in a Go ConfigMap",
	}
}
