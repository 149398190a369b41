package lint

import "kcompare/internal/source"

// factRule says how bad a fact is, and what a finding says of it.
type factRule struct {
	severity     Severity
	message, fix func(source.Fact) string
}

// always is a text that does not depend on the fact.
func always(text string) func(source.Fact) string {
	return func(source.Fact) string { return text }
}
