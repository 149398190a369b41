package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/proxy"
	"kcompare/internal/scenario"
)

func TestFaultOf(t *testing.T) {
	first := fault.Point{Rule: "lose", API: "AddPartitionsToTxn", Ordinal: 1}
	second := fault.Point{Rule: "lose", API: "AddPartitionsToTxn", Ordinal: 2}
	rule := fault.Rule{Name: "lose", Action: fault.DropResponse, Select: fault.Selector{API: "AddPartitionsToTxn", First: 2, Probability: 1}}
	skipped := rule
	skipped.NotSent = "KIP-890"
	want := evidence.Fault{Rule: "lose", Kind: "drop-response", API: "AddPartitionsToTxn"}
	with := func(change func(*evidence.Fault)) evidence.Fault {
		f := want
		change(&f)
		return f
	}
	for name, tt := range map[string]struct {
		rule     fault.Rule
		fired    []fault.Point
		requests int64
		want     evidence.Fault
	}{
		"all fired": {rule, []fault.Point{first, second}, 2, with(func(f *evidence.Fault) { f.Planned, f.Fired = 2, 2 })},
		"one missed": {rule, []fault.Point{first}, 2, with(func(f *evidence.Fault) {
			f.Planned, f.Fired, f.Missed = 2, 1, []string{second.String()}
		})},
		"never sent, which nobody expected": {rule, nil, 0, with(func(f *evidence.Fault) {
			f.Planned, f.Missed = 2, []string{first.String(), second.String()}
		})},
		"never sent, for a reason": {skipped, nil, 0, with(func(f *evidence.Fault) { f.NotApplicable = "KIP-890" })},
		"sent although it need not be": {skipped, nil, 1, with(func(f *evidence.Fault) {
			f.Planned, f.Missed = 2, []string{first.String(), second.String()}
		})},
	} {
		r := &run{planned: map[string][]fault.Point{"lose": {first, second}}}
		got := r.faultOf(tt.rule, proxy.Observed{
			Fired:    map[string][]fault.Point{"lose": tt.fired},
			Requests: map[string]int64{"AddPartitionsToTxn": tt.requests},
		})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestBrokerRows: what the embedded broker may have made is said of it alone.
func TestBrokerRows(t *testing.T) {
	embedded := &broker.Embedded{}
	rows := []string{"zombie-write-old"}
	spec := Spec{Variant: scenario.Variant{BrokerRows: rows}}
	for _, c := range []struct {
		name string
		site *Site
		want []string
	}{
		{"its own embedded broker", nil, rows},
		{"a cluster of the user's", &Site{Cluster: embedded}, nil},
	} {
		spec.Site = c.site
		if diff := cmp.Diff(c.want, brokerRows(spec)); diff != "" {
			t.Errorf("on %s: -want +got:\n%s", c.name, diff)
		}
	}
}
