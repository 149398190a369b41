package lint

import (
	"fmt"

	"kcompare/internal/source"
)

// javaFacts judges the facts of Java that no other language has; offset-not-next,
// no-such-member, missing-flush and wrong-type are judged as those of Python and Go.
func javaFacts() map[string]factRule {
	return map[string]factRule{
		"abort-after-fatal": {
			severity: Error,
			message: func(f source.Fact) string {
				return fmt.Sprintf("after %s no call but close() gets through: %s throws again, in the handler", f.Args["source"], f.About)
			},
			fix: always("close() the producer here; abortTransaction() is for other KafkaExceptions"),
		},
		"no-init-transactions": {
			severity: Error,
			message:  about("%s throws IllegalStateException: this producer never calls initTransactions(), which registers its id and fences older instances"),
			fix:      always("initTransactions() once, before the first transaction"),
		},
	}
}
