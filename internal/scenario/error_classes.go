package scenario

import (
	"fmt"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// errorClasses is the story of one answered error: what a library makes of each code,
// for the record, for the transaction, and for the producer afterwards.
func errorClasses() Scenario {
	return Scenario{
		Name:     "error-classes",
		Summary:  "one request is answered with an error: is the record there, how did the transaction end, does the producer live?",
		Story:    `TODO`,
		Topics:   []Topic{{Role: orders, Partitions: shopPartitions}, {Role: orderEvents, Partitions: shopPartitions}},
		Variants: errorVariants(),
	}
}

func errorVariants() []Variant {
	all := []Variant{
		produceCells(instead, append(afterWriting(), denyingWrite()...)),
		produceCells(afterwards, afterWriting()),
		produceCells(denied, denyingWrite()),
		withoutNumbers(),
	}
	for _, call := range transactionCalls() {
		all = append(all, call.variant())
	}
	return append(all, noRight(), expiredID(), forgottenID(), purgedByAbort(), purgedByClose(), noCoordinatorEver())
}

// answering says when the error is answered.
type answering string

const (
	instead    answering = "instead" // of doing anything
	afterwards answering = "after"   // everything was done
	denied     answering = "denied"  // the same, and the code says that nothing was
)

func (m answering) action() fault.Action {
	if m == instead {
		return fault.AnswerInstead
	}
	return fault.ReplaceResponse
}

// inWords is how the story says it.
func (m answering) inWords() string {
	switch m {
	case afterwards:
		return "after the broker has done what was asked"
	case denied:
		return "after the broker has done what was asked, which the code denies"
	}
	return "and the broker never sees it"
}

// errorCell is one error code and the records that are sent for it: the one that meets the
// error, and the next one.
type errorCell struct {
	n int // its place in the variant
	kafkaError
}

func cellsOf(errors []kafkaError) []errorCell {
	all := make([]errorCell, len(errors))
	for n, e := range errors {
		all[n] = errorCell{n, e}
	}
	return all
}

// rule answers the request that it selects with the error, once.
func (c errorCell) rule(mode answering, s fault.Selector, notSent string) fault.Rule {
	s.Probability = 1
	return fault.Rule{Name: c.name, Action: mode.action(), Code: c.code, Select: s, NotSent: notSent}
}

// turn is whether a record belongs to what meets the error or to what comes next.
type turn int

const (
	hit turn = iota
	next
)

// order and event are the records of a cell. Those that meet the error and those that
// come next go to the same partitions, because a sequence of numbers is one of a
// partition.
func (c errorCell) order(t turn) Message { return c.message(orders, t) }
func (c errorCell) event(t turn) Message { return c.message(orderEvents, t) }

func (c errorCell) message(role string, t turn) Message {
	return Message{
		Topic: role, ID: evidence.RecordID{Role: role, N: 2*c.n + int(t)},
		Key: fmt.Appendf(nil, "order-%02d", c.n), Value: fmt.Appendf(nil, "%s %d", strings.ToLower(c.name), t),
	}
}

// id is the transactional.id of the cell, as the story calls it.
func (c errorCell) id() string { return "kcompare-" + cellID + "-" + c.name }

// who names the part of the story that an error belongs to: the cell, and its next
// record or transaction apart from it.
func (c errorCell) who(t turn) string {
	if t == next {
		return c.name + ", next"
	}
	return c.name
}
