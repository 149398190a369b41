package workbook

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// TestVerify plays a trial again with one thing changed each.
func TestVerify(t *testing.T) {
	scene := func(answer string) func(*evidence.Trial) {
		return func(t *evidence.Trial) {
			t.Scenes = []evidence.Scene{{Of: "fault", Steps: []evidence.SceneStep{{Node: "leader", API: "Produce", Request: "order-0003", Answer: answer}}}}
		}
	}
	files := course(t, made(), map[Need]evidence.Trial{need(): played(need(), scene("ok"))})
	for _, tt := range []struct {
		name   string
		need   Need
		change func(*evidence.Trial)
		want   []Drift
	}{
		{"measures", need(), func(t *evidence.Trial) { t.ElapsedMS, t.Requests["Metadata"], t.Answers[0].Answer = 9, 90, "9 s" }, nil},
		{"count", need(), func(t *evidence.Trial) { t.Counts[evidence.ProduceRequests] = 7 },
			[]Drift{{Library: "franz-go v1.22.3", Changes: []string{"produce_requests nothing -> 7"}}}},
		{"library and verdict", need(), func(t *evidence.Trial) { t.Library, t.Verdict = "franz-go v1.23.0", evidence.Violated },
			[]Drift{{Library: "franz-go v1.22.3 -> v1.23.0", Changes: []string{"verdict holds -> violated"}}}},
		{"scene", need(), scene("NOT_LEADER_OR_FOLLOWER"),
			[]Drift{{Library: "franz-go v1.22.3", Changes: []string{"scene fault: step 1 Produce to leader (order-0003): ok -> Produce to leader (order-0003): NOT_LEADER_OR_FOLLOWER"}}}},
		{"without evidence", need(concurrently), func(t *evidence.Trial) { t.Scenes = nil },
			[]Drift{{Library: "franz-go v1.22.3", Unclear: []string{"there is no evidence to compare it with"}}}},
	} {
		for i := range tt.want {
			tt.want[i].Need, tt.want[i].File = tt.need, "evidence/idempotent-franz.json"
		}
		s := NewStore(files, DefaultManifest(), made())
		got, err := s.Verify([]Replayed{{Need: tt.need, Trial: played(tt.need, scene("ok"), tt.change)}})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

// TestUnsteady compares two plays of a trial that the seed repeats, and of one that it does not.
func TestUnsteady(t *testing.T) {
	change := func(t *evidence.Trial) {
		t.ElapsedMS, t.Errors[0].Text, t.Faults[0].Collateral, t.Requests["Metadata"] = 9, "other", 7, 90
		t.Counts[evidence.Acked], t.Faults[0].Fired = 19, 2
	}
	chance := func(t *evidence.Trial) { t.Repeats = false }
	for name, tt := range map[string]struct {
		of   []func(*evidence.Trial)
		want []string
	}{
		"repeats": {nil, []string{"counts.acked is 20 and 19", "faults[0].fired is 3 and 2"}},
		"chance":  {[]func(*evidence.Trial){chance}, nil},
	} {
		got, err := Unsteady(need(), played(need(), tt.of...), played(need(), append(tt.of, change)...))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
