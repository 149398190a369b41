package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/fault"
)

func TestDescribe(t *testing.T) {
	plan := fault.Plan{
		{Name: "a", Action: fault.AnswerInstead, Select: fault.Selector{API: "Produce"}},
		{Name: "b", Action: fault.RefuseConnection},
		{Name: "c", Action: fault.AnswerInstead, Select: fault.Selector{API: "Produce"}},
		{Name: "d", Action: fault.KillNode, Select: fault.Selector{API: "Fetch"}},
	}
	v := Variant{
		NeedsKafka: "markers come late", Nodes: 3, Needs: drivers.Abilities{Transactions: true},
		Plan:   func(Parameters) fault.Plan { return plan },
		Staged: []Staged{{"crash", CutClient}},
	}
	p := DefaultParameters()
	if diff := cmp.Diff([]string{"answer-instead Produce x 2", "refuse-connection", "kill-node Fetch", "cut-client"}, v.FaultNames(p)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	want := []string{
		"Apache Kafka: markers come late", "3 nodes",
		"a broker of kcompare's own: a fault changes the cluster", "a client with transactions",
	}
	if diff := cmp.Diff(want, v.Requirements(p)); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
	plan = nil
	v = Variant{Plan: v.Plan}
	if got := append(v.FaultNames(p), v.Requirements(p)...); len(got) > 0 || got == nil {
		t.Errorf("a variant without faults and needs has %q, want empty lists", got)
	}
}
