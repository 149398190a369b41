// Package scenario tells the stories: one file a scenario, each with its claims,
// variants, faults and what the program in it does. A scenario knows drivers and
// nothing of brokers, proxies or libraries; package trial puts it on stage.
package scenario

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// Scenario is a short story about a delivery guarantee, with claims that can
// fail.
type Scenario struct {
	Name     string
	Core     bool   // told by `kcompare run` without arguments
	Summary  string // one line
	Story    string // what happens, what to look at, which KIP or source says so
	Topics   []Topic
	Variants []Variant
}

// Topic is a topic that a scenario needs. Role is its name within the story; the
// trial chooses the real one.
type Topic struct {
	Role       string
	Partitions int32
}

// Variant is one setting of a scenario.
type Variant struct {
	Name    string // "key=value,key=value", keys sorted
	Kind    evidence.Kind
	Claim   string
	Checks  []evidence.Check
	Allowed []evidence.AnomalyKind

	// Requires is what must be true for the checks to mean anything; where it is
	// not, the trial is inconclusive and not violated.
	Requires []evidence.Check

	// Needs is what a client must be able to do; one that is not is not-supported.
	Needs drivers.Abilities

	// Settings are canonical settings that make this variant what it is.
	Settings map[string]string

	// OneRecordPerBatch asks for it, and makes two records in one batch
	// inconclusive.
	OneRecordPerBatch bool

	About func(Parameters) string     // the story in one sentence, with figures
	Plan  func(Parameters) fault.Plan // which requests are to be hit
	Run   func(context.Context, *Stage) error

	// Records lists what will be sent, and to which partitions the declared
	// partitioner puts it.
	Records func(Parameters, partition.Func) []fault.Record
}

// Parameters are what a user may turn.
type Parameters struct {
	Messages        int
	DropRate        float64       // chance of a fault at one attempt
	DeliveryTimeout time.Duration // delivery.timeout.ms
	Retries         int
}

// DefaultParameters are those of the lesson that users start from.
func DefaultParameters() Parameters {
	return Parameters{Messages: 200, DropRate: 0.35, DeliveryTimeout: time.Minute, Retries: 30}
}

// All lists every scenario, core ones first.
func All() []Scenario { return []Scenario{idempotent()} }

// ByName finds a scenario; ok is false for an unknown name.
func ByName(name string) (s Scenario, ok bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

// Names lists the names of All.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// Matches says whether the variant contains all the key=value pairs.
func (v Variant) Matches(pairs []string) bool {
	own := "," + v.Name + ","
	for _, pair := range pairs {
		if !strings.Contains(own, ","+pair+",") {
			return false
		}
	}
	return true
}

// check is a claim as data.
func check(left evidence.Metric, op string, right any) evidence.Check {
	return evidence.Check{Left: left, Op: op, Right: fmt.Sprint(right)}
}
