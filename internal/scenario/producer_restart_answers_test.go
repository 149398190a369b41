package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// TestSessionsAreCompared: the id and the epoch of each session against the one before.
func TestSessionsAreCompared(t *testing.T) {
	wrote := func(instance int, id int64, epoch int16) evidence.Exchange {
		return evidence.Exchange{Batches: []evidence.TraceBatch{{
			ProducerID: id, ProducerEpoch: epoch, Sends: []evidence.SendID{{Instance: instance}},
		}}}
	}
	for name, tt := range map[string]struct {
		wrote               []evidence.Exchange
		id, epoch, producer string
	}{
		"new ids":              {[]evidence.Exchange{wrote(1, 5, 0), wrote(2, 6, 0), wrote(3, 7, 0)}, "a new producer id", "0", "is higher"},
		"ids in no order":      {[]evidence.Exchange{wrote(1, 5, 0), wrote(2, 4, 0), wrote(3, 7, 0)}, "a new producer id", "0", "is lower; is higher"},
		"one id":               {[]evidence.Exchange{wrote(1, 5, 0), wrote(1, 5, 1), wrote(2, 5, 3)}, "the same producer id", "grows", ""},
		"one id and one epoch": {[]evidence.Exchange{wrote(1, 5, 1), wrote(2, 5, 1)}, "the same producer id", "does not grow", ""},
		"both":                 {[]evidence.Exchange{wrote(1, 5, 1), wrote(2, 5, 2), wrote(3, 6, 0)}, "the same producer id; a new producer id", "grows; 0", "is higher"},
		"one session":          {[]evidence.Exchange{wrote(1, 5, 1)}, "", "", ""},
	} {
		want := []evidence.Answer{{Question: "a new session has", Answer: tt.id}, {Question: "its epoch", Answer: tt.epoch}}
		if tt.producer != "" {
			want = append(want, evidence.Answer{Question: "its producer id", Answer: tt.producer, Measured: true})
		}
		got := sessionAnswers(&evidence.Observed{Trace: evidence.Trace{Exchanges: tt.wrote}}, "", "")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
