package audit_test

import (
	"math/rand/v2"
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// Each batch has twice the records of the one before, so that the number of
// visible records says which batches they are. Package evidence, which sees all
// of a log at once, is the measure.
func TestFates(t *testing.T) {
	const seed = 5
	chance := rand.New(rand.NewPCG(seed, seed))
	for range 1000 {
		p := evidence.PartitionLog{Topic: payments}
		for i := range 10 {
			appendBatch(&p, batchOfSize(p.After, 1<<i, chance))
		}
		o := evidence.Observed{Log: evidence.Log{Partitions: []evidence.PartitionLog{p}}}
		o.Transactions = []evidence.Transaction{{N: 1}}
		o.Trial.Conditions.ReadBack = evidence.ReadBackComplete
		c := audit.Audit(&o).Counts
		wantVisible, wantAborted := visible(o.Log), aborted(p)
		if c[evidence.Visible] != wantVisible || c[evidence.AbortedRecords] != wantAborted {
			t.Fatalf("visible %b, aborted %b, want %b and %b of %s",
				c[evidence.Visible], c[evidence.AbortedRecords], wantVisible, wantAborted, kinds(p))
		}
	}
}

// batchOfSize is data or a marker of one of three producers.
func batchOfSize(base int64, records int, chance *rand.Rand) evidence.Batch {
	b := evidence.Batch{BaseOffset: base, LastOffset: base, ProducerID: chance.Int64N(3), Transactional: chance.IntN(4) > 0}
	if b.Transactional && chance.IntN(2) == 0 {
		b.Control = []string{evidence.Commit, evidence.Abort, "EMPTY"}[chance.IntN(3)]
		return b
	}
	b.LastOffset += int64(records) - 1
	for i := range records {
		b.Records = append(b.Records, evidence.LogRecord{Offset: base + int64(i), Foreign: true})
	}
	return b
}

func aborted(p evidence.PartitionLog) (n int64) {
	for i, fate := range p.Fates() {
		if fate == evidence.FateAborted {
			n += int64(len(p.Batches[i].Records))
		}
	}
	return n
}

// kinds spells a log: a producer's number, then d for data, t for data of a
// transaction, or its marker.
func kinds(p evidence.PartitionLog) (text []string) {
	for _, b := range p.Batches {
		kind := "d"
		switch {
		case b.Control != "":
			kind = b.Control
		case b.Transactional:
			kind = "t"
		}
		text = append(text, string(rune('0'+b.ProducerID))+kind)
	}
	return text
}
