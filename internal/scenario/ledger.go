package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// Ledger is the account of what was handed to a client and what the client said
// of it: records, transactions, errors. Reports come from any goroutine; after
// Seal none counts any more.
type Ledger struct {
	// Reported, if set, is called after each first report. It must not block.
	Reported func()

	// tell, if set, is called with all that is noted, in its order: that of a
	// contestant's ledger.
	tell func(event)

	mu           sync.Mutex
	sealed       bool
	sends        []evidence.Send
	transactions []evidence.Transaction
	errors       map[failure]*evidence.ErrorCount
	answers      []evidence.Answer
	standing     []evidence.Standing
	consumers    []evidence.Consumer
	figures      []evidence.Told  // what a library said of itself
	staged       map[string]int64 // faults that the story brought about, by rule
	twice        string           // the first record that was reported more than once
}

// send notes a record that is about to be handed over by a part of the story. The
// returned function takes the client's report and says whether it was the first.
func (l *Ledger) send(who string, s evidence.Send) (report func(drivers.Delivery) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Outcome, s.Partition, s.Offset = evidence.OutcomeUnknown, evidence.AnyPartition, evidence.NoOffset
	l.sends = append(l.sends, s)
	index := len(l.sends) - 1
	l.told(event{Event: toldProduce, Send: &s})
	return func(d drivers.Delivery) bool { return l.report(who, index, d) }
}

func (l *Ledger) report(who string, index int, d drivers.Delivery) bool {
	first := l.enter(who, index, d)
	if first && l.Reported != nil {
		l.Reported()
	}
	return first
}

// enter says whether the report was the first one.
func (l *Ledger) enter(who string, index int, d drivers.Delivery) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.sends[index]
	switch {
	case l.sealed:
		return false
	case s.Outcome != evidence.OutcomeUnknown:
		l.twice = cmp.Or(l.twice, s.ID.String())
		return false
	}
	s.Outcome, s.Partition, s.Offset = evidence.Outcome(d.Outcome.String()), d.Partition, d.Offset
	if d.Err != nil {
		s.Error = l.note(who, d.Err)
	}
	l.told(event{Event: toldReport, N: index, Outcome: s.Outcome, Partition: d.Partition, Offset: d.Offset, Error: s.Error})
	return true
}

func (l *Ledger) told(e event) {
	if l.tell != nil {
		l.tell(e)
	}
}

// Note counts an error of a call that belongs to no single record. who says which
// part of the story made the call; empty where there is only one.
func (l *Ledger) Note(who string, err error) {
	var e *drivers.Error
	if !errors.As(err, &e) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told(event{Event: toldError, Error: l.note(who, e)})
}

// failure is one kind of error. Texts name sizes, partitions and topics, so that
// only the first one is kept.
type failure struct{ who, call, class, code string }

func (l *Ledger) note(who string, e *drivers.Error) *evidence.ErrorCount {
	kind := failure{who, e.Call, string(e.Class), e.Code}
	if l.errors == nil {
		l.errors = map[failure]*evidence.ErrorCount{}
	}
	if l.errors[kind] == nil {
		l.errors[kind] = &evidence.ErrorCount{Who: who, Call: e.Call, Class: string(e.Class), Code: e.Code, Text: e.Text}
	}
	l.errors[kind].Count++
	return &evidence.ErrorCount{Who: who, Call: e.Call, Class: string(e.Class), Code: e.Code, Text: e.Text, Count: 1}
}

// begin opens the next transaction and returns its number.
func (l *Ledger) begin(instance int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.transactions) + 1
	l.transactions = append(l.transactions, evidence.Transaction{
		N: n, Instance: instance, Outcome: evidence.TransactionUnknown,
	})
	l.told(event{Event: toldBegin})
	return n
}

// end notes how a program asked for the transaction to end, and what the client
// said came of it.
func (l *Ledger) end(n int, asked evidence.End, outcome drivers.TransactionOutcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.transactions[n-1]
	t.NoCommit = asked == evidence.AskedAbort && (t.Asked == "" || t.NoCommit)
	t.Asked, t.Outcome = asked, evidence.TransactionOutcome(outcome.String())
	l.told(event{Event: toldEnd, N: n, Asked: asked, Ended: t.Outcome})
}

// fence marks a transaction that is open while a newer instance is ready.
func (l *Ledger) fence(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transactions[n-1].Fenced = true
}

// answer notes what a story found out.
func (l *Ledger) answer(a evidence.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.sealed {
		l.answers = append(l.answers, a)
	}
}

// stood notes where open transactions held last stable offsets.
func (l *Ledger) stood(standing []evidence.Standing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.sealed {
		l.standing = append(l.standing, standing...)
	}
}

// Standing is every last stable offset that the story saw standing. Call it after
// Seal.
func (l *Ledger) Standing() []evidence.Standing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.standing)
}

// noteFigures notes what a library said of itself.
func (l *Ledger) noteFigures(moment string, figures drivers.Figures) {
	l.mu.Lock()
	defer l.mu.Unlock()
	said := map[string]string{}
	for figure, value := range figures {
		said[string(figure)] = value
	}
	l.figures = append(l.figures, evidence.Told{Moment: moment, Figures: said})
}

// Told is what the library said of itself, in the order of asking. Call it after Seal.
func (l *Ledger) Told() []evidence.Told {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.figures)
}

// Answers is what the story found out, in its order. Call it after Seal.
func (l *Ledger) Answers() []evidence.Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.answers)
}

// consumer opens the account of a consumer and returns its number.
func (l *Ledger) consumer(who string, uncommitted bool) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.consumers = append(l.consumers, evidence.Consumer{Who: who, Uncommitted: uncommitted})
	return len(l.consumers) - 1
}

// step notes what happened to a partition of a consumer. Records at consecutive
// offsets make one step.
func (l *Ledger) step(consumer int, s evidence.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return
	}
	steps := &l.consumers[consumer].Steps
	if n := len(*steps); n > 0 {
		last := &(*steps)[n-1]
		if s.Kind == evidence.StepReturned && last.Kind == s.Kind && last.Topic == s.Topic &&
			last.Partition == s.Partition && last.Offset+last.Count == s.Offset {
			last.Count += s.Count
			return
		}
	}
	*steps = append(*steps, s)
}

// steps is what happened to a consumer so far.
func (l *Ledger) steps(consumer int) []evidence.Step {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.consumers[consumer].Steps)
}

// Consumers is what happened to each consumer whose library tells of its
// assignments. Call it after Seal.
func (l *Ledger) Consumers() []evidence.Consumer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.consumers)
}

// stage notes that the story brought a fault about.
func (l *Ledger) stage(rule string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.staged == nil {
		l.staged = map[string]int64{}
	}
	l.staged[rule]++
}

// Staged is how often the story brought a fault of its own about (Variant.Staged).
func (l *Ledger) Staged(rule string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.staged[rule]
}

// Seal closes the account: what is unknown now stays unknown.
func (l *Ledger) Seal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
}

// Sends is every act of sending, in order. Call it after Seal.
func (l *Ledger) Sends() []evidence.Send {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.sends)
}

// Transactions is every transaction, in the order of Begin. Call it after Seal.
func (l *Ledger) Transactions() []evidence.Transaction {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.transactions)
}

// Errors is every kind of error with its count, sorted. Call it after Seal.
func (l *Ledger) Errors() []evidence.ErrorCount {
	l.mu.Lock()
	defer l.mu.Unlock()
	kinds := make([]evidence.ErrorCount, 0, len(l.errors))
	for _, kind := range l.errors {
		kinds = append(kinds, *kind)
	}
	slices.SortFunc(kinds, func(a, b evidence.ErrorCount) int {
		return cmp.Or(strings.Compare(a.Who, b.Who), strings.Compare(a.Call, b.Call), strings.Compare(a.Code, b.Code), strings.Compare(a.Class, b.Class))
	})
	return kinds
}

// Err says what no client may do: report on one record twice.
func (l *Ledger) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.twice == "" {
		return nil
	}
	return fmt.Errorf("the client reported on %s twice", l.twice)
}
