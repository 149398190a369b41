package fault_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/fault"
)

// ptr is the address of a selector's value.
func ptr[T any](v T) *T { return &v }

func TestValidate(t *testing.T) {
	produce := func(change func(*fault.Rule)) fault.Plan {
		r := fault.Rule{Name: "r", Action: fault.DropResponse, Select: fault.Selector{API: "Produce", Probability: 0.5}}
		change(&r)
		return fault.Plan{r}
	}
	for _, tt := range []struct {
		name string
		plan fault.Plan
		want string // part of the error; empty: valid
	}{
		{"empty plan", nil, ""},
		{"a chance a record", produce(func(*fault.Rule) {}), ""},
		{"never", produce(func(r *fault.Rule) { r.Select.Probability = 0 }), ""},
		{"a chance among the first", produce(func(r *fault.Rule) { r.Select.First = 5 }), ""},
		{"producer id with nth", produce(func(r *fault.Rule) { r.Select.Nth, r.Select.ProducerID = 1, ptr[int64](7) }), ""},
		{"refuse", fault.Plan{{Name: "r", Action: fault.RefuseConnection, Select: fault.Selector{Nth: 1, Probability: 1}}}, ""},
		{"every commit", fault.Plan{{Name: "r", Action: fault.AnswerInstead, Code: 51, Select: fault.Selector{API: "EndTxn", End: "commit", Probability: 1}}}, ""},

		{"no name", produce(func(r *fault.Rule) { r.Name = "" }), "name of its own"},
		{"same name", append(produce(func(*fault.Rule) {}), produce(func(*fault.Rule) {})...), "name of its own"},
		{"action", produce(func(r *fault.Rule) { r.Action = "drop" }), `action "drop": expected one of drop-response`},
		{"probability above 1", produce(func(r *fault.Rule) { r.Select.Probability = 1.1 }), "expected 0 to 1"},
		{"probability below 0", produce(func(r *fault.Rule) { r.Select.Probability = -0.1 }), "expected 0 to 1"},
		{"probability NaN", produce(func(r *fault.Rule) { r.Select.Probability = math.NaN() }), "expected 0 to 1"},
		{"no api", produce(func(r *fault.Rule) { r.Select.API = "" }), "names one"},
		{"refuse with api", produce(func(r *fault.Rule) { r.Action = fault.RefuseConnection }), "names one"},
		{"hold", produce(func(r *fault.Rule) { r.Action, r.Wait = fault.HoldRequest, time.Second }), ""},
		{"hold until", produce(func(r *fault.Rule) { r.Action, r.Wait, r.Until = fault.HoldRequest, time.Second, "EndTxn" }), ""},

		{"until without use", produce(func(r *fault.Rule) { r.Until = "EndTxn" }), "until EndTxn: only hold-request has one, not drop-response"},
		{"hold without wait", produce(func(r *fault.Rule) { r.Action, r.Until = fault.HoldRequest, "EndTxn" }), "wait 0s: hold-request needs one"},
		{"negative bytes", produce(func(r *fault.Rule) { r.Action, r.Bytes = fault.Truncate, -1 }), "bytes -1: expected a positive one"},
		{"negative rate", produce(func(r *fault.Rule) { r.Rate = -1 }), "rate -1: expected a positive one"},
		{"wait without use", produce(func(r *fault.Rule) { r.Wait = time.Second }), "wait 1s: only delay or pause-node or hold-request has one, not drop-response"},
		{"code without use", produce(func(r *fault.Rule) { r.Code = 7 }), "code 7"},
		{"no code", produce(func(r *fault.Rule) { r.Action = fault.ReplaceResponse }), "code 0"},
		{"no wait", produce(func(r *fault.Rule) { r.Action = fault.Delay }), "wait 0s"},
		{"negative wait", produce(func(r *fault.Rule) { r.Action, r.Wait = fault.Delay, -time.Second }), "wait -1s"},
		{"unbounded chance", produce(func(r *fault.Rule) { r.Select.API = "Fetch" }), "needs a bound"},
		{"negative nth", produce(func(r *fault.Rule) { r.Select.Nth = -1 }), "expected 0 or more"},
		{"negative attempts", produce(func(r *fault.Rule) { r.Select.Attempts = -1 }), "expected 0 or more"},
		{"nth and first", produce(func(r *fault.Rule) { r.Select.Nth, r.Select.First = 5, 3 }), "set one of them"},
		{"attempts of requests", produce(func(r *fault.Rule) { r.Select.Attempts, r.Select.Nth = 1, 1 }), "attempts 1"},
		{"node of a record", produce(func(r *fault.Rule) { r.Select.Node = ptr[int32](1) }), "not known before the run"},
		{"sequence of a record", produce(func(r *fault.Rule) { r.Select.Sequence = ptr[int32](1) }), "not known before the run"},
		{"transactional id with nth", produce(func(r *fault.Rule) { r.Select.Nth, r.Select.TransactionalID = 1, "shop-1" }), ""},
		{"transactional id of a record", produce(func(r *fault.Rule) { r.Select.TransactionalID = "shop-1" }), "not known before the run"},
		{"refuse a transactional id", fault.Plan{{Name: "r", Action: fault.RefuseConnection, Select: fault.Selector{TransactionalID: "shop-1", Nth: 1, Probability: 1}}}, "by node alone"},
		{"end", fault.Plan{{Name: "r", Action: fault.DropRequest, Select: fault.Selector{API: "EndTxn", End: "committed", Probability: 1}}}, "expected commit or abort"},
		{"end of another api", produce(func(r *fault.Rule) { r.Select.End = "commit" }), "only EndTxn"},
		{"record of another api", produce(func(r *fault.Rule) { r.Select.API, r.Select.First, r.Select.Record = "Fetch", 1, "a/1" }), "only Produce"},
		{"refuse a client", fault.Plan{{Name: "r", Action: fault.RefuseConnection, Select: fault.Selector{Client: "c", Nth: 1, Probability: 1}}}, "by node alone"},
	} {
		err := tt.plan.Validate()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v, want a valid plan", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// rule is one of the action with what it needs.
func rule(action fault.Action) fault.Rule {
	r := fault.Rule{Name: "r", Action: action, Select: fault.Selector{API: "Produce", Nth: 1, Probability: 1}}
	switch action {
	case fault.RefuseConnection:
		r.Select.API = ""
	case fault.ReplaceResponse, fault.AnswerInstead:
		r.Code = 7
	case fault.Delay, fault.PauseNode, fault.HoldRequest:
		r.Wait = time.Second
	case fault.Truncate:
		r.Bytes = 10
	case fault.Throttle:
		r.Rate = 1000
	}
	return r
}

func everyAction() []fault.Action {
	return []fault.Action{
		fault.DropResponse, fault.DropRequest, fault.ReplaceResponse, fault.AnswerInstead, fault.Delay,
		fault.ResetConnection, fault.RefuseConnection, fault.Stall, fault.HalfOpen, fault.Throttle, fault.Truncate,
		fault.DuplicateRequest, fault.HoldRequest, fault.MoveLeader, fault.MoveCoordinator, fault.KillNode,
		fault.PauseNode, fault.RestartNode,
	}
}

// Every action takes the fields that it needs, needs each of them, and takes no
// other; the error names the field.
func TestFieldsOfEveryAction(t *testing.T) {
	for _, action := range everyAction() {
		for _, field := range []struct {
			name string
			flip func(*fault.Rule) // sets it where it is empty, empties it where it is set
			may  bool              // be there or not
		}{
			{"nothing", func(*fault.Rule) {}, true},
			{"code", func(r *fault.Rule) { r.Code = 7 - r.Code }, false},
			{"wait", func(r *fault.Rule) { r.Wait = time.Second - r.Wait }, false},
			{"bytes", func(r *fault.Rule) { r.Bytes = 10 - r.Bytes }, false},
			{"rate", func(r *fault.Rule) { r.Rate = 1000 - r.Rate }, false},
			{"until", func(r *fault.Rule) { r.Until = "EndTxn" }, action == fault.HoldRequest},
		} {
			r := rule(action)
			field.flip(&r)
			err := fault.Plan{r}.Validate()
			switch {
			case field.may && err != nil:
				t.Errorf("%s: %v, want a valid plan", action, err)
			case !field.may && (err == nil || !strings.HasPrefix(err.Error(), `fault rule "r": `+field.name+" ")):
				t.Errorf("%s: error %v, want one that names %s", action, err, field.name)
			}
		}
	}
}

func TestChangesCluster(t *testing.T) {
	var changing []fault.Action
	for _, action := range everyAction() {
		if action.ChangesCluster() {
			changing = append(changing, action)
		}
	}
	want := []fault.Action{fault.MoveLeader, fault.MoveCoordinator, fault.KillNode, fault.PauseNode, fault.RestartNode}
	if diff := cmp.Diff(want, changing); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPointString(t *testing.T) {
	for _, tt := range []struct {
		point fault.Point
		want  string
	}{
		{fault.Point{Record: "payments/42", Role: "payments", Attempt: 1}, "payments/42 attempt 1"},
		{fault.Point{API: "EndTxn", Ordinal: 3}, "EndTxn 3"},
		{fault.Point{API: "Fetch", Role: "payments", Ordinal: 2}, "Fetch payments 2"},
		{fault.Point{Ordinal: 1}, "connection 1"},
	} {
		if got := tt.point.String(); got != tt.want {
			t.Errorf("%+v prints %q, want %q", tt.point, got, tt.want)
		}
	}
}
