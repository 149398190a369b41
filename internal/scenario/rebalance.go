package scenario

import (
	"context"
	"fmt"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// rebalance is the story of two members of a group between whom partitions change
// hands: in good order, in the middle of the work, and behind the back of one of them.
func rebalance() Scenario {
	return Scenario{
		Name:    "rebalance",
		Summary: "partitions change hands between two members of a group: is an order skipped, or done twice?",
		Story: `Orders come in while two members of one group work them off. An order counts when its
output stands in the log; look at "skipped" and "processed twice", and at the answers.

member=leaves: one member finishes what it has, commits and leaves. Nothing is skipped
and nothing done twice. With commit=none it leaves without having committed, and the
other one does it all again. With assignor=cooperative-sticky the member that stays keeps
its partition (KIP-429); with the eager ones it has to give everything back first, and
gets it again at the committed offset.

member=joins: the first member has ten orders in hand when the second one comes. How long
a rebalance waits for a member that is at work differs. librdkafka gives partitions up
inside a poll, so the program finishes what it has in hand, and the new member waits.
franz-go gives them up in a goroutine of its own (unless BlockRebalanceOnPoll is set), so
that what is in hand is read again by whoever has the partition now.

member=stops-polling: a program that works on one batch for longer than
max.poll.interval.ms. librdkafka leaves the group, as Java does (KIP-62), and reports
_MAX_POLL_EXCEEDED; the other member takes over, and the orders in hand are done twice.
franz-go has no such limit. It goes on with its heartbeats, and the partition waits.

member=frozen: a whole process stands still for longer than session.timeout.ms, with its
outputs written in a transaction and nothing committed. The other member takes its
partition over and does the orders. Then the first one wakes, a zombie, and wants to
commit. It has a transactional.id of its own, so no newer producer fences it. What stops
it is KIP-447: the offsets in its transaction carry its member id and generation, and the
coordinator refuses old ones (metadata=taken-before). The control names the group alone,
as programs did before KIP-447, and both transactions count. metadata=renewed is a
program that asks its consumer for the metadata as late as that: by then the library has
noticed and joined again or is about to, and what it says of itself is current. A program
has to drop the transaction when it is told that partitions were lost; franz-go's
GroupTransactSession does that.

That a process stands still is made on the wire: the proxy keeps back what its consumer
sends, and its connections stay up.`,
		Topics: []Topic{
			{Role: orders, Partitions: deskPartitions, Fixed: true},
			{Role: processedOrders, Partitions: 1, Fixed: true},
		},
		Variants: []Variant{
			leavingVariant("assignor=range,member=leaves", "range", "1", true),
			leavingVariant("assignor=cooperative-sticky,member=leaves", "cooperative-sticky", "0", true),
			leavingVariant("commit=none,member=leaves", "range", "1", false),
			joiningVariant(),
			stoppingVariant(),
			frozenVariant("member=frozen,metadata=taken-before", evidence.Promise, takenBefore),
			frozenVariant("member=frozen,metadata=group-only", evidence.Control, groupOnly),
			frozenVariant("member=frozen,metadata=renewed", evidence.Observation, renewed),
		},
	}
}

// deskPartitions is one for each of two members.
const deskPartitions = 2

// sessionTimeout is that of groups in which a member vanishes: the least that brokers take
// by default (group.min.session.timeout.ms).
const sessionTimeout = 6 * time.Second

// memberGroup is how the members read.
func memberGroup(assignor string) map[string]string {
	return map[string]string{
		"group.id": "kcompare-desk", "partition.assignment.strategy": assignor,
		"session.timeout.ms": inMillis(sessionTimeout), "heartbeat.interval.ms": "300",
	}
}

// memberVariant has orders that come in waves of so many.
func memberVariant(name string, waves []int, run func(*desk, context.Context) error) Variant {
	total := 0
	for _, n := range waves {
		total += n
	}
	return Variant{
		Name:      name,
		Settings:  map[string]string{"acks": "all", "enable.idempotence": "true"},
		Consuming: memberGroup("range"),
		Needs:     drivers.Abilities{Idempotence: true, Groups: true, Rebalances: true},
		Allowed:   []evidence.AnomalyKind{evidence.Duplicate},
		Plan:      noFaults,
		Records:   func(_ Parameters, place partition.Func) []fault.Record { return memberRecords(total, place) },
		Orders:    func(Parameters) []Input { return incoming(0, total) },
		Outputs:   []string{processedOrders},
		Run: func(ctx context.Context, s *Stage) error {
			return run(&desk{stage: s, waves: waves, done: map[int]bool{}}, ctx)
		},
	}
}

// incoming are orders that are all valid.
func incoming(from, to int) []Input {
	var inputs []Input
	for n := from; n < to; n++ {
		inputs = append(inputs, Input{Valid: true, Message: Message{
			Topic: orders, ID: evidence.RecordID{Role: orders, N: n}, Key: fmt.Appendf(nil, "order_%d", n),
			Value: fmt.Appendf(nil, `{"order_id": %d, "amount": %d}`, n, 100+10*n),
		}})
	}
	return inputs
}

// memberRecords are the orders and their outputs.
func memberRecords(total int, place partition.Func) []fault.Record {
	var records []fault.Record
	for _, in := range incoming(0, total) {
		records = append(records,
			in.planned(place, deskPartitions),
			Message{Topic: processedOrders, ID: in.ID, Key: in.Key}.planned(place, 1))
	}
	return records
}

func leavingVariant(name, assignor, taken string, commits bool) Variant {
	v := memberVariant(name, []int{6, 6, 6}, func(d *desk, ctx context.Context) error { return d.leave(ctx, commits, taken) })
	v.Consuming = memberGroup(assignor)
	v.Kind, v.Claim = evidence.Promise, "a member commits and leaves: no order is skipped, none is done twice"
	v.Checks = []evidence.Check{check(evidence.InputsSkipped, "==", 0), check(evidence.InputsTwice, "==", 0)}
	if !commits {
		v.Kind, v.Claim = evidence.Control, "a member leaves without having committed: the other one does its orders again"
		v.Checks = []evidence.Check{check(evidence.InputsSkipped, "==", 0), check(evidence.InputsTwice, ">", 0)}
		v.Allowed = append(v.Allowed, evidence.InputReprocessed)
	}
	v.About = func(Parameters) string {
		return "18 orders in three waves; in the second one a member does its share and leaves, and the other one has all of the third."
	}
	return v
}

func joiningVariant() Variant {
	v := memberVariant("member=joins", []int{10, 4}, (*desk).join)
	v.Kind, v.Claim = evidence.Observation, "a member joins while the other one has orders in hand: who does them?"
	v.About = func(Parameters) string {
		return "10 orders in hand, 3 of them done and committed, when a second member comes; the first one does the rest, then 4 more come in."
	}
	return v
}

func stoppingVariant() Variant {
	v := memberVariant("member=stops-polling", []int{10, 4}, (*desk).stopPolling)
	v.Consuming["max.poll.interval.ms"] = "6000"
	v.Kind, v.Claim = evidence.Observation, "a member works on one batch for longer than max.poll.interval.ms: who has its partition?"
	v.About = func(Parameters) string {
		return "A member has its share of 10 orders in hand for up to 12 s, with max.poll.interval.ms=6000, and then does them; 4 more come in."
	}
	return v
}

func frozenVariant(name string, kind evidence.Kind, metadata zombieMetadata) Variant {
	v := memberVariant(name, []int{10}, func(d *desk, ctx context.Context) error { return d.freeze(ctx, metadata) })
	v.Settings = transactionSettings("desk")
	v.Needs.Transactions = true
	v.BothViews = true
	v.Staged = []Staged{{freezeRule, HoldClient}}
	v.About = func(Parameters) string {
		return "10 orders; a member writes its share in a transaction, stands still until the other one has done all of them, wakes, and goes on."
	}
	v.Kind = kind
	switch kind {
	case evidence.Promise:
		v.Claim = "the offsets of the zombie are refused, and each order counts once"
		v.Checks = []evidence.Check{
			check(evidence.InputsSkipped, "==", 0), check(evidence.InputsTwice, "==", 0), check(evidence.Torn, "==", 0),
		}
		v.Requires = []evidence.Check{check(evidence.AbortedRecords, ">", 0)} // the zombie wrote something
	case evidence.Control:
		v.Claim = "the offsets of the zombie are taken, and its orders count twice"
		v.Checks = []evidence.Check{check(evidence.InputsSkipped, "==", 0), check(evidence.InputsTwice, ">", 0)}
		v.Allowed = append(v.Allowed, evidence.InputReprocessed)
	default:
		v.Claim = "a zombie that asks for its metadata anew: are its offsets refused?"
	}
	return v
}
