package audit

import (
	"iter"
	"math/bits"
	"slices"

	"kcompare/internal/evidence"
)

// exception is a send of which more has to be known than that the log has it:
// one with several copies, one whose offset or end may not be as told.
type exception struct {
	sent
	visible     bool     // a read_committed reader gets a copy
	live        bool     // a copy stands outside of aborted transactions
	inTold      bool     // a copy stands in the partition that the client told
	atTold      bool     // one stands at the offset that the client told
	abortedSeen bool     // it was counted as aborted-visible
	unnumbered  int32    // further copies without a producer id
	renumbered  bool     // a further copy has another identity than the first one
	second      identity // of the first of those

	renumberings int32 // further copies under numbers of their own
	reused       bool  // a number of an earlier copy was used for another record
}

// exceptions finds them by position. They come in heaps, as batches do, so that
// those of 64 neighbours share a page.
type exceptions struct {
	pages map[int]*page
	last  *page // the one that was asked for last, its number in at
	at    int
	count int
}

// page has a bit for each of its positions that is an exception, and these in
// order.
type page struct {
	there uint64
	list  []exception
}

// get is the exception at a position, nil if there is none. It is valid until
// the next one is added.
func (x *exceptions) get(position int) *exception {
	p := x.page(position / 64)
	bit := uint64(1) << (position % 64)
	if p == nil || p.there&bit == 0 {
		return nil
	}
	return &p.list[bits.OnesCount64(p.there&(bit-1))]
}

// add makes the send an exception, which it must not be yet.
func (x *exceptions) add(s sent) *exception {
	number := s.position() / 64
	p := x.page(number)
	if p == nil {
		p = &page{}
		x.pages[number], x.last, x.at = p, p, number
	}
	bit := uint64(1) << (s.position() % 64)
	i := bits.OnesCount64(p.there & (bit - 1))
	p.there |= bit
	if len(p.list) == cap(p.list) && i > 0 {
		p.list = slices.Grow(p.list, 7*len(p.list)) // 1, 8, 64
	}
	p.list = slices.Insert(p.list, i, exception{sent: s})
	x.count++
	return &p.list[i]
}

func (x *exceptions) page(number int) *page {
	if x.last == nil || x.at != number {
		x.last, x.at = x.pages[number], number
	}
	return x.last
}

// all yields them in no order.
func (x *exceptions) all() iter.Seq[*exception] {
	return func(yield func(*exception) bool) {
		for _, p := range x.pages {
			for i := range p.list {
				if !yield(&p.list[i]) {
					return
				}
			}
		}
	}
}

// exception makes a send of which a copy was met exceptional, and has its first
// copy in it.
func (a *Auditor) exception(s sent) *exception {
	e := a.copies.exceptions.get(s.position())
	if e == nil {
		e = a.copies.exceptions.add(s)
		f := s.firstCopy()
		e.note(f.place, f.offset, f.fate)
	}
	return e
}

// note adds a copy.
func (e *exception) note(at place, offset int64, fate evidence.Fate) {
	e.visible = e.visible || fate == evidence.FateVisible
	e.live = e.live || fate != evidence.FateAborted
	if e.topic == at.topic && e.partition == at.partition {
		told, _ := e.told()
		e.inTold = true
		e.atTold = e.atTold || told == offset
	}
}
