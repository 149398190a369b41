package audit

import "kcompare/internal/evidence"

// transactions holds what the client said of each transaction, by number, and
// what became of its records.
type transactions map[int]*parts

// parts is the records of one transaction, and those of them that a
// read_committed reader gets.
type parts struct {
	asked          evidence.End
	said           evidence.TransactionOutcome
	fenced         bool
	sends, visible int
	held           int // committed, and behind the last stable offset
}

func newTransactions(all []evidence.Transaction) transactions {
	t := transactions{}
	for _, one := range all {
		t[one.N] = &parts{asked: one.Asked, said: one.Outcome, fenced: one.Fenced}
	}
	return t
}

// committed and aborted are what the client said of the transaction of a send.
func (c *claim) committed() bool {
	return c.parts != nil && c.parts.said == evidence.TransactionCommitted
}
func (c *claim) aborted() bool { return c.parts != nil && c.parts.said == evidence.TransactionAborted }

// becameVisible is called once for each send of which a read_committed reader
// gets a copy.
func (a *Auditor) becameVisible(s sent) {
	if s.parts != nil {
		s.parts.visible++
	}
	switch {
	case s.fenced:
		a.about(s, evidence.FencedWriteVisible, FencedLate)
	case s.parts != nil && s.parts.fenced:
		a.about(s, evidence.FencedWriteVisible, FencedOpen)
	}
}

// torn: what is held back is a stuck reader's, and whole when that is over.
func (p *parts) torn() bool { return 0 < p.visible && p.visible+p.held < p.sends }

// missing is the sends of a torn transaction that nobody sees.
type missing struct {
	first sent
	said  map[evidence.Outcome]bool // what the client said of them
}

// settleTorn names the transactions of which a part is visible and a part is
// not, whatever the client said of them.
func (a *Auditor) settleTorn() {
	torn := map[*parts]*missing{}
	for i := range a.sends.runs {
		r := &a.sends.runs[i]
		if r.parts == nil || !r.parts.torn() {
			continue
		}
		for n := range r.count {
			if s := (sent{r, n}); !a.visible(s) {
				miss(torn, s)
			}
		}
	}
	for _, m := range torn {
		a.about(m.first, evidence.TornTransaction, m.cause())
	}
}

func miss(torn map[*parts]*missing, s sent) {
	m := torn[s.parts]
	if m == nil {
		m = &missing{first: s, said: map[evidence.Outcome]bool{}}
		torn[s.parts] = m
	}
	m.said[s.outcome] = true
}

// visible says whether a read_committed reader gets a copy of a send.
func (a *Auditor) visible(s sent) bool {
	if e := a.copies.exceptions.get(s.position()); e != nil {
		return e.visible
	}
	return a.copies.has(s.position()) && s.firstCopy().fate == evidence.FateVisible
}

// cause puts forward what weighs most: a client that said acknowledged.
func (m *missing) cause() string {
	switch {
	case m.said[evidence.OutcomeAcked]:
		return TornAcked
	case m.said[evidence.OutcomeFailed]:
		return TornFailed
	}
	return TornUnknown
}
