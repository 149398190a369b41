package audit

import (
	"cmp"

	"kcompare/internal/evidence"
)

// transactions holds what the client said of each transaction, by number, and
// what became of its records.
type transactions map[int]*parts

// parts is the records of one transaction, and those of them that a
// read_committed reader gets.
type parts struct {
	asked          evidence.End
	said           evidence.TransactionOutcome
	noCommit       bool // the program asked to abort it, and never to commit
	fenced         bool
	sends, visible int
	held           int // committed, and behind the last stable offset
}

func newTransactions(all []evidence.Transaction) transactions {
	t := transactions{}
	for _, one := range all {
		t[one.N] = &parts{asked: one.Asked, said: one.Outcome, noCommit: one.NoCommit, fenced: one.Fenced}
	}
	return t
}

// committed is what the client said of the transaction of a send.
func (c *claim) committed() bool {
	return c.parts != nil && c.parts.said == evidence.TransactionCommitted
}

// aborted says whether nobody may see a record of the transaction of a send: the
// client said so, or cannot say, and the program never asked for anything else.
func (c *claim) aborted() bool {
	return c.parts != nil && (c.parts.said == evidence.TransactionAborted || c.parts.noCommit)
}

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
		a.about(m.first, evidence.TornTransaction, cmp.Or(a.lateCause(m.first.parts), m.cause()))
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

// abortedCause is why a record is visible that must not be.
func (a *Auditor) abortedCause(s sent) string {
	switch {
	case a.stray(s):
		return LateProduce
	case a.lateEnd(s.parts) == evidence.Commit:
		return LateCommit
	case s.parts.said == evidence.TransactionAborted:
		return AbortedCommitted
	}
	return AbortedUnasked
}

// lateCause is the cause of what a request did that was meant for an earlier
// transaction; "" where the trace shows none such.
func (a *Auditor) lateCause(p *parts) string {
	switch a.lateEnd(p) {
	case evidence.Commit:
		return LateCommit
	case evidence.Abort:
		return LateAbort
	}
	return ""
}
