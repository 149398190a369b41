package trial

import (
	"testing"

	"kcompare/internal/evidence"
)

func TestHiddenTail(t *testing.T) {
	data := func(transactional bool) evidence.Batch {
		return evidence.Batch{ProducerID: 7, Transactional: transactional, Records: []evidence.LogRecord{{}}}
	}
	marker := func(control string) evidence.Batch {
		return evidence.Batch{ProducerID: 7, Transactional: true, Control: control}
	}
	for name, tt := range map[string]struct {
		batches []evidence.Batch
		want    bool
	}{
		"empty":                      {nil, false},
		"plain":                      {[]evidence.Batch{data(false)}, false},
		"committed":                  {[]evidence.Batch{data(true), marker(evidence.Commit)}, false},
		"aborted":                    {[]evidence.Batch{data(true), marker(evidence.Abort)}, true},
		"undecided":                  {[]evidence.Batch{data(false), data(true)}, true},
		"aborted, then a plain one":  {[]evidence.Batch{data(true), marker(evidence.Abort), data(false)}, false},
		"committed, then an aborted": {[]evidence.Batch{data(true), marker(evidence.Commit), data(true), marker(evidence.Abort)}, true},
	} {
		v := view{log: evidence.Log{Partitions: []evidence.PartitionLog{{}, {Batches: tt.batches}}}}
		if got := v.hiddenTail(); got != tt.want {
			t.Errorf("%s: hidden tail %v, want %v", name, got, tt.want)
		}
		if v.uncommitted = true; v.hiddenTail() {
			t.Errorf("%s: something is hidden from a reader under read_uncommitted", name)
		}
	}
}
