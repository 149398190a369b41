package audit

import (
	"slices"

	"kcompare/internal/evidence"
)

// Sequence numbers that were used for two records of one producer and partition. The
// broker takes the second for a repetition of the first (KIP-98), and says that it was
// written where the first one stands. kafkajs takes its counter back when a send has
// failed, and the next record, which may be on its way already, gets the same numbers.

// numbers are those of copies that a client sent again under others: whether another
// record had them meanwhile is what the trace is asked.
type numbers map[identity]*exception

func (a *Auditor) numbersOfRenumbered() numbers {
	renumbered := 0
	for e := range a.copies.exceptions.all() {
		renumbered += min(int(e.renumberings), 2)
	}
	all := make(numbers, renumbered)
	for e := range a.copies.exceptions.all() {
		if e.renumberings > 0 {
			all[e.firstCopy().identity()] = e
		}
		if e.renumberings > 1 {
			all[e.second] = e
		}
	}
	return all
}

// usedBy notes that a request had the record under the number.
func (all numbers) usedBy(s sent, number identity) {
	if e := all[number]; e != nil && e.id() != s.id() {
		e.reused = true
	}
}

// reusedSequences finds those of the sends that went to the broker under a number under
// which a copy of another record stands in the log.
func (a *Auditor) reusedSequences(all journeys) map[int]bool {
	asked := map[producer][]int32{} // sequences
	for _, j := range all {
		for _, id := range j.numbers {
			asked[id.by()] = append(asked[id.by()], id.sequence)
		}
	}
	for _, sequences := range asked {
		slices.Sort(sequences)
	}
	holders := a.holders(asked)
	reused := map[int]bool{}
	for position, j := range all {
		reused[position] = slices.ContainsFunc(j.numbers, func(id identity) bool {
			holder, held := holders[id]
			return held && holder != position
		})
	}
	return reused
}

// holders are the positions of the sends whose copies stand under numbers that were
// asked for. Of a send with more than two copies the further ones are known as well.
func (a *Auditor) holders(asked map[producer][]int32) map[identity]int {
	all := map[identity]int{}
	if len(asked) == 0 {
		return all
	}
	for key := range a.copies.again {
		all[key.identity] = key.position
	}
	for e := range a.copies.exceptions.all() {
		if e.renumbered {
			all[e.second] = e.position()
		}
	}
	for number, in := range a.sends.instances {
		for _, t := range in.trails {
			t.holders(asked, func(id identity, ordinal int) {
				if s, known := a.sends.find(evidence.SendID{Instance: number, Ordinal: ordinal}); known {
					all[id] = s.position()
				}
			})
		}
	}
	return all
}

// producer is whose sequences count up in a partition.
type producer struct {
	id        int64
	partition int32
	epoch     int16
}

func (id identity) by() producer { return producer{id.producer, id.partition, id.epoch} }

// holders tells of the numbers that were asked for and under which a first copy stands.
func (t *trail) holders(asked map[producer][]int32, tell func(id identity, ordinal int)) {
	for i := range t.stretches {
		s := &t.stretches[i]
		by := producer{s.producer, t.number, s.epoch}
		sequences := asked[by]
		at, _ := slices.BinarySearch(sequences, s.sequence)
		for ; at < len(sequences) && sequences[at] <= sequence(s.sequence, int64(s.count()-1)); at++ {
			tell(identity{by.id, by.partition, sequences[at], by.epoch}, s.from+int(sequences[at]-s.sequence))
		}
	}
}
