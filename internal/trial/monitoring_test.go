package trial_test

import (
	"context"
	"strings"
	"testing"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
)

// boaster says something else of one thing than its library does.
type boaster struct {
	drivers.Producer
	of   drivers.Figure
	says string
}

func (p boaster) Figures(ctx context.Context) (drivers.Figures, error) {
	figures, err := p.Producer.(drivers.Teller).Figures(ctx)
	if err == nil {
		figures[p.of] = p.says
	}
	return figures, err
}

// taciturn tells nothing of itself.
type taciturn struct{ drivers.Producer }

// TestMonitoringLies: each number that is claimed to be right is held against the wire.
// Few payments, so that none of the lies is true by chance.
func TestMonitoringLies(t *testing.T) {
	for _, tt := range []struct {
		figure drivers.Figure
		says   string
		want   string // in a reason
	}{
		{drivers.RecordsTaken, "21", "at the end: records taken: 21, wire 20, expected 20, right"},
		{drivers.RecordsSent, "19", "at the end: records sent: 19, wire 20, expected 20, right"},
		{drivers.ProduceRequests, "0", "at the end: Produce requests: 0, wire 20, expected 20, right"},
		{drivers.RecordsWaiting, "0", "one unanswered: records waiting: 0, wire 1, expected 1, right"},
		{drivers.RecordsWaiting, "1", "at the end: records waiting: 1, wire 0, expected 0, right"},
		{drivers.RecordsInFlight, "1", "at the end: records in flight: 1, wire 0, expected 0, right"},
		{drivers.RecordsInFlight, "0", "one unanswered: records in flight: 0, wire 1, expected 1, right"},
		{drivers.ProducerEpoch, "7", "at the end: producer epoch: 7, wire 0, expected 0, right"},
	} {
		t.Run(string(tt.figure)+" "+tt.says, func(t *testing.T) {
			t.Parallel()
			lie := func(p drivers.Producer) drivers.Producer { return boaster{p, tt.figure, tt.says} }
			got := play(t, specOf(t, "monitoring", "answers=all,sends=sequential", meddler{Driver: franz.New(), producer: lie}))
			if got.Verdict != evidence.Violated || !strings.Contains(strings.Join(got.Reasons, "\n"), tt.want) {
				t.Errorf("verdict is %s because of %q, want violated because of %q", got.Verdict, got.Reasons, tt.want)
			}
		})
	}
}

// TestMuteLibrary: who tells nothing breaks no promise, and it is shown.
func TestMuteLibrary(t *testing.T) {
	silent := func(p drivers.Producer) drivers.Producer { return taciturn{p} }
	got := play(t, specOf(t, "monitoring", "answers=all,sends=sequential", meddler{Driver: franz.New(), producer: silent}))
	if got.Verdict != evidence.Holds {
		t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
	}
	for _, a := range got.Answers {
		if a.Answer != "not told" {
			t.Errorf("%s: %s, and nothing was told", a.Question, a.Answer)
		}
	}
}

// TestNothingUnanswered: where no answer is late, nothing was seen in flight.
func TestNothingUnanswered(t *testing.T) {
	s, _ := scenario.ByName("monitoring")
	for _, v := range s.Variants {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			spec := specOf(t, "monitoring", v.Name, franz.New())
			spec.Sabotage.FaultsOff = true
			if got := play(t, spec); got.Verdict == evidence.Holds {
				t.Error("it holds without its faults")
			}
		})
	}
}
