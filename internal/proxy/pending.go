package proxy

import (
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// pending is the requests of a connection that still wait for their turn to be
// answered, oldest first. Kafka answers in the order of requests, and clients
// insist on it (kgo drops the connection, Java throws), so what the proxy
// answers or does itself waits its turn in the same queue.
//
// An entry leaves the queue when it is done with, not before. That is what makes
// it clear who handles an entry that no broker will answer: the request side if
// the queue was empty when it came, and otherwise the answer side, right after
// the entry before it.
type pending struct {
	mu      sync.Mutex
	queue   []*entry
	stopped *stop // nil while requests are forwarded
}

// stop is why no request of a connection is forwarded any more.
type stop struct {
	rule string // the fault rule that ended the connection; empty where it ended by itself
	why  string
}

func stoppedBy(r fault.Rule) stop {
	if r.Action == fault.HalfOpen {
		return stop{rule: r.Name, why: "the connection is half open by rule " + r.Name}
	}
	return stop{rule: r.Name, why: "the connection ends by rule " + r.Name}
}

// entry is one request in the queue.
type entry struct {
	*request
	exchange *evidence.Exchange
	hit      *fault.Hit            // nil: no fault
	own      []byte                // AnswerInstead: the answer, made before anything is sent
	falseAck *kmsg.ProduceResponse // FalseAck: the answer in own, whose offsets are chosen when its turn comes
	again    *entry                // DuplicateRequest: the second time, next in the queue
	copied   bool                  // this is such a second time
	held     *held                 // HoldRequest: until when

	sides atomic.Int32 // that are not done with it: see recorder.done
}

// newEntry is for the request side, which is not done with it.
func newEntry(r *request, exchange *evidence.Exchange) *entry {
	e := &entry{request: r, exchange: exchange}
	e.sides.Store(1)
	return e
}

// action is what is to be done to the entry, "" for nothing.
func (e *entry) action() fault.Action {
	if e.hit == nil {
		return ""
	}
	return e.hit.Rule.Action
}

// forwarded says whether the broker gets to see the request.
func (e *entry) forwarded() bool { return e.own == nil && !e.ends() }

// ends says whether nothing is forwarded from this request on, and the connection
// ends, or falls silent, in the place of its answer.
func (e *entry) ends() bool {
	switch e.action() {
	case fault.DropRequest, fault.ResetConnection, fault.HalfOpen, fault.HoldRequest:
		return true
	}
	return false
}

// queued says whether the entry has a turn: everything that is answered or ends
// the connection.
func (e *entry) queued() bool { return !e.noAnswer || e.ends() }

// push lets decide set up the entry and queues it, unless the connection
// stopped: then nothing is queued, and as a rule nothing decided, so that no
// attempt is counted for a request that nobody sees and the client sends again.
// One without an answer is never sent again, so a fault that stopped the
// connection has lost it for good, and that was its attempt. first says that the
// queue was empty.
func (p *pending) push(e *entry, decide func()) (first bool, stopped *stop) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped != nil {
		if e.noAnswer && p.stopped.rule != "" {
			decide()
		}
		return false, p.stopped
	}
	decide()
	if e.ends() {
		s := stoppedBy(e.hit.Rule)
		p.stopped = &s
	}
	first = len(p.queue) == 0
	if e.queued() {
		p.add(e)
		if e.again != nil {
			p.add(e.again)
		}
	}
	return first, nil
}

func (p *pending) add(e *entry) {
	e.sides.Add(1)
	p.queue = append(p.queue, e)
}

// stop makes sure that no further request is forwarded. The first reason stays, but
// that the broker had ended the connection gives way to the rule that was behind it.
func (p *pending) stop(s stop) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped == nil || p.stopped.rule == "" {
		p.stopped = &s
	}
}

// head is the entry whose turn it is, nil if there is none.
func (p *pending) head() *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		return nil
	}
	return p.queue[0]
}

// pop ends the turn of the head. next is the entry whose turn it is now.
func (p *pending) pop() (done, next *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done = p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	if len(p.queue) > 0 {
		next = p.queue[0]
	}
	return done, next
}

// rest empties the queue of a connection that has ended.
func (p *pending) rest() []*entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := p.queue
	p.queue = nil
	return rest
}
