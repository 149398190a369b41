package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"kcompare/internal/config"
	"kcompare/internal/fault"
)

// What --fault takes: a fault and how much of it, "rtt:5ms".

// faultKind is one that may stand between clients and broker while the clock runs. Only
// those are here that a client recovers from, so that the next turn finds the same cluster.
type faultKind struct {
	name  string
	value string // what stands behind the colon, in words
	rules func(name, value string) ([]fault.Rule, error)
}

// faultKinds are all, in the order in which errors list them.
func faultKinds() []faultKind {
	const chance = "a probability above 0 and up to 1, such as 0.01"
	return []faultKind{
		{"rtt", "a duration such as 5ms", late},
		{"drop-response", chance, byChance(fault.DropResponse)},
		{"drop-request", chance, byChance(fault.DropRequest)},
		{"reset-connection", chance, byChance(fault.ResetConnection)},
		{"duplicate-request", chance, byChance(fault.DuplicateRequest)},
		{"throttle", "bytes a second for the answers of each connection, such as 1000000", throttled},
		{"move-leader", "the number of the Produce before which its leader moves in each turn, those that make the client ready included, such as 100", moved},
		{"restart-node", "the number of the Produce or Fetch before which its node restarts in each turn, those that make the client ready included, such as 100", restarted},
		{"pause-node", "a duration such as 2s", paused},
	}
}

// killed are faults of other commands that make no sense here.
const killed = "a node that was killed stays away, and later turns would have another cluster: use restart-node:100, which has it back"

// ParseFaults reads values of --fault: "rtt:5ms". What is planned holds for each turn
// anew. An error names the value, what was expected and the nearest fault.
func ParseFaults(given []string) (Faults, error) {
	f := Faults{Given: given}
	for _, one := range given {
		name, value, _ := strings.Cut(one, ":")
		kind, err := kindOf(name)
		if err != nil {
			return Faults{}, fmt.Errorf("%q: %w", one, err)
		}
		rules, err := kind.rules(name, value)
		if err != nil {
			return Faults{}, fmt.Errorf("%q: expected %s:VALUE with %s", one, name, kind.value)
		}
		f.Plan = append(f.Plan, rules...)
	}
	if err := f.Plan.Validate(); err != nil {
		return Faults{}, fmt.Errorf("each fault may be given once: %w", err)
	}
	return f, nil
}

func kindOf(name string) (faultKind, error) {
	if name == "kill" || name == string(fault.KillNode) {
		return faultKind{}, fmt.Errorf("%s", killed)
	}
	var names []string
	for _, k := range faultKinds() {
		if k.name == name {
			return k, nil
		}
		names = append(names, k.name)
	}
	if near := config.Nearest(name, names); near != "" {
		return faultKind{}, fmt.Errorf("unknown fault %q: did you mean %s?", name, near)
	}
	return faultKind{}, fmt.Errorf("unknown fault %q: expected one of %s", name, strings.Join(names, ", "))
}

// always is a bound that no run comes to: a chance needs one where requests are counted
// (fault.Plan.Validate), and records are not looked at here.
const always = math.MaxInt32

func every(api string) fault.Selector {
	return fault.Selector{API: api, First: always, Probability: 1}
}

// spoken are the APIs of a client that produces, consumes or both. What else it may
// send, such as metrics, no record waits for.
func spoken() []string {
	return []string{
		"Produce", "Fetch", "Metadata", "ApiVersions", "ListOffsets", "OffsetForLeaderEpoch",
		"FindCoordinator", "JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup", "ConsumerGroupHeartbeat", "OffsetCommit", "OffsetFetch",
		"InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "EndTxn",
		"SaslHandshake", "SaslAuthenticate",
	}
}

// late makes every answer come so much later, each by itself: answers of a pipeline do
// not wait for each other's delay. The connection itself is made without it.
func late(name, value string) ([]fault.Rule, error) {
	wait, err := positive(value)
	if err != nil {
		return nil, err
	}
	var rules []fault.Rule
	for _, api := range spoken() {
		rules = append(rules, fault.Rule{Name: name + " " + api, Action: fault.Delay, Wait: wait, Select: every(api)})
	}
	return rules, nil
}

func positive(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err == nil && d <= 0 {
		err = strconv.ErrRange
	}
	return d, err
}

// carriers are the APIs that move records. A turn has one of them, or both.
func carriers() []string { return []string{"Produce", "Fetch"} }

func onCarriers(name string, rule fault.Rule) []fault.Rule {
	var rules []fault.Rule
	for _, api := range carriers() {
		rule.Name, rule.Select.API = name+" "+api, api
		rules = append(rules, rule)
	}
	return rules
}

func byChance(action fault.Action) func(name, value string) ([]fault.Rule, error) {
	return func(name, value string) ([]fault.Rule, error) {
		chance, err := strconv.ParseFloat(value, 64)
		if err != nil || !(chance > 0 && chance <= 1) {
			return nil, strconv.ErrRange
		}
		return onCarriers(name, fault.Rule{Action: action, Select: fault.Selector{First: always, Probability: chance}}), nil
	}
}

func throttled(name, value string) ([]fault.Rule, error) {
	rate, err := strconv.Atoi(value)
	if err != nil || rate <= 0 {
		return nil, strconv.ErrRange
	}
	return onCarriers(name, fault.Rule{Action: fault.Throttle, Rate: rate, Select: fault.Selector{First: always, Probability: 1}}), nil
}

// moved is for Produce alone: a Fetch of a session names no partition that could move.
func moved(name, value string) ([]fault.Rule, error) {
	before, err := nth("Produce", value)
	return []fault.Rule{{Name: name, Action: fault.MoveLeader, Select: before}}, err
}

func restarted(name, value string) ([]fault.Rule, error) {
	before, err := nth("", value)
	return onCarriers(name, fault.Rule{Action: fault.RestartNode, Select: before}), err
}

func nth(api, value string) (fault.Selector, error) {
	n, err := strconv.Atoi(value)
	if err == nil && n <= 0 {
		err = strconv.ErrRange
	}
	return fault.Selector{API: api, Nth: n, Probability: 1}, err
}

// pausedAt is the request before which a node stands still: one in the middle of the work.
const pausedAt = 20

func paused(name, value string) ([]fault.Rule, error) {
	wait, err := positive(value)
	if err != nil {
		return nil, err
	}
	return onCarriers(name, fault.Rule{Action: fault.PauseNode, Wait: wait, Select: fault.Selector{Nth: pausedAt, Probability: 1}}), nil
}
