package audit

import (
	"slices"

	"kcompare/internal/evidence"
)

// copies is what was met of the sends in the log: a bit for each send, trails
// of the first copies (see instance), and what is out of the ordinary.
type copies struct {
	seen       []uint64 // a bit for each send, by position
	exceptions exceptions
	again      map[copyOf]bool // third and further copies of one send, by identity
	origins    map[origin]*origin
}

func newCopies(sends int) copies {
	return copies{
		seen:       make([]uint64, (sends+63)/64),
		exceptions: exceptions{pages: map[int]*page{}}, again: map[copyOf]bool{}, origins: map[origin]*origin{},
	}
}

func (c *copies) has(position int) bool { return c.seen[position/64]>>(position%64)&1 != 0 }

func (c *copies) set(position int) { c.seen[position/64] |= 1 << (position % 64) }

// allSeen says so of the 64 sends from a position that 64 divides.
func (c *copies) allSeen(position int) bool { return c.seen[position/64] == ^uint64(0) }

// identity is what the broker knows a record by when it looks for repetitions:
// partition, producer id, epoch and sequence (KIP-98).
type identity struct {
	producer  int64
	partition int32 // number of a place, see wire.place
	sequence  int32
	epoch     int16
}

type copyOf struct {
	position int
	identity
}

// origin is what the records of a batch have in common.
type origin struct {
	producer int64
	epoch    int16
	fate     evidence.Fate
}

func (c *copies) origin(b *evidence.Batch, fate evidence.Fate) *origin {
	key := origin{b.ProducerID, b.ProducerEpoch, fate}
	o := c.origins[key]
	if o == nil {
		o = &key
		c.origins[key] = o
	}
	return o
}

// trail is the first copies of the sends of one instance in one partition, as
// stretches of the log, ordinals rising.
type trail struct {
	place
	number    int32 // of the place
	stretches []stretch
	at        int // the one that was touched last
}

// stretch is first copies of consecutive sends, by ordinal, that stand one
// behind the other under consecutive sequences.
type stretch struct {
	*origin
	span
	offset   int64
	sequence int32 // negative and the same for all without a producer id
}

// first is the first copy of a send.
type first struct {
	*trail
	*origin
	offset   int64
	sequence int32
}

func (f first) identity() identity {
	return identity{producer: f.producer, partition: f.number, sequence: f.sequence, epoch: f.epoch}
}

// follows says whether a copy goes on where a stretch ends. A sequence that wraps
// to 0 begins another one.
func (s *stretch) follows(o *origin, ordinal int, offset int64, sequence int32) bool {
	next := int64(s.sequence)
	if s.sequence >= 0 {
		next += int64(s.count())
	}
	return s.origin == o && s.to == ordinal && s.offset+int64(s.count()) == offset && next == int64(sequence)
}

// add notes a first copy, which mostly goes on where the last one was.
func (t *trail) add(o *origin, ordinal int, offset int64, sequence int32) {
	if t.at < len(t.stretches) && t.stretches[t.at].follows(o, ordinal, offset, sequence) {
		t.stretches[t.at].to++
		return
	}
	t.at = firstBehind(t.stretches, ordinal)
	t.stretches = slices.Insert(t.stretches, t.at, stretch{o, span{ordinal, ordinal + 1}, offset, sequence})
}

// find is the stretch with the first copy of a send, nil if it is not here.
func (t *trail) find(ordinal int) *stretch {
	if t.at >= len(t.stretches) || !t.stretches[t.at].has(ordinal) {
		t.at = firstBehind(t.stretches, ordinal)
	}
	if t.at == len(t.stretches) || !t.stretches[t.at].has(ordinal) {
		return nil
	}
	return &t.stretches[t.at]
}

// first finds the first copy of a send that was met. The next one that is asked
// for mostly stands in the same partition.
func (in *instance) first(ordinal int) first {
	for range in.trails {
		t := in.trails[in.trail]
		if s := t.find(ordinal); s != nil {
			i := int64(ordinal - s.from)
			return first{t, s.origin, s.offset + i, sequence(s.sequence, i)}
		}
		in.trail = (in.trail + 1) % len(in.trails)
	}
	panic("audit: a send that was met has no first copy")
}

// firstCopy is the first copy of a send that was met.
func (s sent) firstCopy() first { return s.by.first(s.ordinal + s.i) }
