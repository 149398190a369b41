package bench

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/fault"
	"kcompare/internal/proxy"
)

// Every fault makes a plan that the proxy takes.
func TestParseFaults(t *testing.T) {
	for given, rules := range map[string]int{
		"rtt:5ms": len(spoken()), "drop-response:0.01": 2, "drop-request:1": 2, "reset-connection:0.5": 2, "duplicate-request:0.1": 2,
		"throttle:1000000": 2, "move-leader:100": 1, "restart-node:100": 2, "pause-node:2s": 2,
	} {
		f, err := ParseFaults([]string{given})
		if err == nil {
			err = proxy.CheckPlan(f.Plan)
		}
		if err != nil || len(f.Plan) != rules {
			t.Errorf("%s: %d rules, %v; want %d", given, len(f.Plan), err, rules)
		}
	}
	f, err := ParseFaults([]string{"drop-response:0.25"})
	if err != nil {
		t.Fatal(err)
	}
	want := Faults{Given: []string{"drop-response:0.25"}, Plan: fault.Plan{
		{Name: "drop-response Produce", Action: fault.DropResponse, Select: fault.Selector{API: "Produce", First: always, Probability: 0.25}},
		{Name: "drop-response Fetch", Action: fault.DropResponse, Select: fault.Selector{API: "Fetch", First: always, Probability: 0.25}},
	}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseFaultsMistakes(t *testing.T) {
	for given, want := range map[string]string{
		"rtt":                `"rtt": expected rtt:VALUE with a duration such as 5ms`,
		"rtt:5":              `"rtt:5": expected rtt:VALUE with a duration such as 5ms`,
		"rtt:-5ms":           `"rtt:-5ms": expected rtt:VALUE with a duration such as 5ms`,
		"rrt:5ms":            `"rrt:5ms": unknown fault "rrt": did you mean rtt?`,
		"drop-response:1%":   `"drop-response:1%": expected drop-response:VALUE with a probability above 0 and up to 1, such as 0.01`,
		"drop-response:0":    `"drop-response:0": expected drop-response:VALUE with a probability above 0 and up to 1, such as 0.01`,
		"drop-response:NaN":  `"drop-response:NaN": expected drop-response:VALUE with a probability above 0 and up to 1, such as 0.01`,
		"throttle:1MB":       `"throttle:1MB": expected throttle:VALUE with bytes a second for the answers of each connection, such as 1000000`,
		"restart-node:first": `"restart-node:first": expected restart-node:VALUE with the number of the Produce or Fetch before which its node restarts in each turn, those that make the client ready included, such as 100`,
		"kill:1":             `"kill:1": ` + killed,
		"earthquake:9":       `"earthquake:9": unknown fault "earthquake": expected one of rtt, drop-response, drop-request, reset-connection, duplicate-request, throttle, move-leader, restart-node, pause-node`,
	} {
		if _, err := ParseFaults([]string{given}); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", given, err, want)
		}
	}
	if _, err := ParseFaults([]string{"rtt:5ms", "rtt:7ms"}); err == nil {
		t.Error("two round trips: no error")
	}
}

// Without acks there is no answer that could come late or be lost.
func TestUnansweredHasNoFaultsOfAnswers(t *testing.T) {
	f, err := ParseFaults([]string{"drop-response:0.5", "drop-request:0.5", "rtt:" + time.Millisecond.String()})
	if err != nil {
		t.Fatal(err)
	}
	var produce []string
	for _, r := range unanswered(f.Plan) {
		if r.Select.API == "Produce" {
			produce = append(produce, r.Name)
		}
	}
	if diff := cmp.Diff([]string{"drop-request Produce"}, produce); diff != "" {
		t.Errorf("rules about Produce (-want +got):\n%s", diff)
	}
}
