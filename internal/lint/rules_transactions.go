package lint

import (
	"fmt"
	"strings"

	"kcompare/internal/source"
)

// transactionChecks are the rules about identities and transactions.
func transactionChecks() []check {
	return []check{
		{Rule{"transaction-timeout", Warning, "a transaction.timeout.ms above 900000, the default of the broker's transaction.max.timeout.ms: init_transactions fails"}, transactionTimeout},
		{Rule{"changing-id", Warning, "a transactional.id or group.instance.id that is another one at each start"}, changingID},
		{Rule{"empty-transactional-id", Error, "an empty transactional.id: not transactional in librdkafka (a warning, None an info), refused by Java"}, emptyTransactionalID},
		{Rule{"auto-commit-in-transaction", Warning, "enable.auto.commit=true in a consumer beside a transactional producer: offsets are committed outside the transaction"}, autoCommitInTransaction},
	}
}

// brokerLimit is the default of transaction.max.timeout.ms.
const brokerLimit = 900000

func transactionTimeout(b *block) []Finding {
	i, given := b.get("transaction.timeout.ms")
	if n, known := b.number("transaction.timeout.ms"); !given || !known || n <= brokerLimit {
		return nil
	}
	return []Finding{finding(i, Warning,
		fmt.Sprintf("%s is above the broker's default limit of %d (transaction.max.timeout.ms): the first transaction fails", show(i), brokerLimit),
		fmt.Sprintf("use at most %d, or raise the broker's limit", brokerLimit))}
}

func changingID(b *block) []Finding {
	consequence := map[string]string{
		"transactional.id":  "the old instance is not fenced, and readers stall until its transaction times out",
		"group.instance.id": "the group takes each start for a new member, and rebalances",
	}
	var all []Finding
	for _, i := range b.items {
		name := i.name
		if name == "" {
			name = i.Canonical
		}
		why, is := consequence[name]
		if is && len(i.Value.Changing) > 0 {
			all = append(all, finding(i, Warning,
				fmt.Sprintf("%s changes at each start (%s): %s", i.Key, strings.Join(i.Value.Changing, ", "), why),
				"use a name that stays: of the shard, of the host, of the pod in a StatefulSet"))
		}
	}
	return all
}

func emptyTransactionalID(b *block) []Finding {
	i, given := b.get("transactional.id")
	empty := i.Value.Kind == source.Null || i.known && strings.TrimSpace(i.value) == ""
	switch {
	case !given || !empty:
		return nil
	case b.of("java") && i.Value.Kind != source.Null:
		return []Finding{finding(i, Error, i.Key+" is empty: Java's client refuses it", "give it a name, or take it out")}
	case b.isLibrdkafka() && i.Value.Kind == source.Null && b.file.Language == source.Go:
		return nil // wrong-type says that it is refused
	case i.Value.Kind == source.Null:
		return []Finding{finding(i, Info, i.Key+" is None: the producer is not transactional", "take it out")}
	}
	return []Finding{finding(i, Warning, i.Key+" is empty: the producer is not transactional", "give it a name, or take it out")}
}

// autoCommitInTransaction looks for the producer in the same file: there nothing else
// would read the consumer's records.
func autoCommitInTransaction(b *block) []Finding {
	i, given := b.get("enable.auto.commit")
	if !given || b.Role != source.Consumer || !b.isTrue("enable.auto.commit") {
		return nil
	}
	for n := range b.file.Blocks {
		other := newBlock(b.file, &b.file.Blocks[n])
		if other.Role == source.Producer && other.transactional() {
			return []Finding{finding(i, Warning, i.Key+"=true beside a transactional producer: offsets are committed outside its transactions",
				"set it to false, and send the offsets to the transaction")}
		}
	}
	return nil
}
