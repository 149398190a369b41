package fingerprint

import (
	"fmt"
	"strings"

	"kcompare/internal/evidence"
)

// Transactions count those of a client, as the brokers answered.
type Transactions struct {
	Committed int
	Aborted   int
	Refused   int // EndTxn that ended with an error code
	Unknown   int // EndTxn without an answer from the broker, and none after it that had one
	Open      int // producer ids whose last transaction nobody ended
}

// transactionsOf follows each producer id: something written, or an offset added, and
// then its end. An end that is asked for again, because its answer was lost, counts
// once.
func transactionsOf(exchanges []evidence.Exchange) Transactions {
	var t Transactions
	open := map[int64]bool{}
	unknown := map[int64]bool{}
	transactional := false
	for _, e := range exchanges {
		transactional = transactional || e.Fields["transactional_id"] != "" || e.End != nil
		for _, b := range e.Batches {
			if b.ProducerID >= 0 {
				open[b.ProducerID] = true
			}
		}
		if id, adds := addsTo(e); adds {
			open[id] = true
		}
		if e.End == nil || !open[e.End.ProducerID] {
			continue
		}
		id := e.End.ProducerID
		unknown[id] = e.End.Code == ""
		switch {
		case e.End.Code == "":
			continue
		case e.End.Code != "ok":
			t.Refused++
			continue
		case e.End.Commit:
			t.Committed++
		default:
			t.Aborted++
		}
		open[id] = false
	}
	if !transactional {
		return Transactions{}
	}
	for id, is := range open {
		switch {
		case is && unknown[id]:
			t.Unknown++
		case is:
			t.Open++
		}
	}
	return t
}

// addsTo is the producer id of a request that adds partitions or offsets to a
// transaction, which its summary has.
func addsTo(e evidence.Exchange) (int64, bool) {
	switch e.API {
	case "AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit":
	default:
		return 0, false
	}
	_, rest, found := strings.Cut(e.Summary, "pid=")
	var id int64
	if _, err := fmt.Sscanf(rest, "%d", &id); !found || err != nil {
		return 0, false
	}
	return id, true
}
