package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// libraryBatches looks at the headers that the library writes: payments that are handed
// over in waves, so that batches have several of them, while first answers get lost.
func libraryBatches() Variant {
	return Variant{
		Name: "batch=library", Kind: evidence.Promise,
		Claim: "the library counts records from 0 in each partition, sends a batch again under its number, and is told the first offset",
		Needs: drivers.Abilities{Idempotence: true},
		// A linger, so that records share batches.
		Settings: map[string]string{"acks": "all", "enable.idempotence": "true", "linger.ms": "20"},
		Checks: []evidence.Check{
			check(evidence.LogRecords, "==", evidence.Intended),
			check(evidence.Unique, "==", evidence.Intended),
		},
		Requires: []evidence.Check{check(evidence.Acked, "==", evidence.Intended)},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, handed over %d at a time; for %g %% of them the first answer to Produce gets lost after the broker has written.",
				plural(inWaves(p).Messages, "payment"), waveOf(p), p.DropRate*100)
		},
		Plan:     func(p Parameters) fault.Plan { return loseAnswers(p, concurrent) },
		Records:  func(p Parameters, place partition.Func) []fault.Record { return paymentRecords(inWaves(p), place) },
		Run:      sendInWaves,
		Conclude: countedBatches,
	}
}

// batchWaves make several batches for each partition, of several records each.
const batchWaves = 8

// waveOf is how many payments are handed over at once.
func waveOf(p Parameters) int { return inWaves(p).share(batchWaves) }

// inWaves has at least three for each wave.
func inWaves(p Parameters) Parameters {
	p.Messages = max(3*batchWaves, p.Messages)
	return p
}

func sendInWaves(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	all, size := inWaves(s.Parameters).Messages, waveOf(s.Parameters)
	for from := 0; from < all; from += size {
		if err := p.pay(ctx, from, min(from+size, all)); err != nil {
			return err
		}
	}
	return nil
}

// countedBatches answers from the trace, which has each batch as often as it was sent.
func countedBatches(o *evidence.Observed) []evidence.Answer {
	w := headersOf(o.Trace)
	return []evidence.Answer{
		{Question: "first sequence in a partition", Answer: w.first, Expected: "0"},
		{Question: "next sequence", Answer: w.next, Expected: "last + records"},
		{Question: "a batch sent again has", Answer: w.again, Expected: "the same number"},
		{Question: "and is answered", Answer: w.told, Expected: "ok, first offset"},
		{Question: "epoch", Answer: w.epoch},
		measured("records in the largest batch", fmt.Sprint(w.largest)),
	}
}

// batchHeaders is what the headers of a session have in common; "" of what did not occur.
type batchHeaders struct {
	first, next, again, told, epoch string
	largest                         int32
}

// tracePlace is a partition of a trace.
type tracePlace struct {
	topic     string
	partition int32
}

func placeOf(b evidence.TraceBatch) tracePlace { return tracePlace{b.Topic, b.Partition} }

func headersOf(t evidence.Trace) batchHeaders {
	var w batchHeaders
	fresh := map[tracePlace][]evidence.TraceBatch{}
	known := map[evidence.SendID]evidence.TraceBatch{} // by the first record
	for _, e := range t.Exchanges {
		for _, b := range e.Batches {
			if !e.Forwarded || len(b.Sends) == 0 {
				continue
			}
			before, repeated := known[b.Sends[0]]
			if repeated {
				w.repeated(before, b)
				continue
			}
			known[b.Sends[0]] = b
			fresh[placeOf(b)] = append(fresh[placeOf(b)], b)
			w.epoch = joinedWord(w.epoch, fmt.Sprint(b.ProducerEpoch))
			w.largest = max(w.largest, b.Records)
		}
	}
	for _, batches := range fresh {
		w.count(batches)
	}
	return w
}

// repeated compares a batch with the time that it was sent first. A repetition that was
// never answered says nothing of answers.
func (w *batchHeaders) repeated(first, again evidence.TraceBatch) {
	same := "the same number"
	if first.ProducerID != again.ProducerID || first.ProducerEpoch != again.ProducerEpoch || first.BaseSequence != again.BaseSequence {
		same = "another number"
	}
	w.again = joinedWord(w.again, same)
	if first.Code == "" || again.Code == "" {
		return
	}
	told := again.Code
	if told == first.Code {
		told += map[bool]string{true: ", first offset", false: ", another offset"}[first.BaseOffset == again.BaseOffset]
	}
	w.told = joinedWord(w.told, told)
}

// count looks at the batches of one partition, in the order of their numbers: several
// requests may be under way, and the trace has them as they came.
func (w *batchHeaders) count(batches []evidence.TraceBatch) {
	slices.SortFunc(batches, func(a, b evidence.TraceBatch) int { return cmp.Compare(a.BaseSequence, b.BaseSequence) })
	w.first = joinedWord(w.first, fmt.Sprint(batches[0].BaseSequence))
	for i, b := range batches[1:] {
		next := "last + records"
		if before := batches[i]; b.BaseSequence != before.BaseSequence+before.Records {
			next = fmt.Sprintf("%d after %d with %d", b.BaseSequence, before.BaseSequence, before.Records)
		}
		w.next = joinedWord(w.next, next)
	}
}
