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
	Fixed      bool              // the story is about this number of partitions: the user's own does not apply
	Config     map[string]string // topic settings beside the broker's defaults
}

// PartitionsWith is how many it gets.
func (t Topic) PartitionsWith(p Parameters) int32 {
	if t.Fixed {
		return t.Partitions
	}
	return p.PartitionsOf(t.Partitions)
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

	// Nodes is the least number of nodes that it needs; 0 for any number.
	Nodes int

	// Settings are canonical settings that make this variant what it is: those of
	// its producers, of the consumers in the story (nil: there are none), and of
	// the client's own reading after it. Wants are settings of its producers without
	// which it has no point: with a user's own values it is not-supported.
	Settings  map[string]string
	Wants     map[string]string
	Consuming map[string]string
	Reading   map[string]string

	// Bare gives the clients of the story nothing but the address and what Settings and
	// Consuming say: for all else the library's own default holds. Unset are keys of what
	// every trial sets that its producers do not get. Where the user sets such a key the
	// variant is not-supported. No fault of a plan may depend on where a key goes then.
	Bare  bool
	Unset []string

	// Fields keeps the settings in requests (evidence.Exchange.Fields).
	Fields bool

	// Missing is the role of a topic that is not there when the story begins. The broker
	// makes it when a client asks for it and allows that, which takes the embedded one:
	// the others are not started so.
	Missing string

	// LeavesOpen says that its log may end with an open transaction: nobody waits for
	// that one when the log is read back.
	LeavesOpen bool

	// RecordContexts and GiveUpInFlight are those of drivers.Settings, for its
	// producers.
	RecordContexts, GiveUpInFlight bool

	// BothViews lets the client read the topics under both isolation levels.
	BothViews bool

	// NeedsKafka is why the embedded broker cannot play it: what it is about
	// Apache Kafka does otherwise. "" where it can.
	NeedsKafka string

	// BrokerSettings are lines of server.properties that it is about. No other trial could
	// live with them, so on Apache Kafka it gets one of a single node to itself; where
	// nobody can start one it is not-supported.
	BrokerSettings map[string]string

	// Repeats says that the same seed gives the same counts, because it sends one
	// record at a time. Repeats of a trial are held to that.
	Repeats bool

	// BrokerRows names rows of docs/brokers.md (package brokerdiff) in which the
	// embedded broker answers otherwise than Apache Kafka, and on which what this
	// variant shows depends. Its report then says so instead of a conclusion. No
	// claim may depend on one.
	BrokerRows []string

	// Processes says that its clients run as processes of their own (Stage.Spawn), and
	// Terminates that one of them gets a SIGTERM.
	Processes  bool
	Terminates bool

	// OneRecordPerBatch asks for it, and makes two records in one batch
	// inconclusive.
	OneRecordPerBatch bool

	// Staged are faults that the story brings about itself (Stage.Wire), each once: no
	// plan could know when. They count like planned ones.
	Staged []Staged

	// FewRetries makes it what it is where a user's --retries are fewer than the story
	// counts on, so that records are given up; nil where its claim is about that or does
	// not depend on it. See With.
	FewRetries func(v Variant, retries int) Variant

	About func(Parameters) string     // the story in one sentence, with figures
	Plan  func(Parameters) fault.Plan // which requests are to be hit; empty for a story without faults
	Run   func(context.Context, *Stage) error

	// Conclude finds answers in what was seen, after those that the story gave
	// (Stage.Answer); nil: there are none. It is pure: the log is read back, the trace
	// is complete, nobody has judged anything yet.
	Conclude func(*evidence.Observed) []evidence.Answer

	// Records lists what will be sent, and to which partitions the declared
	// partitioner puts it.
	Records func(Parameters, partition.Func) []fault.Record

	// Inputs stand in their topic before the story begins; nil: there are none.
	// Orders are inputs that the story itself writes, with the same identities. Outputs
	// are the roles of the topics in which each valid one has to stand
	// once, committed.
	Inputs  func(Parameters) []Input
	Outputs []string
	Orders  func(Parameters) []Input
}

// Staged is a fault of a story's own.
type Staged struct {
	Rule string
	Kind string // CutClient or HoldClient
}

// What a story does to a client: see Wire.
const (
	CutClient  = "cut-client"
	HoldClient = "hold-client"
)

// Input is a message that somebody else wrote.
type Input struct {
	Message
	Valid bool // by the rules of the program that reads it
}

// Parameters are what a user may turn.
type Parameters struct {
	Messages        int
	DropRate        float64       // chance of a fault at one attempt
	DeliveryTimeout time.Duration // delivery.timeout.ms
	Retries         int
	Warmup          int   // answers that each connection lets pass, where a story asks for it
	Partitions      int32 // of every topic; 0: as each story has them
}

// PartitionsOf is how many partitions a topic has that a story gives so many.
func (p Parameters) PartitionsOf(story int32) int32 {
	if p.Partitions > 0 {
		return p.Partitions
	}
	return story
}

// DefaultParameters are those of the lesson that users start from.
func DefaultParameters() Parameters {
	return Parameters{Messages: 200, DropRate: 0.35, DeliveryTimeout: time.Minute, Retries: 30, Warmup: 4}
}

// All lists every scenario, core ones first.
func All() []Scenario {
	return []Scenario{
		idempotent(), atMostOnce(), atLeastOnce(), transactional(), readProcessWrite(), zombie(),
		producerRestart(), sequence(), reorder(), deliveryTimeout(),
		transactionTimeout(), concurrentTransactions(), errorClasses(), hangingTransaction(),
		lateRequests(), gracefulShutdown(),
		autoCommit(), rebalance(),
		partitioner(), defaults(), monitoring(),
	}
}

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

// With is the variant as it is played and judged with the parameters. Where a variant
// sets retries itself, those of the user do not apply.
func (v Variant) With(p Parameters) Variant {
	if _, own := v.Settings["retries"]; own || v.FewRetries == nil || p.Retries >= DefaultParameters().Retries {
		return v
	}
	return v.FewRetries(v, p.Retries)
}

// share is one of so many messages, rounded up: stories that do more for each
// message tell fewer.
func (p Parameters) share(of int) int { return (p.Messages + of - 1) / of }

// plural is "1 order", "40 orders".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// check is a claim as data.
func check(left evidence.Metric, op string, right any) evidence.Check {
	return evidence.Check{Left: left, Op: op, Right: fmt.Sprint(right)}
}
