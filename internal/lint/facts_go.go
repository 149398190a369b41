package lint

import (
	"fmt"
	"strings"

	"kcompare/internal/source"
)

// goFacts judges the facts of Go that no other language has; offset-not-next,
// no-such-member and missing-flush are judged as Python's.
func goFacts() map[string]factRule {
	return map[string]factRule{
		"wrong-type": {
			severity: Error,
			message: func(f source.Fact) string {
				return fmt.Sprintf("%s is of type %s, which the client refuses: it takes %s", f.About, f.Args["type"], f.Args["wanted"])
			},
			fix: wantedType,
		},
		"options-exclude": {
			severity: Error,
			message: func(f source.Fact) string {
				return fmt.Sprintf("%s and %s exclude each other: kgo.NewClient returns an error", f.About, f.Args["other"])
			},
			fix: always("keep one of them"),
		},
		"option-needs": {
			severity: Error,
			message: func(f source.Fact) string {
				return fmt.Sprintf("%s needs %s: kgo.NewClient returns an error", withValue(f), f.Args["other"])
			},
			fix: neededOption,
		},
		"option-empty": {
			severity: Error,
			message:  about("%s is empty: kgo.NewClient returns an error"),
			fix:      always("leave the option out, or give it a name"),
		},
		"option-range": {
			severity: Error,
			message: func(f source.Fact) string {
				return fmt.Sprintf("%s is %s, and kgo takes %s: NewClient returns an error", f.About, f.Args["value"], withinRange(f.Args["range"]))
			},
			fix: func(f source.Fact) string { return withinRange(f.Args["range"]) },
		},
		"options-inverted": {
			severity: Error,
			message: func(f source.Fact) string {
				return fmt.Sprintf("%s (%s) is above %s (%s): kgo.NewClient returns an error", f.Args["low"], f.Args["low-value"], f.Args["high"], f.Args["high-value"])
			},
			fix: func(f source.Fact) string { return "set both, " + f.Args["low"] + " well below " + f.Args["high"] },
		},
		"transaction-outlives-session": {
			severity: Info,
			message: func(f source.Fact) string {
				return fmt.Sprintf("the transaction may be open for %s, which is not below the session timeout (%s): before Kafka 2.5 another member could take over its input meanwhile; since KIP-447 the pending commit blocks that reader",
					f.Args["transaction"], f.Args["session"])
			},
			fix: always("TransactionTimeout below SessionTimeout"),
		},
		"commit-unchecked": {
			severity: Error,
			message: func(f source.Fact) string {
				return fmt.Sprintf("%s commits whatever became of the records: nobody sees the errors of %s, and kgo commits a transaction in which records failed", f.About, f.Args["produce"])
			},
			fix: always("kgo.AbortingFirstErrPromise(cl) as promise, and kgo.TransactionEndTry(promise.Err() == nil)"),
		},
		"commit-unflushed": {
			severity: Error,
			message: func(f source.Fact) string {
				return fmt.Sprintf("%s does not wait for the records of %s: those that still linger are sent after the commit, and are not in it", f.About, f.Args["produce"])
			},
			fix: always("Flush(ctx) before it, and abort where it fails"),
		},
		"commit-result-ignored": {
			severity: Error,
			message:  about("nobody looks at what %s returns: whether the transaction was committed stays unknown"),
			fix:      always("handle the error: abort, try again, or make a new producer"),
		},
		"flush-result-ignored": {
			severity: Info,
			message:  always("Flush returns how many records and reports are still waiting when its time is over: they are lost at the end"),
			fix:      always("go on while it returns more than 0, or say that records were lost"),
		},
		"events-unread": {
			severity: Warning,
			message:  unreadEvents,
			fix:      always(`read them in a goroutine, or set "go.delivery.reports": false where nobody wants them`),
		},
	}
}

// withinRange says "1s .. any" in words.
func withinRange(limits string) string {
	low, high, _ := strings.Cut(limits, " .. ")
	switch {
	case low == "any":
		return "at most " + high
	case high == "any":
		return "at least " + low
	}
	return low + " to " + high
}

func withValue(f source.Fact) string {
	if f.Args["value"] == "" {
		return f.About
	}
	return fmt.Sprintf("%s(%s)", f.About, f.Args["value"])
}

func neededOption(f source.Fact) string {
	if f.Args["other"] == "DisableIdempotentWrite" {
		return "kgo.DisableIdempotentWrite() beside it, and duplicates with it; or leave " + f.About + " out"
	}
	return "kgo." + f.Args["other"] + "(...) beside it, or leave " + f.About + " out"
}

func wantedType(f source.Fact) string {
	if f.Args["type"] == "nil" {
		return "leave the key out"
	}
	return "convert it, or write it as a string"
}

func unreadEvents(f source.Fact) string {
	if channel := f.Args["channel"]; channel != "" {
		return fmt.Sprintf("nobody receives from %s, the delivery channel: failures go unnoticed, and a full channel stops all reports of the producer", channel)
	}
	return "nobody reads Events(), where delivery reports go: failures go unnoticed, Flush never returns 0, and a full channel stops the producer"
}
