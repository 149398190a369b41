package audit

import (
	"math"

	"kcompare/internal/evidence"
)

// processing is the inputs of a program that reads, processes and writes, and
// what the log has of their outputs.
type processing struct {
	topics map[string]int // of the outputs, by number
	inputs map[evidence.RecordID]*input
}

// input counts what stands in the log under the identity of one input, whoever
// wrote it.
type input struct {
	valid      bool
	written    bool // a copy of an output stands in the log
	undecided  bool // ... neither visible nor aborted
	instances  bool // two instances wrote into the same topic
	sends      bool // one instance wrote twice into the same topic
	perTopic   []int64
	firstSends []evidence.SendID // behind the visible copies, by topic
}

// noOutput stands for a topic that is not among the outputs.
const noOutput = -1

func newProcessing(p *evidence.Processing) *processing {
	if p == nil {
		return nil
	}
	all := &processing{topics: map[string]int{}, inputs: map[evidence.RecordID]*input{}}
	for _, topic := range p.Outputs {
		if _, known := all.topics[topic]; !known {
			all.topics[topic] = len(all.topics)
		}
	}
	for _, in := range p.Inputs {
		all.inputs[in.ID] = &input{
			valid:    in.Valid,
			perTopic: make([]int64, len(all.topics)), firstSends: make([]evidence.SendID, len(all.topics)),
		}
	}
	return all
}

func (p *processing) output(topic string) int {
	if p == nil {
		return noOutput
	}
	if n, known := p.topics[topic]; known {
		return n
	}
	return noOutput
}

// checkOutput takes a record of an output topic. known says that its send is; a
// record that nobody sent is a phantom already.
func (w *walk) checkOutput(r *evidence.LogRecord, fate evidence.Fate, known bool) {
	if w.output == noOutput || r.Foreign {
		return
	}
	in := w.processing.inputs[r.ID]
	if known && fate == evidence.FateVisible && (in == nil || !in.valid) {
		w.found.add(evidence.Phantom, PhantomOutput, 1, 0, func() string { return w.named(r) })
	}
	if in != nil {
		in.add(w.output, r.Send, fate)
	}
}

func (in *input) add(topic int, send evidence.SendID, fate evidence.Fate) {
	in.written = true
	if fate != evidence.FateVisible {
		in.undecided = in.undecided || fate != evidence.FateAborted
		return
	}
	in.perTopic[topic]++
	if in.perTopic[topic] == 1 {
		in.firstSends[topic] = send
		return
	}
	first := in.firstSends[topic]
	in.instances = in.instances || send.Instance != first.Instance
	in.sends = in.sends || send.Ordinal != first.Ordinal
}

// settleProcessing holds the outputs against the inputs: each valid one stands
// once in every output topic. A program that did not come to its end skipped
// nothing, as far as anybody can say.
func (a *Auditor) settleProcessing() {
	if a.processing == nil {
		return
	}
	for rank, given := range a.o.Processing.Inputs {
		in := a.processing.inputs[given.ID]
		if !given.Valid {
			continue
		}
		name := func() string { return inputName(given) }
		least, most := in.copies()
		if least == 0 && a.ended() {
			a.found.add(evidence.InputSkipped, in.skippedCause(most), 1, rank, name)
		}
		if most > 1 {
			a.found.add(evidence.InputReprocessed, in.reprocessedCause(), 1, rank, name)
		}
	}
}

func (a *Auditor) ended() bool {
	return a.o.Trial.Conditions.Finished && a.o.Trial.Conditions.Error == ""
}

// copies is the least and the most that any output topic has of it.
func (in *input) copies() (least, most int64) {
	least = math.MaxInt64
	for _, n := range in.perTopic {
		least, most = min(least, n), max(most, n)
	}
	return least, most
}

func (in *input) skippedCause(most int64) string {
	switch {
	case most > 0:
		return SkippedPart
	case !in.written:
		return SkippedUnwritten
	case in.undecided:
		return SkippedUndecided
	}
	return SkippedAborted
}

func (in *input) reprocessedCause() string {
	switch {
	case in.instances:
		return ReprocessedOther
	case in.sends:
		return ReprocessedSame
	}
	return ReprocessedDoubled
}

func inputName(in evidence.Input) string {
	if in.Key != "" {
		return in.Key
	}
	return in.ID.String()
}
