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

// hangingTransaction is the story of a program that dies in a transaction, and of who
// ends it then: its next start, if that has the same transactional.id, or the broker
// when the transaction times out.
func hangingTransaction() Scenario {
	return Scenario{
		Name:    "hanging-transaction",
		Summary: "a producer dies in its transaction and starts again under another transactional.id: how long does a reader stand still?",
		Story: `A payment service commits a payment, begins the next transaction, writes one record
and is killed. It starts again and commits three more payments. A reader under
read_committed is at work all the time. (D08)

With a stable transactional.id InitProducerId of the new start ends what the old one
left open (KIP-98, fencing): the reader goes on at once. With a random id at each start,
which many programs have because "it must be unique", nobody knows that the two belong
together. The transaction stays open until the broker aborts it, transaction.timeout.ms
after it began (a minute by default) and at its next sweep (ten seconds by default,
transaction.abort.timed.out.transaction.cleanup.interval.ms; the Kafka that kcompare
starts has 0.5 s, the embedded broker aborts exactly at the timeout).

Look at "committed, yet held back". All three commits have succeeded, the records stand
in the log, and no reader under read_committed gets them: it does not get past the last
stable offset, which is that of the first record of the open transaction, whoever wrote
it. The writer is told nothing. With random ids and the default timeout this is a topic
that stands still for a minute after each crash, for every reader of the partition.

Neither library ends its transaction when it is closed without being asked ("aborts on
the wire" is 0 for both): Close is here what a kill is. Clients do not differ in how long
the reader stands, because it is the broker that ends the transaction. They differ in
how long a new start with the stable id takes: where the broker has to abort the old
transaction first it answers CONCURRENT_TRANSACTIONS, and librdkafka asks again after
half a second (rdkafka_idempotence.c), franz-go after 20 ms.`,
		Topics:   []Topic{{Role: payments, Partitions: 1}},
		Variants: []Variant{stableID(), randomID(), randomIDForLong()},
	}
}

// What the story writes, all with one key and so to one partition: one payment that the
// first start commits, one in which it dies, and those of the second start.
const (
	hangingFirst = 0
	hangingDead  = 1
	hangingNext  = 2
	hangingCount = 5

	hangingHeld = hangingCount - hangingNext
)

// hangingTimeout is the transaction.timeout.ms of randomID: far above what a start takes
// on a busy machine, and not too long to wait for.
const hangingTimeout = 5 * time.Second

// What is the longest that the story waits for a reader: much longer than a start takes,
// and much shorter than the minute after which a transaction times out by default.
const (
	promptly     = 30 * time.Second
	longestSweep = 15 * time.Second // on a broker that sweeps every ten seconds
	inVain       = time.Second
)

const (
	deadProducer = "dead producer"
	nextStart    = "next start"
	reader       = "reader"
)

func hangingVariant(name string, kind evidence.Kind, claim string) Variant {
	return Variant{
		Name: name, Kind: kind, Claim: claim,
		Settings:  transactionSettings("payment-service"),
		Consuming: map[string]string{"group.id": "kcompare-hanging-reader", "isolation.level": "read_committed"},
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true, Groups: true},
		BothViews: true,
		Plan:      noFaults,
		Records:   hangingRecords,
		Requires:  []evidence.Check{check(evidence.Committed, "==", 2), check(evidence.Acked, "==", evidence.Intended)},
		Conclude:  concludeHanging,
	}
}

func stableID() Variant {
	v := hangingVariant("transactional.id=stable", evidence.Promise, "the new start ends the old transaction: no reader stands still")
	v.Checks = []evidence.Check{
		check(evidence.Stuck, "==", 0),
		check(evidence.Visible, "==", evidence.CommittedRecords),
	}
	v.About = func(Parameters) string {
		return "A producer dies in its transaction, starts again under the same transactional.id and commits 3 payments."
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		h := hanging{stage: s}
		return h.play(ctx, promptly)
	}
	return v
}

func randomID() Variant {
	v := hangingVariant("transactional.id=random", evidence.Control,
		"under another id the old transaction holds every reader until it times out")
	timesOut(v.Settings, hangingTimeout)
	v.Checks = []evidence.Check{
		check(evidence.Stuck, "==", hangingHeld),
		check(evidence.Visible, "==", evidence.CommittedRecords),
	}
	v.Allowed = []evidence.AnomalyKind{evidence.StuckReader}
	v.About = func(Parameters) string {
		return fmt.Sprintf("A producer dies in its transaction, starts again under another transactional.id and commits 3 payments; transaction.timeout.ms is %v.", hangingTimeout)
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		h := hanging{stage: s, random: true, timeout: hangingTimeout}
		return h.play(ctx, hangingTimeout+longestSweep)
	}
	return v
}

// randomIDForLong has the default timeout of a minute, and ends before it does.
func randomIDForLong() Variant {
	v := hangingVariant("transaction.timeout.ms=60000,transactional.id=random", evidence.Control,
		"while it has not timed out, no reader gets what was committed behind it")
	v.Settings["transaction.timeout.ms"] = "60000"
	v.LeavesOpen = true
	v.Checks = []evidence.Check{
		check(evidence.Stuck, "==", hangingHeld),
		check(evidence.Visible, "==", hangingDead), // those before it
		check(evidence.ReadCommitted, "==", hangingDead),
	}
	v.Allowed = []evidence.AnomalyKind{evidence.StuckReader}
	v.About = func(Parameters) string {
		return "A producer dies in its transaction, starts again under another transactional.id and commits 3 payments; the topic is read before the minute of its timeout is over."
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		h := hanging{stage: s, random: true, timeout: time.Minute}
		return h.play(ctx, inVain)
	}
	return v
}

// timesOut sets the timeout of a transaction, and those that must not be longer: neither
// a record nor a request may outlive its transaction.
func timesOut(set map[string]string, after time.Duration) {
	ms := fmt.Sprint(after.Milliseconds())
	set["transaction.timeout.ms"], set["delivery.timeout.ms"], set["socket.timeout.ms"] = ms, ms, ms
	set["request.timeout.ms"] = fmt.Sprint((after * 2 / 3).Milliseconds())
}

func hangingRecords(p Parameters, place partition.Func) []fault.Record {
	var records []fault.Record
	for n := range hangingCount {
		records = append(records, hangingPayment(n).planned(place, p.PartitionsOf(1)))
	}
	return records
}

// hangingPayment is a payment of one customer.
func hangingPayment(n int) Message {
	m := payment(n)
	m.Key = []byte("customer-7")
	return m
}

// hangingPayments are those from one up to another, which is not among them.
func hangingPayments(from, to int) (all []Message) {
	for n := from; n < to; n++ {
		all = append(all, hangingPayment(n))
	}
	return all
}

// hanging is the program, and who reads what it writes.
type hanging struct {
	stage   *Stage
	reader  *Consumer
	random  bool          // it has another transactional.id at each start
	timeout time.Duration // after which its transactions end; 0 for one that the story never meets
}

// play lets the reader wait for the payments of the second start, at most so long.
func (h *hanging) play(ctx context.Context, patience time.Duration) error {
	if err := h.open(ctx); err != nil {
		return err
	}
	began, err := h.die(ctx)
	if err != nil {
		return err
	}
	if err := h.startAgain(ctx); err != nil {
		return err
	}
	committed := h.stage.Elapsed()
	if h.random {
		if err := h.look(ctx, began); err != nil {
			return err
		}
	}
	had, err := h.read(ctx, hangingNext, patience)
	if err != nil {
		return err
	}
	h.answer(had, h.stage.Elapsed(), began, committed)
	return nil
}

// open has the reader get the first payment, so that it is at work when it matters.
func (h *hanging) open(ctx context.Context) (err error) {
	if h.reader, err = h.stage.NewConsumer(reader); err != nil {
		return err
	}
	return h.reader.Subscribe(ctx, payments)
}

// id is that of the nth start.
func (h *hanging) id(start string) []Setting {
	if !h.random {
		return nil
	}
	return []Setting{h.stage.OwnID(start)}
}

// die commits the first payment and leaves the second in an open transaction. It returns
// when that was begun at the earliest.
func (h *hanging) die(ctx context.Context) (began time.Duration, err error) {
	p, err := h.stage.NewTransactionalProducer(deadProducer, h.id("start-1")...)
	if err != nil {
		return 0, err
	}
	if err := p.Init(ctx); err != nil {
		return 0, err
	}
	if err := p.commits(ctx, hangingPayments(hangingFirst, hangingDead)...); err != nil {
		return 0, err
	}
	had, err := h.read(ctx, hangingFirst, promptly)
	if err != nil {
		return 0, fmt.Errorf("read the first payment, before anything hangs: %w", err)
	}
	if !had {
		return 0, fmt.Errorf("read the first payment, before anything hangs: it did not come within %v", promptly)
	}
	if err := p.Begin(ctx); err != nil {
		return 0, err
	}
	began = h.stage.Elapsed()
	p.Send(ctx, hangingPayment(hangingDead))
	if err := p.Wait(ctx); err != nil {
		return 0, err
	}
	return began, p.Close()
}

func (h *hanging) startAgain(ctx context.Context) error {
	began := h.stage.Elapsed()
	p, err := h.stage.NewTransactionalProducer(nextStart, h.id("start-2")...)
	if err != nil {
		return err
	}
	if err := p.Init(ctx); err != nil {
		return err
	}
	h.stage.Answer(measured("the next start was ready after", rounded(h.stage.Elapsed()-began)))
	return p.commits(ctx, hangingPayments(hangingNext, hangingCount)...)
}

// look waits until the marker of the second start stands behind its records. On a
// machine on which that took as long as the timeout there is nothing to be seen any
// more, and nothing was shown.
func (h *hanging) look(ctx context.Context, began time.Duration) error {
	behind := func(all []evidence.Standing) bool {
		const deadOne, marker = 1, 1
		return len(all) == 0 || all[0].End >= all[0].Stable+deadOne+hangingHeld+marker
	}
	if _, err := h.stage.Look(ctx, behind); err != nil {
		return err
	}
	if took := h.stage.Elapsed() - began; took >= h.timeout {
		return fmt.Errorf("look at the partition while the transaction is open: it took %v to get there, and transaction.timeout.ms is %v: the machine is too slow for it", took, h.timeout)
	}
	return nil
}

// read polls until the reader has got a payment, or for so long.
func (h *hanging) read(ctx context.Context, n int, patience time.Duration) (had bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for bounded.Err() == nil {
		records, err := h.reader.Poll(bounded)
		if err != nil && bounded.Err() == nil {
			return false, err
		}
		for _, r := range records {
			if isPayment(r, n) {
				return true, nil
			}
		}
	}
	return false, ctx.Err()
}

func isPayment(r drivers.Record, n int) bool {
	value, _ := r.Header(evidence.IDHeader)
	return string(value) == hangingPayment(n).ID.String()
}

// answer tells what the reader went through. The broker cannot have taken the transaction
// for begun before the story did, so that what came later than the timeout after that
// came after the timeout.
func (h *hanging) answer(had bool, now, began, committed time.Duration) {
	before := had && (h.timeout == 0 || now-began < h.timeout)
	h.stage.Answer(evidence.Answer{Question: "read before the old one timed out", Answer: yesNo(before), Expected: yesNo(!h.random)})
	if h.timeout == hangingTimeout {
		h.stage.Answer(evidence.Answer{Question: "read in the end", Answer: yesNo(had), Expected: "yes"})
	}
	stood := measured("read so long after their commit", "not at all")
	if had {
		stood.Answer = rounded(now - committed)
	}
	h.stage.Answer(stood)
}

// concludeHanging holds the story against what was on the wire and in the log: the
// library did not end the transaction by itself, and it was this one that stood.
func concludeHanging(o *evidence.Observed) []evidence.Answer {
	answers := []evidence.Answer{{
		Question: "aborts on the wire", Answer: fmt.Sprint(countRequests(o, isAbort)), Expected: "0",
	}}
	if len(o.Standing) == 0 || len(o.Sends) <= hangingDead {
		return answers
	}
	stood := o.Standing[0].Stable == o.Sends[hangingDead].Offset
	return append(answers, evidence.Answer{Question: "it stands at the dead one's record", Answer: yesNo(stood), Expected: "yes"})
}

func countRequests(o *evidence.Observed, counted func(evidence.Exchange) bool) int {
	n := 0
	for _, e := range o.Trace.Exchanges {
		if counted(e) {
			n++
		}
	}
	return n
}

func isAbort(e evidence.Exchange) bool { return endOf(e) == evidence.AskedAbort }

// endOf is what an EndTxn asks for, "" for other requests.
func endOf(e evidence.Exchange) evidence.End {
	switch {
	case e.End == nil:
		return ""
	case e.End.Commit:
		return evidence.AskedCommit
	}
	return evidence.AskedAbort
}
