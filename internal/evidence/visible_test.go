package evidence_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// The log of a partition after commit 2, abort 2, commit 2, as Apache Kafka
// 4.4.0 laid it out: data at 0,1,3,4,6,7, markers at 2,5,8.
func threeTransactions() evidence.PartitionLog {
	return evidence.PartitionLog{After: 9, Batches: []evidence.Batch{
		transactional(7, 0, 1), marker(7, 2, evidence.Commit),
		transactional(7, 3, 4), marker(7, 5, evidence.Abort),
		transactional(7, 6, 7), marker(7, 8, evidence.Commit),
	}}
}

func transactional(pid int64, offsets ...int64) evidence.Batch {
	b := evidence.Batch{ProducerID: pid, Transactional: true, BaseOffset: offsets[0], LastOffset: offsets[len(offsets)-1]}
	for _, o := range offsets {
		b.Records = append(b.Records, evidence.LogRecord{Offset: o})
	}
	return b
}

func marker(pid, offset int64, control string) evidence.Batch {
	return evidence.Batch{ProducerID: pid, Transactional: true, Control: control, BaseOffset: offset, LastOffset: offset}
}

func plain(offset int64) evidence.Batch {
	b := transactional(-1, offset)
	b.Transactional = false
	return b
}

func TestVisible(t *testing.T) {
	for name, tt := range map[string]struct {
		batches []evidence.Batch
		want    []int64
	}{
		"commit, abort, commit": {threeTransactions().Batches, []int64{0, 1, 6, 7}},
		"no transactions":       {[]evidence.Batch{plain(0), plain(1)}, []int64{0, 1}},
		"open transaction hides what stands behind it": {
			[]evidence.Batch{plain(0), transactional(1, 1), plain(2), transactional(2, 3), marker(2, 4, evidence.Commit)},
			[]int64{0},
		},
		"two producers interleaved": {
			[]evidence.Batch{transactional(1, 0), transactional(2, 1), marker(1, 2, evidence.Abort), marker(2, 3, evidence.Commit)},
			[]int64{1},
		},
		"empty": {nil, nil},
	} {
		var got []int64
		for rec := range (evidence.PartitionLog{Batches: tt.batches}).Records(visible) {
			got = append(got, rec.Offset)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: visible offsets (-want +got):\n%s", name, diff)
		}
	}
}

func visible(f evidence.Fate) bool { return f == evidence.FateVisible }
