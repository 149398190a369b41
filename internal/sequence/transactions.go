package sequence

import (
	"fmt"
	"regexp"
	"slices"

	"kcompare/internal/evidence"
)

// producerPattern is a producer in the summary of a request (package proxy).
var producerPattern = regexp.MustCompile(`\bpid=(-?\d+) epoch=(-?\d+)`)

// transaction is the nth on the wire.
func (t *tape) transaction(n int) ([]*evidence.Exchange, error) {
	all := t.transactions()
	if n > len(all) {
		if len(all) == 0 {
			return nil, fmt.Errorf("the trace has no transaction; it has: %s", t.there())
		}
		return nil, fmt.Errorf("the trace has %d; it has: %s", len(all), t.there())
	}
	return all[n-1], nil
}

// transactionOf is the requests of the transaction that a request is part of; nil for none.
func (t *tape) transactionOf(e *evidence.Exchange) []*evidence.Exchange {
	for _, part := range t.transactions() {
		if slices.Contains(part, e) {
			return part
		}
	}
	return nil
}

// transactions are the requests of each transaction, in the order in which the first
// request of each came. One belongs to a producer id and epoch, and ends with EndTxn,
// which may be repeated: what comes after that, of the same producer, is of the next one
// (with KIP-890 the next one has an epoch of its own).
func (t *tape) transactions() [][]*evidence.Exchange {
	type open struct {
		at    int // in all
		ended bool
	}
	var all [][]*evidence.Exchange
	current := map[string]open{}
	for _, e := range t.exchanges {
		who := inTransaction(e)
		if who == "" {
			continue
		}
		o, known := current[who]
		if ends := e.API == "EndTxn"; !known || o.ended && !ends {
			all = append(all, nil)
			o = open{at: len(all) - 1}
		}
		o.ended = e.API == "EndTxn"
		current[who] = o
		all[o.at] = append(all[o.at], e)
	}
	return all
}

// inTransaction is the producer id and epoch of a request that is part of a transaction,
// and "" for any other.
func inTransaction(e *evidence.Exchange) string {
	switch e.API {
	case "AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "EndTxn":
	case "Produce":
		if transactionalID(e) == "" {
			return ""
		}
	default:
		return ""
	}
	id, epoch, _ := producerOf(e)
	return id + "/" + epoch
}
