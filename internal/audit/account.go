package audit

import "kcompare/internal/evidence"

// account is what the client said, send by send, and what became of each.
type account struct {
	sends  []evidence.Send
	states []sendState
	byID   index[int] // instance, ordinal

	// Only what is out of the ordinary is kept here.
	again  map[copyOf]bool   // further copies of one send
	sentBy map[senderOf]bool // who has copies of a logical record that was sent more than once
}

// sendState is what is known of one send, found by its position.
type sendState struct {
	first   identity // of its first copy in the log
	logical int32    // position of the first send of the same logical record
	way     way      // how far the wire carried it
	present bool     // a copy stands in the log
	inTold  bool     // one stands in the partition that the client told
	atTold  bool     // one stands at the offset that the client told

	answeredAt int64 // microseconds, when an answer without an error was passed on; 0 if none was
	needless   int32 // requests with it that the broker got after that

	// Known for the first send of a logical record.
	resent bool // it was sent more than once
	met    bool // it stands in the log, whichever send brought it
	lost   bool // it was counted as lost
}

// identity is what the broker knows a record by when it looks for repetitions:
// partition, producer id, epoch and sequence (KIP-98).
type identity struct {
	producer  int64
	partition int32 // number of a place, see wire.place
	sequence  int32
	epoch     int16
}

type copyOf struct {
	send int32
	identity
}

type senderOf struct {
	logical  int32
	instance int
}

func newAccount(sends []evidence.Send) account {
	c := account{
		sends: sends, states: make([]sendState, len(sends)),
		again: map[copyOf]bool{}, sentBy: map[senderOf]bool{},
	}
	c.byID = newIndex(len(sends),
		func(at int32) int { return sends[at].Send.Instance },
		func(at int32) int { return sends[at].Send.Ordinal })
	records := newIndex(len(sends),
		func(at int32) string { return sends[at].ID.Role },
		func(at int32) int { return sends[at].ID.N })
	for i := range sends {
		first, _ := records.find(sends[i].ID.Role, sends[i].ID.N)
		c.states[i].logical = first
		if int(first) != i {
			c.states[first].resent = true
		}
	}
	return c
}

// find is the position of a send. The checksum takes no part: a record whose
// checksum differs is that send, corrupted.
func (c *account) find(id evidence.SendID) (int32, bool) {
	return c.byID.find(id.Instance, id.Ordinal)
}

// name is what people know a send by.
func (c *account) name(send int32) string {
	if key := c.sends[send].Key; key != "" {
		return key
	}
	return c.sends[send].ID.String()
}

// meet notes a copy of a send in the log. It says whether it is the first copy
// of this send, and why it is a duplicate of its logical record, if it is one.
func (c *account) meet(send int32, id identity) (firstCopy bool, duplicate string) {
	state := &c.states[send]
	record := &c.states[state.logical]
	switch {
	case state.present:
		duplicate = c.copied(send, id)
	case record.met:
		duplicate = c.sentAgain(send)
	}
	firstCopy = !state.present
	if firstCopy {
		state.present, state.first = true, id
	}
	if record.resent {
		c.sentBy[c.sender(send)] = true
	}
	record.met = true
	return firstCopy, duplicate
}

// copied is the cause of a further copy of one act of sending.
func (c *account) copied(send int32, id identity) string {
	if id.producer < 0 {
		return c.copiedWithoutProducer(&c.states[send])
	}
	key := copyOf{send, id}
	if c.states[send].first == id || c.again[key] {
		return DuplicateBroker
	}
	c.again[key] = true
	return DuplicateRenumbered
}

// copiedWithoutProducer tells a retry that nobody can avoid from one after the
// answer. Which of the copies came by which request is not known without a
// sequence, so as many copies as there were needless requests are put down to
// them.
func (c *account) copiedWithoutProducer(s *sendState) string {
	if s.needless == 0 {
		return DuplicateNoProducer
	}
	s.needless--
	return DuplicateAnswered
}

// sentAgain is the cause of a copy that another act of sending brought.
func (c *account) sentAgain(send int32) string {
	if c.sentBy[c.sender(send)] {
		return DuplicateApplication
	}
	return DuplicateSession
}

func (c *account) sender(send int32) senderOf {
	return senderOf{c.states[send].logical, c.sends[send].Send.Instance}
}
