package fault_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/fault"
)

func TestSelectors(t *testing.T) {
	request := fault.Request{
		Client: "app", API: "Produce", Node: 2,
		Parts: []fault.Part{
			{Role: "payments", Partition: 1, ProducerID: 7, ProducerEpoch: 3, BaseSequence: 5, Records: []string{"payments/1", "payments/2"}},
			{Role: "audit", Partition: 0, ProducerID: 7, ProducerEpoch: 3, BaseSequence: 9, Records: []string{"audit/1"}},
		},
	}
	commit := fault.Request{Client: "app", API: "EndTxn", Node: 2, End: "commit"}
	two := fault.Request{API: "AddPartitionsToTxn", TransactionalIDs: []string{"shop-1", "shop-2"}}
	fetch := fault.Request{API: "Fetch", Parts: []fault.Part{{Role: "payments", Partition: 1}}}
	for _, tt := range []struct {
		name    string
		request fault.Request
		sel     fault.Selector // Nth 1 and Probability 1 are added
		want    bool
	}{
		{"api", request, fault.Selector{API: "Produce"}, true},
		{"other api", request, fault.Selector{API: "Fetch"}, false},
		{"client", request, fault.Selector{API: "Produce", Client: "app"}, true},
		{"other client", request, fault.Selector{API: "Produce", Client: "ap"}, false},
		{"node", request, fault.Selector{API: "Produce", Node: ptr[int32](2)}, true},
		{"other node", request, fault.Selector{API: "Produce", Node: ptr[int32](0)}, false},
		{"role", request, fault.Selector{API: "Produce", Role: "audit"}, true},
		{"other role", request, fault.Selector{API: "Produce", Role: "orders"}, false},
		{"role of a fetch", fetch, fault.Selector{API: "Fetch", Role: "payments", Partition: ptr[int32](1)}, true},
		{"partition", request, fault.Selector{API: "Produce", Partition: ptr[int32](0)}, true},
		{"other partition", request, fault.Selector{API: "Produce", Partition: ptr[int32](2)}, false},
		{"role and partition of different parts", request, fault.Selector{API: "Produce", Role: "audit", Partition: ptr[int32](1)}, false},
		{"record", request, fault.Selector{API: "Produce", Record: "payments/2"}, true},
		{"other record", request, fault.Selector{API: "Produce", Record: "payments/3"}, false},
		{"producer id", request, fault.Selector{API: "Produce", ProducerID: ptr[int64](7)}, true},
		{"other producer id", request, fault.Selector{API: "Produce", ProducerID: ptr[int64](-1)}, false},
		{"epoch", request, fault.Selector{API: "Produce", Epoch: ptr[int16](3)}, true},
		{"other epoch", request, fault.Selector{API: "Produce", Epoch: ptr[int16](0)}, false},
		{"sequence", request, fault.Selector{API: "Produce", Sequence: ptr[int32](9)}, true},
		{"other sequence", request, fault.Selector{API: "Produce", Sequence: ptr[int32](0)}, false},
		{"commit", commit, fault.Selector{API: "EndTxn", End: "commit"}, true},
		{"abort", commit, fault.Selector{API: "EndTxn", End: "abort"}, false},
		{"either end", commit, fault.Selector{API: "EndTxn"}, true},
		{"transactional id", two, fault.Selector{API: "AddPartitionsToTxn", TransactionalID: "shop-2"}, true},
		{"other transactional id", two, fault.Selector{API: "AddPartitionsToTxn", TransactionalID: "shop"}, false},
		{"transactional id of a request without", commit, fault.Selector{API: "EndTxn", TransactionalID: "shop-1"}, false},
		{"role of a request without parts", commit, fault.Selector{API: "EndTxn", Role: "payments"}, false},
	} {
		tt.sel.Nth, tt.sel.Probability = 1, 1
		plan := fault.Plan{{Name: "r", Action: fault.DropRequest, Select: tt.sel}}
		if err := plan.Validate(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, got, _ := fault.NewEngine(plan, 1).Request(tt.request); got != tt.want {
			t.Errorf("%s: hit %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A rule decided by record takes only the records that it selects as points.
func TestRecordPointsAreSelected(t *testing.T) {
	plan := fault.Plan{{Name: "r", Action: fault.DropResponse, Select: fault.Selector{API: "Produce", Record: "a/2", Probability: 1}}}
	request := fault.Request{API: "Produce", Parts: []fault.Part{{Role: "a", Records: []string{"a/1", "a/2"}}}}
	hit, _, _ := fault.NewEngine(plan, 1).Request(request)
	want := []fault.Point{{Rule: "r", Role: "a", Record: "a/2", Attempt: 1}}
	if diff := cmp.Diff(want, hit.Points); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A hit says where it is: for a rule that counts the first partition that it
// selects, for one that decides by record that of the first record that is hit.
func TestHitPart(t *testing.T) {
	request := fault.Request{API: "Produce", Parts: []fault.Part{
		{Topic: "t-a", Role: "a", Records: []string{"a/1"}},
		{Topic: "t-b", Role: "b", Partition: 2, Records: []string{"b/1"}},
		{Topic: "t-b", Role: "b", Partition: 1, Records: []string{"b/2"}},
	}}
	for _, tt := range []struct {
		name    string
		request fault.Request
		sel     fault.Selector // Probability 1 is added
		want    fault.Part
	}{
		{"any", request, fault.Selector{API: "Produce", Nth: 1}, request.Parts[0]},
		{"role", request, fault.Selector{API: "Produce", Nth: 1, Role: "b"}, request.Parts[1]},
		{"record", request, fault.Selector{API: "Produce", Record: "b/2"}, request.Parts[2]},
		{"no partition", fault.Request{API: "EndTxn"}, fault.Selector{API: "EndTxn", Nth: 1}, fault.Part{}},
	} {
		tt.sel.Probability = 1
		plan := fault.Plan{{Name: "r", Action: fault.MoveLeader, Select: tt.sel}}
		hit, isHit, _ := fault.NewEngine(plan, 1).Request(tt.request)
		if diff := cmp.Diff(tt.want, hit.Part); diff != "" || !isHit {
			t.Errorf("%s: hit %v, part (-want +got):\n%s", tt.name, isHit, diff)
		}
	}
	for seed := range int64(20) { // another record is hit each time
		plan := fault.Plan{{Name: "r", Action: fault.MoveLeader, Select: fault.Selector{API: "Produce", Probability: 0.5}}}
		hit, isHit, _ := fault.NewEngine(plan, seed).Request(request)
		if isHit && (hit.Part.Role != hit.Points[0].Role || hit.Part.Partition != hit.Points[0].Partition) {
			t.Errorf("seed %d: part %+v, first point %s", seed, hit.Part, hit.Points[0])
		}
	}
}

// Requests are counted for each id on its own, and the points say for which.
func TestTransactionalIDs(t *testing.T) {
	rule := func(id string) fault.Rule {
		return fault.Rule{Name: id, Action: fault.DropRequest, Select: fault.Selector{API: "EndTxn", TransactionalID: id, First: 1, Probability: 1}}
	}
	p := fault.Plan{rule("shop-1"), rule("shop-2")}
	engine := fault.NewEngine(p, 1)
	var fired []fault.Point
	for _, id := range []string{"shop-2", "shop-2", "shop-1", "shop-3", "shop-1"} {
		hit, _, _ := engine.Request(fault.Request{API: "EndTxn", TransactionalIDs: []string{id}})
		fired = append(fired, hit.Points...)
	}
	two := fault.Point{Rule: "shop-2", API: "EndTxn", ID: "shop-2", Ordinal: 1}
	one := fault.Point{Rule: "shop-1", API: "EndTxn", ID: "shop-1", Ordinal: 1}
	if diff := cmp.Diff([]fault.Point{two, one}, fired); diff != "" {
		t.Errorf("fired (-want +got):\n%s", diff)
	}
	planned := p.Planned(1, nil, 1)
	if diff := cmp.Diff(map[string][]fault.Point{"shop-1": {one}, "shop-2": {two}}, planned); diff != "" {
		t.Errorf("planned (-want +got):\n%s", diff)
	}
	if got, want := two.String(), "EndTxn shop-2 1"; got != want {
		t.Errorf("a point is printed as %q, want %q", got, want)
	}
}

func TestNthAndFirst(t *testing.T) {
	for _, tt := range []struct {
		name string
		sel  fault.Selector
		want []int // which of six requests are hit, from 1
	}{
		{"nth", fault.Selector{API: "EndTxn", Nth: 3, Probability: 1}, []int{3}},
		{"first", fault.Selector{API: "EndTxn", First: 2, Probability: 1}, []int{1, 2}},
		{"every", fault.Selector{API: "EndTxn", Probability: 1}, []int{1, 2, 3, 4, 5, 6}},
		{"nth, but chance says no", fault.Selector{API: "EndTxn", Nth: 3}, nil},
		{"nth abort", fault.Selector{API: "EndTxn", End: "abort", Nth: 1, Probability: 1}, []int{2}},
	} {
		engine := fault.NewEngine(fault.Plan{{Name: "r", Action: fault.DropRequest, Select: tt.sel}}, 1)
		var got []int
		for i := 1; i <= 6; i++ {
			end := "commit"
			if i%2 == 0 {
				end = "abort"
			}
			if _, isHit, _ := engine.Request(fault.Request{API: "EndTxn", End: end}); isHit {
				got = append(got, i)
			}
			engine.Request(fault.Request{API: "Heartbeat"}) // counts for no rule here
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestFirstRuleWinsAndTheOthersStillCount(t *testing.T) {
	plan := fault.Plan{
		{Name: "one", Action: fault.DropRequest, Select: fault.Selector{API: "EndTxn", Nth: 1, Probability: 1}},
		{Name: "two", Action: fault.Delay, Wait: 1, Select: fault.Selector{API: "EndTxn", First: 2, Probability: 1}},
	}
	engine := fault.NewEngine(plan, 1)
	var got []string
	for range 3 {
		hit, isHit, _ := engine.Request(fault.Request{API: "EndTxn"})
		got = append(got, hit.Rule.Name)
		if isHit != (hit.Rule.Name != "") {
			t.Errorf("hit %v by rule %q", isHit, hit.Rule.Name)
		}
	}
	if diff := cmp.Diff([]string{"one", "two", ""}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A program that sends one record twice (case D02) may get both copies into one
// request: that is one attempt, and one point.
func TestSameRecordTwiceInARequest(t *testing.T) {
	engine := fault.NewEngine(dropping(1), 1)
	request := fault.Request{API: "Produce", Parts: []fault.Part{
		{Role: "payments", Records: []string{"payments/1", "payments/1"}},
		{Role: "payments", Partition: 1, Records: []string{"payments/1"}},
	}}
	engine.Request(request)
	hit, _, attempts := engine.Request(request)
	if diff := cmp.Diff([]int{2, 2}, attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	want := []fault.Point{
		{Rule: "lost-answer", Role: "payments", Partition: 0, Record: "payments/1", Attempt: 2},
		{Rule: "lost-answer", Role: "payments", Partition: 1, Record: "payments/1", Attempt: 2},
	}
	if diff := cmp.Diff(want, hit.Points); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
}

func TestConnection(t *testing.T) {
	plan := fault.Plan{{
		Name: "r", Action: fault.RefuseConnection,
		Select: fault.Selector{Node: ptr[int32](1), First: 1, Probability: 1},
	}}
	engine := fault.NewEngine(plan, 1)
	var got []bool
	for _, node := range []int32{0, 1, 1} {
		_, isHit := engine.Connection(node)
		got = append(got, isHit)
	}
	if diff := cmp.Diff([]bool{false, true, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, isHit, _ := engine.Request(fault.Request{}); isHit {
		t.Error("a rule for connections hit a request")
	}
}

// An engine with a bound remembers a record as long as fewer others came since,
// and forgets it at last.
func TestBound(t *testing.T) {
	engine := fault.NewEngine(dropping(0), 1)
	engine.Bound(100)
	recs := records(1000)
	attempt := func(rec fault.Record) int {
		_, _, attempts := engine.Request(produceOf(rec))
		return attempts[0]
	}
	for want := 1; want <= 3; want++ {
		for _, rec := range recs[:100] {
			if got := attempt(rec); got != want {
				t.Fatalf("%s: attempt %d, want %d", rec.Record, got, want)
			}
		}
	}
	for _, rec := range recs[100:] {
		attempt(rec)
	}
	if got := attempt(recs[0]); got != 1 {
		t.Errorf("attempt %d of a record that 900 others came after, want 1 again", got)
	}
	for _, rec := range recs[950:] {
		if got := attempt(rec); got != 2 {
			t.Errorf("%s: attempt %d, want 2", rec.Record, got)
		}
	}
}

// TestWarmup: what a connection answers first is neither hit nor counted, and what
// comes later is hit as if nothing had come before.
func TestWarmup(t *testing.T) {
	plan := fault.Plan{{Name: "r", Action: fault.DropResponse, Select: fault.Selector{API: "EndTxn", Warmup: 3, First: 2, Probability: 1}}}
	if err := plan.Validate(); err != nil {
		t.Fatal(err)
	}
	engine := fault.NewEngine(plan, 1)
	var got []string
	for _, number := range []int{1, 3, 4, 1, 3, 4, 5} { // of two connections
		if hit, isHit, _ := engine.Request(fault.Request{API: "EndTxn", Number: number}); isHit {
			got = append(got, fmt.Sprintf("number %d is %v", number, hit.Points[0]))
		}
	}
	want := []string{"number 4 is EndTxn 1", "number 4 is EndTxn 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}
