package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// autoCommit is the story of who says that an order was dealt with: the program, or
// the library in its name.
func autoCommit() Scenario {
	return Scenario{
		Name:    "auto-commit",
		Summary: "offsets are committed by the library or by the program, which then ends: what is skipped, what is done twice?",
		Story: `Ten orders wait in a topic. The program polls until it has them all, deals with one
after the other, and ends when it has dealt with four: in good order (end=close), or by
a crash (end=crash), after which nothing that it says reaches the cluster. It is started
again and reads on from the offset that the group has committed. An order counts when
its output stands in the log; look at "skipped" and "processed twice".

An offset that was committed says "I am done with this". With enable.auto.commit the
library says it: librdkafka of every record that it has handed to the program
(enable.auto.offset.store, rdkafka_op.c), every auto.commit.interval.ms and when it is
closed. So commit=auto loses what was in hand, by a crash after the commit and even by
an orderly close, and with a crash before the commit it repeats. Neither is a matter of
luck, only of the moment.

commit=library leaves all of that to each library, where they differ: librdkafka commits
every 5 s what it handed over, franz-go commits, every 5 s and when it leaves the group,
what the polls before the last one returned (kgo/consumer_group.go, updateUncommitted).
librdkafka skips the orders that were in hand, franz-go does them twice. (As kcompare
translates enable.auto.commit=true for commit=auto, franz-go has GreedyAutoCommit, which
is librdkafka's way.)

What does not skip is an offset that the program commits after the work (commit=manual),
or one that it stores after the work for the library to commit: commit=stored,
enable.auto.offset.store=false with StoreOffsets in librdkafka, AutoCommitMarks with
MarkCommitRecords in franz-go. What was in hand in a crash comes twice; only
read-process-write ends that too.

A crash is a broken connection here, with session.timeout.ms=6000, the least that brokers
allow by default: so long the group waits for the dead member before the next one gets
its partition.`,
		Topics: []Topic{
			{Role: orders, Partitions: 1, Fixed: true},
			{Role: processedOrders, Partitions: 1, Fixed: true},
		},
		Variants: []Variant{
			manualCommit("commit=manual,end=close", endOfLife{}, 0),
			manualCommit("commit=manual,end=crash", endOfLife{crash: true}, 1),
			storedCommit(),
			autoCommitControl("commit=auto,end=close", "the close commits what was in hand: it is skipped", endOfLife{}, time.Minute, inHand, 0),
			autoCommitControl("commit=auto,end=crash", "what was committed and not yet done is skipped", endOfLife{crash: true, committed: true}, shortInterval, inHand, 0),
			autoCommitControl("commit=auto,end=crash-before-commit", "what was done and not yet committed is done twice", endOfLife{crash: true}, time.Minute, 0, dealtWith),
			libraryCommit("commit=library,end=close", endOfLife{}),
			libraryCommit("commit=library,end=crash", endOfLife{crash: true, patience: libraryPatience}),
		},
	}
}

const (
	autoOrders = 10                     // small enough for one answer to Fetch
	dealtWith  = 4                      // of them, in the first life
	inHand     = autoOrders - dealtWith // ... and the others

	shortInterval   = 100 * time.Millisecond // the least that franz-go takes
	libraryPatience = 9 * time.Second        // well above both libraries' interval of 5 s

	crashRule  = "crash"
	firstLife  = "first life"
	secondLife = "second life"
)

// endOfLife is how the first life of the program ends.
type endOfLife struct {
	crash     bool
	committed bool          // only when the library has committed all that it handed over
	patience  time.Duration // the last order takes until the library commits anything, or so long
}

// committing is how the program tells what it is done with.
type committing int

const (
	byLibrary committing = iota
	byProgram
	byStoring
)

// autoCommitGroup is how the program's consumers read.
func autoCommitGroup(own map[string]string) map[string]string {
	set := map[string]string{
		"group.id": "kcompare-till", "partition.assignment.strategy": "range",
		"session.timeout.ms": inMillis(sessionTimeout), "heartbeat.interval.ms": "1000",
	}
	for key, value := range own {
		set[key] = value
	}
	return set
}

// autoCommitVariant is what all of them have in common.
func autoCommitVariant(name string, end endOfLife, how committing, own map[string]string) Variant {
	v := Variant{
		Name:      name,
		Settings:  map[string]string{"acks": "all", "enable.idempotence": "true"},
		Consuming: autoCommitGroup(own),
		Needs:     drivers.Abilities{Idempotence: true, Groups: true},
		Allowed:   []evidence.AnomalyKind{evidence.Duplicate},
		About: func(Parameters) string {
			return fmt.Sprintf("%d orders; the program deals with %d, %s, and is started again.", autoOrders, dealtWith, end)
		},
		Plan:    noFaults,
		Records: autoCommitRecords,
		Inputs:  waitingOrders,
		Outputs: []string{processedOrders},
		Run:     func(ctx context.Context, s *Stage) error { return till{s, end, how}.liveTwice(ctx) },
	}
	if end.crash {
		v.Staged = []Staged{{crashRule, CutClient}}
	}
	return v
}

func (e endOfLife) String() string {
	words := []string{"closes its consumer"}
	if e.crash {
		words = []string{"crashes"}
	}
	if e.committed {
		words = append(words, "after the library has committed all ten")
	}
	if e.patience > 0 {
		words = append(words, fmt.Sprintf("when the library has committed anything, or %v later", e.patience))
	}
	return strings.Join(words, " ")
}

func manualCommit(name string, end endOfLife, twice int) Variant {
	v := autoCommitVariant(name, end, byProgram, nil)
	v.Kind, v.Repeats = evidence.Promise, true
	v.Claim = "an offset that is committed after the work skips nothing"
	if twice > 0 {
		v.Claim += "; the order in hand is done twice"
	}
	v.Checks = []evidence.Check{check(evidence.InputsSkipped, "==", 0), check(evidence.InputsTwice, "==", twice)}
	v.Allowed = append(v.Allowed, evidence.InputReprocessed)
	return v
}

func storedCommit() Variant {
	v := autoCommitVariant("commit=stored,end=crash", endOfLife{crash: true}, byStoring, map[string]string{
		"enable.auto.commit": "true", "enable.auto.offset.store": "false", "auto.commit.interval.ms": inMillis(shortInterval),
	})
	v.Kind, v.Repeats, v.Needs.Store = evidence.Promise, true, true
	v.Claim = "an offset that is stored after the work, for the library to commit, skips nothing; the order in hand is done twice"
	v.Checks = []evidence.Check{check(evidence.InputsSkipped, "==", 0), check(evidence.InputsTwice, "==", 1)}
	v.Allowed = append(v.Allowed, evidence.InputReprocessed)
	return v
}

func autoCommitControl(name, claim string, end endOfLife, interval time.Duration, skipped, twice int) Variant {
	v := autoCommitVariant(name, end, byLibrary, map[string]string{
		"enable.auto.commit": "true", "auto.commit.interval.ms": inMillis(interval),
	})
	v.Kind, v.Claim, v.Repeats = evidence.Control, claim, true
	v.Checks = []evidence.Check{check(evidence.InputsSkipped, "==", skipped), check(evidence.InputsTwice, "==", twice)}
	v.Allowed = append(v.Allowed, evidence.InputSkipped, evidence.InputReprocessed)
	return v
}

func libraryCommit(name string, end endOfLife) Variant {
	v := autoCommitVariant(name, end, byLibrary, map[string]string{"auto.offset.reset": "earliest"})
	v.Kind, v.Bare = evidence.Observation, true
	v.Claim = "the library commits as it does by default: is what was in hand skipped, or done twice?"
	return v
}

// inMillis is a time as settings have it.
func inMillis(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// waitingOrders are all valid.
func waitingOrders(Parameters) []Input { return incoming(0, autoOrders) }

func autoCommitRecords(p Parameters, place partition.Func) []fault.Record {
	var records []fault.Record
	for _, in := range waitingOrders(p) {
		records = append(records, Message{Topic: processedOrders, ID: in.ID, Key: in.Key}.planned(place, 1))
	}
	return records
}

// till is the program.
type till struct {
	stage *Stage
	end   endOfLife
	how   committing
}

func (t till) liveTwice(ctx context.Context) error {
	committed, err := t.firstLife(ctx)
	if err != nil {
		return err
	}
	t.stage.Answer(evidence.Answer{Question: "committed by the first life", Answer: fmt.Sprintf("%d of %d", committed, autoOrders)})
	return t.secondLife(ctx, committed)
}

// firstLife returns what is committed when it has ended.
func (t till) firstLife(ctx context.Context) (committed int64, err error) {
	producer, consumer, err := t.open(ctx, firstLife)
	if err != nil {
		return 0, err
	}
	inHand, err := t.takeAll(ctx, consumer)
	if err != nil {
		return 0, err
	}
	for i, r := range inHand[:dealtWith] {
		last := i == dealtWith-1
		if last && t.how == byStoring { // or the crash might come before any commit
			err = t.awaitCommit(ctx, consumer, r.Offset)
		}
		if err == nil {
			err = t.dealWith(ctx, producer, r)
		}
		if err != nil {
			return 0, err
		}
		if !last || !t.end.crash { // it crashes with the last one done and not yet committed
			err = t.done(ctx, consumer, r)
		}
		if err != nil {
			return 0, err
		}
	}
	if err := t.goOn(ctx, consumer); err != nil {
		return 0, err
	}
	return t.leave(ctx, producer, consumer)
}

func (t till) open(ctx context.Context, who string) (*Producer, *Consumer, error) {
	producer, err := t.stage.NewProducer(who)
	if err != nil {
		return nil, nil, err
	}
	consumer, err := t.stage.NewConsumer(who, OwnClient(strings.ReplaceAll(who, " ", "-")))
	if err != nil {
		return nil, nil, err
	}
	return producer, consumer, consumer.Subscribe(ctx, orders)
}

// takeAll polls until the program has every order in hand.
func (t till) takeAll(ctx context.Context, c *Consumer) (all []drivers.Record, err error) {
	for len(all) < autoOrders {
		records, err := c.Poll(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
	}
	return all, nil
}

// dealWith writes the output of an order.
func (t till) dealWith(ctx context.Context, p *Producer, r drivers.Record) error {
	outputs, err := processOrder(r)
	if err != nil {
		return err
	}
	return p.write(ctx, outputs[:1])
}

// done tells that the program is done with an order, if that is its business.
func (t till) done(ctx context.Context, c *Consumer, r drivers.Record) error {
	switch t.how {
	case byProgram:
		return c.Commit(ctx, after(r))
	case byStoring:
		return c.Store(after(r))
	}
	return nil
}

// goOn is what happens between the last order and the end.
func (t till) goOn(ctx context.Context, c *Consumer) error {
	if t.end.committed {
		return t.awaitCommit(ctx, c, autoOrders)
	}
	if t.end.patience > 0 {
		return t.awaitAnyCommit(ctx)
	}
	return nil
}

// awaitAnyCommit waits until the library has committed. What it does not commit in time it
// does not commit: that is an answer too.
func (t till) awaitAnyCommit(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, t.end.patience)
	defer cancel()
	_, err := t.stage.Watch.Exchange(bounded, func(e evidence.Exchange) bool { return e.API == "OffsetCommit" && e.Answered })
	if errors.Is(err, context.DeadlineExceeded) {
		return ctx.Err()
	}
	return err
}

// awaitCommit waits until the library has committed that offset, or a later one. As
// long as it has not, another commit follows.
func (t till) awaitCommit(ctx context.Context, c *Consumer, offset int64) error {
	for last := int64(0); ; {
		committed, err := c.Stored(ctx, t.orders())
		if err != nil || committed >= offset {
			return err
		}
		e, err := t.stage.Watch.Exchange(ctx, func(e evidence.Exchange) bool {
			return e.API == "OffsetCommit" && e.Answered && e.N > last
		})
		if err != nil {
			return err
		}
		last = e.N
	}
}

// orders is their only partition.
func (t till) orders() drivers.TopicPartition {
	return drivers.TopicPartition{Topic: t.stage.Topics[orders]}
}

// leave ends the first life, and asks as somebody else what it has committed.
func (t till) leave(ctx context.Context, p *Producer, c *Consumer) (committed int64, err error) {
	if t.end.crash {
		err = c.Crash(crashRule)
	} else {
		err = c.Close()
	}
	if err != nil {
		return 0, err
	}
	if err := p.Close(); err != nil {
		return 0, err
	}
	somebody, err := t.stage.NewConsumer("somebody")
	if err != nil {
		return 0, err
	}
	if committed, err = somebody.Stored(ctx, t.orders()); err != nil {
		return 0, err
	}
	return max(committed, 0), somebody.Close()
}

// secondLife deals with what is left, as the group knows it.
func (t till) secondLife(ctx context.Context, from int64) error {
	if from >= autoOrders {
		return nil // nothing would ever come
	}
	producer, consumer, err := t.open(ctx, secondLife)
	if err != nil {
		return err
	}
	for next := from; next < autoOrders; {
		records, err := consumer.Poll(ctx)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := t.dealWith(ctx, producer, r); err != nil {
				return err
			}
			next = r.Offset + 1
		}
	}
	return nil
}
