package audit

import (
	"slices"

	"kcompare/internal/evidence"
)

// sends is what the client said, as runs in the order of sending. Those of
// Observed.Sends are folded into runs too, and come first, so that the position
// of such a send is its index there.
type sends struct {
	given     []evidence.Send
	runs      []run
	count     int
	instances map[int]*instance
	records   map[topicRole]*records
	claims    map[said]*claim

	last   *instance // that of the last send that was found
	lastID int
}

// said is whose a send is and what the client said of it.
type said struct {
	topic       string
	role        string
	instance    int
	outcome     evidence.Outcome
	partition   int32 // told of an acknowledged record; AnyPartition otherwise
	transaction int
	fenced      bool
}

// claim is what all runs have of which the same was said.
type claim struct {
	said
	by      *instance
	parts   *parts // of its transaction; nil where the program began none such
	records *records
}

// run is consecutive sends of which the client said the same: ordinals, numbers
// of the logical records and offsets told count up by one.
type run struct {
	*claim
	first, count    int   // positions
	ordinal, number int   // of the first
	offset          int64 // told of the first; NoOffset where none was, or where it means nothing
	resent          bool  // some of its logical records were sent more than once
}

// sent is one act of sending, the ith of a run.
type sent struct {
	*run
	i int
}

func (s sent) position() int { return s.first + s.i }

func (s sent) id() evidence.RecordID { return evidence.RecordID{Role: s.role, N: s.number + s.i} }

// told is the offset that the client told of an acknowledged record.
func (s sent) told() (int64, bool) { return s.offset + int64(s.i), s.offset != evidence.NoOffset }

func newSends(o *evidence.Observed, t transactions) *sends {
	all := &sends{
		given: o.Sends, instances: map[int]*instance{}, records: map[topicRole]*records{}, claims: map[said]*claim{},
	}
	for i := range o.Sends {
		s := &o.Sends[i]
		all.add(t, evidence.Run{
			Topic: s.Topic, Role: s.ID.Role, Number: s.ID.N, Instance: s.Send.Instance, Ordinal: s.Send.Ordinal, Count: 1,
			Outcome: s.Outcome, Partition: s.Partition, Offset: s.Offset, NoAck: s.NoAck,
			Transaction: s.Transaction, Fenced: s.Fenced,
		})
	}
	for _, r := range o.Runs {
		if r.Count > 0 {
			all.add(t, r)
		}
	}
	for i := range all.runs {
		all.index(int32(i))
	}
	all.findRepeated()
	return all
}

// add appends to the last run what follows on it. A partition and an offset have
// to be right of acknowledged records only, so those of others keep no runs
// apart.
func (all *sends) add(t transactions, r evidence.Run) {
	if r.Outcome != evidence.OutcomeAcked {
		r.Partition, r.Offset = evidence.AnyPartition, evidence.NoOffset
	}
	if r.NoAck {
		r.Offset = evidence.NoOffset
	}
	s := said{r.Topic, r.Role, r.Instance, r.Outcome, r.Partition, r.Transaction, r.Fenced}
	if n := len(all.runs); n > 0 && all.runs[n-1].said == s && all.runs[n-1].goesOn(r) {
		all.runs[n-1].count += r.Count
	} else {
		all.runs = append(all.runs, run{
			claim: all.claim(s, t), first: all.count, count: r.Count, ordinal: r.Ordinal, number: r.Number, offset: r.Offset,
		})
	}
	all.count += r.Count
	if parts := all.runs[len(all.runs)-1].parts; parts != nil {
		parts.sends += r.Count
	}
}

func (r *run) goesOn(next evidence.Run) bool {
	offset := evidence.NoOffset
	if r.offset != evidence.NoOffset {
		offset = r.offset + int64(r.count)
	}
	return next.Ordinal == r.ordinal+r.count && next.Number == r.number+r.count && next.Offset == offset
}

func (all *sends) claim(s said, t transactions) *claim {
	c := all.claims[s]
	if c == nil {
		of := topicRole{s.topic, s.role}
		if all.records[of] == nil {
			all.records[of] = &records{states: map[int]*record{}}
		}
		if all.instances[s.instance] == nil {
			all.instances[s.instance] = &instance{}
		}
		c = &claim{said: s, by: all.instances[s.instance], parts: t[s.transaction], records: all.records[of]}
		all.claims[s] = c
	}
	return c
}

// instance finds the sends of one producer by ordinal, and keeps where their
// first copies stand.
type instance struct {
	ordinals []ordinals // rising, none in two of them
	at       int        // where the last one was found
	trails   []*trail
	trail    int // where the last first copy was found
}

// ordinals are those of a run, or of a part of one.
type ordinals struct {
	span
	run int32
}

// index makes a run known by the ordinals that no run before it has: of several
// sends under one ordinal, which no honest producer leaves behind, the first one
// counts.
func (all *sends) index(i int32) {
	r := &all.runs[i]
	in := r.by
	for rest := (span{r.ordinal, r.ordinal + r.count}); rest.from < rest.to; {
		at := firstBehind(in.ordinals, rest.from)
		if at == len(in.ordinals) || in.ordinals[at].from >= rest.to {
			in.ordinals = slices.Insert(in.ordinals, at, ordinals{rest, i})
			return
		}
		taken := in.ordinals[at].span
		if rest.from < taken.from {
			in.ordinals = slices.Insert(in.ordinals, at, ordinals{span{rest.from, taken.from}, i})
		}
		rest.from = taken.to
	}
}

// find is the send with an identity. The checksum takes no part: a record whose
// checksum differs is that send, corrupted.
func (all *sends) find(id evidence.SendID) (sent, bool) {
	if all.last == nil || all.lastID != id.Instance {
		all.last, all.lastID = all.instances[id.Instance], id.Instance
	}
	in := all.last
	if in == nil {
		return sent{}, false
	}
	if in.at >= len(in.ordinals) || !in.ordinals[in.at].has(id.Ordinal) {
		in.at = firstBehind(in.ordinals, id.Ordinal)
		if in.at == len(in.ordinals) || !in.ordinals[in.at].has(id.Ordinal) {
			return sent{}, false
		}
	}
	r := &all.runs[in.ordinals[in.at].run]
	return sent{r, id.Ordinal - r.ordinal}, true
}

// name is what people know a send by. Sends in bulk have no keys.
func (all *sends) name(s sent) string {
	if p := s.position(); p < len(all.given) && all.given[p].Key != "" {
		return all.given[p].Key
	}
	return s.id().String()
}
