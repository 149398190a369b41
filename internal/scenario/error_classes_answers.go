package scenario

import (
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// This file says in a few words what came of each cell, from the log, the trace and
// what the client said.

// matrix is what was seen, by record and by part of the story.
type matrix struct {
	o     *evidence.Observed
	fates map[evidence.RecordID][]evidence.Fate // of each copy in the log
}

func newMatrix(o *evidence.Observed) matrix {
	m := matrix{o: o, fates: map[evidence.RecordID][]evidence.Fate{}}
	for _, p := range o.Log.Partitions {
		for i, fate := range p.Fates() {
			for _, r := range p.Batches[i].Records {
				m.fates[r.ID] = append(m.fates[r.ID], fate)
			}
		}
	}
	return m
}

func tellRecords(o *evidence.Observed, cells []errorCell) []evidence.Answer {
	m := newMatrix(o)
	var all []evidence.Answer
	for _, c := range cells {
		all = append(all,
			evidence.Answer{Question: c.name, Answer: m.record(c.order(hitTurn).ID)},
			c.next(m.record(c.order(nextTurn).ID)))
	}
	return all
}

// next is an answer to what the producer was good for afterwards. A topic that was
// forbidden stays so for librdkafka until it has asked for metadata again
// (rdkafka_topic.c): whether the next record comes before or after that is chance.
func (c errorCell) next(answer string) evidence.Answer {
	return evidence.Answer{Question: c.name + ": next", Answer: answer, Measured: c.kafkaError == topicForbidden}
}

// record is the fate of a record beside what was told of it.
func (m matrix) record(id evidence.RecordID) string {
	s, handed := m.send(id)
	if !handed {
		return "not sent"
	}
	switch copies := len(m.fates[id]); {
	case s.Outcome == evidence.OutcomeAcked && copies == 1:
		return join(m.retried(id), "delivered")
	case copies > 1:
		return join(s.Outcome, "written twice", class(s.Error))
	case s.Outcome == evidence.OutcomeAcked:
		return "acked, lost"
	case copies == 1:
		return join(s.Outcome, "present", class(s.Error))
	}
	return join(s.Outcome, class(s.Error))
}

func (m matrix) send(id evidence.RecordID) (evidence.Send, bool) {
	i := slices.IndexFunc(m.o.Sends, func(s evidence.Send) bool { return s.ID == id })
	if i < 0 {
		return evidence.Send{}, false
	}
	return m.o.Sends[i], true
}

// retried is a word for a record that was on the wire more than once.
func (m matrix) retried(id evidence.RecordID) string {
	attempts := 0
	for _, e := range m.o.Trace.Exchanges {
		if e.Carries(id) {
			attempts++
		}
	}
	if attempts > 1 {
		return "retried"
	}
	return ""
}

func class(e *evidence.ErrorCount) string {
	if e == nil {
		return ""
	}
	return e.Class
}

// join puts the words that there are together.
func join[T ~string](first T, more ...string) string {
	words := append([]string{string(first)}, more...)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}

// tell says of each cell how its transaction ended and what the program was told, and
// whether the producer lives.
func (k transactionCall) tell(o *evidence.Observed, cells []errorCell) []evidence.Answer {
	m := newMatrix(o)
	var all []evidence.Answer
	for _, c := range cells {
		all = append(all,
			evidence.Answer{Question: c.name, Answer: k.ended(m, c)},
			c.next(m.lives(c)))
	}
	if k.offsets {
		all = append(all, evidence.Answer{Question: "records and offsets apart", Answer: m.apart(cells), Expected: "nowhere"})
	}
	return all
}

// ended says how the transaction that met the error ended, and of what class the error
// was for the program. Of an error that it was not told the library knew what to do: it
// asked again, or took it for success.
func (k transactionCall) ended(m matrix, c errorCell) string {
	told := m.told(c.who(hitTurn), k.said)
	if s, handed := m.send(c.order(hitTurn).ID); handed && k.api == "Produce" {
		told = class(s.Error) // other records of the transaction have errors of their own
	}
	if told == "" && k.requests(m.o, c) > 1 {
		return join("retried", m.transaction(c, hitTurn))
	}
	return join(m.transaction(c, hitTurn), told)
}

// requests counts those of the call before the next transaction wrote anything.
func (k transactionCall) requests(o *evidence.Observed, c errorCell) int {
	requests := 0
	for _, e := range o.Trace.Exchanges {
		if e.Carries(c.order(nextTurn).ID) {
			break
		}
		switch {
		case k.api == "Produce" && e.Carries(c.order(hitTurn).ID):
			requests++
		case k.api != "Produce" && e.API == k.api && e.TransactionalID == c.id() && endOf(e) == k.end:
			requests++
		}
	}
	return requests
}

// transaction is how one ended, by the log. Whether the second record of an aborted one
// was written in time is chance, so nothing is said of it.
func (m matrix) transaction(c errorCell, t turn) string {
	var fates []evidence.Fate
	for _, message := range c.pair(t) {
		fates = append(fates, m.fates[message.ID]...)
	}
	_, begun := m.send(c.order(t).ID)
	switch {
	case slices.Contains(fates, evidence.FateVisible):
		return "committed"
	case slices.Contains(fates, evidence.FateUndecided):
		return "open"
	case begun:
		return "aborted"
	}
	return "not begun"
}

// lives says what the producer was still good for.
func (m matrix) lives(c errorCell) string {
	switch ended := m.transaction(c, nextTurn); ended {
	case "committed":
		return "works"
	case "not begun":
		return "dead"
	default:
		return join(ended, m.told(c.who(nextTurn), ""))
	}
}

// told is the class of the error of a call, or else of the worst one of all calls in that
// part of the story.
func (m matrix) told(who, call string) string {
	worst := -1
	for _, e := range m.o.Trial.Errors {
		if e.Who != who {
			continue
		}
		if e.Call == call {
			return e.Class
		}
		worst = max(worst, slices.Index(severity(), e.Class))
	}
	if worst < 0 {
		return ""
	}
	return severity()[worst]
}

// severity is the classes of errors, the worst one last.
func severity() []string {
	return []string{"retriable", "unknown-outcome", "application", "abortable", "fatal", "fenced"}
}

// ofOffsets follows the code in the question whose offsets are stored.
const ofOffsets = ": offsets"

// whose says which transactions of a cell something is true of.
func whose(is [2]bool) string {
	switch is {
	case [2]bool{true, true}:
		return "of both"
	case [2]bool{true, false}:
		return "of the first"
	case [2]bool{false, true}:
		return "of the next"
	}
	return "of none"
}

// apart names the cells in which records are visible without their offsets being stored,
// or the other way round.
func (m matrix) apart(cells []errorCell) string {
	stored := map[string]string{}
	for _, a := range m.o.Trial.Answers {
		stored[a.Question] = a.Answer
	}
	var names []string
	for _, c := range cells {
		visible := whose([2]bool{m.transaction(c, hitTurn) == "committed", m.transaction(c, nextTurn) == "committed"})
		if stored[c.name+ofOffsets] != visible {
			names = append(names, c.name)
		}
	}
	if names == nil {
		return "nowhere"
	}
	return strings.Join(names, ", ")
}
