package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// What the batches of several sessions say about producer ids and epochs.

// producerSession is what one producer instance had.
type producerSession struct {
	instance    int
	id          int64
	first, last int16 // epochs
}

// sessionsOf are those that wrote anything, in their order.
func sessionsOf(t evidence.Trace) []producerSession {
	var all []producerSession
	for _, e := range t.Exchanges {
		for _, b := range e.Batches {
			for _, send := range b.Sends {
				i := slices.IndexFunc(all, func(s producerSession) bool { return s.instance == send.Instance })
				if i < 0 {
					all = append(all, producerSession{send.Instance, b.ProducerID, b.ProducerEpoch, b.ProducerEpoch})
					continue
				}
				all[i].first, all[i].last = min(all[i].first, b.ProducerEpoch), max(all[i].last, b.ProducerEpoch)
			}
		}
	}
	slices.SortFunc(all, func(a, b producerSession) int { return cmp.Compare(a.instance, b.instance) })
	return all
}

// sessionAnswers compare each session with the one before it. Where the id is a new one
// its epoch is told, and where it is the same how the epoch goes on.
func sessionAnswers(o *evidence.Observed, id, epoch string) []evidence.Answer {
	all := sessionsOf(o.Trace)
	ids := evidence.Answer{Question: "a new session has", Expected: id}
	epochs := evidence.Answer{Question: "its epoch", Expected: epoch}
	grows := ""
	for i, s := range all {
		if i == 0 {
			continue
		}
		before := all[i-1]
		switch same := s.id == before.id; {
		case !same:
			ids.Answer = joinedWord(ids.Answer, "a new producer id")
			epochs.Answer = joinedWord(epochs.Answer, fmt.Sprint(s.first))
			grows = joinedWord(grows, map[bool]string{true: "is higher", false: "is lower"}[s.id > before.id])
		default:
			ids.Answer = joinedWord(ids.Answer, "the same producer id")
			epochs.Answer = joinedWord(epochs.Answer, map[bool]string{true: "grows", false: "does not grow"}[s.first > before.last])
		}
	}
	answers := []evidence.Answer{ids, epochs}
	if grows != "" { // brokers hand out blocks of ids, so that it says little where there are several
		answers = append(answers, measured("its producer id", grows))
	}
	return answers
}

// What two copies of a payment differ in.
const (
	sameProducer  = "sequence"
	otherProducer = "producer id"
)

// copiesDifferIn says what tells the copies of a payment in the log apart: the first
// thing that differs of producer id, epoch and sequence.
func copiesDifferIn(o *evidence.Observed, expected string) evidence.Answer {
	copies := map[evidence.RecordID][]evidence.Batch{}
	a := evidence.Answer{Question: "copies of a payment differ in", Expected: expected}
	for _, p := range o.Log.Partitions {
		for _, b := range p.Batches {
			for i, r := range b.Records {
				own := b
				own.BaseSequence += int32(i)
				for _, before := range copies[r.ID] {
					a.Answer = joinedWord(a.Answer, copyDifference(before, own))
				}
				copies[r.ID] = append(copies[r.ID], own)
			}
		}
	}
	if a.Answer == "" {
		a.Answer = "there are none"
	}
	return a
}

func copyDifference(a, b evidence.Batch) string {
	switch {
	case a.ProducerID != b.ProducerID:
		return otherProducer
	case a.ProducerEpoch != b.ProducerEpoch:
		return "epoch"
	case a.BaseSequence != b.BaseSequence:
		return sameProducer
	}
	return "nothing"
}
