package proxy

import (
	"cmp"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// decide asks the fault engine about a request that is about to be forwarded.
func (c *conn) decide(e *entry) {
	c.decided++
	hit, isHit, attempts := c.p.opts.Engine.Request(e.decision(c.node.id, c.decided))
	c.p.record.change(func() {
		for i := range e.exchange.Batches {
			e.exchange.Batches[i].Attempt = attempts[i]
		}
	})
	if e.beyondKmsg() {
		e.own = frameOf(e.request, olderApiVersions())
		return
	}
	if isHit {
		c.aim(e, hit)
	}
}

// aim has the fault happen to the request, if it can.
func (c *conn) aim(e *entry, hit fault.Hit) {
	if err := c.prepare(e, hit); err != nil {
		c.p.record.problem("rule %s did not fire: %v", hit.Rule.Name, err)
		return
	}
	e.hit = &hit
}

// beyondKmsg: the one API that may be asked for in a version nobody offered.
func (r *request) beyondKmsg() bool {
	return r.key == int16(kmsg.ApiVersions) && r.message == nil
}

var (
	errNoAnswer  = errors.New("a request with acks=0 has no answer to do this to")
	errUndecoded = errors.New("the request or its answer is not decoded, so no answer can be made")
)

// needsAnswer are the actions that are done to the answer of a broker, or in its
// place.
func needsAnswer(a fault.Action) bool {
	switch a {
	case fault.DropResponse, fault.ReplaceResponse, fault.AnswerInstead, fault.FalseAck, fault.Delay, fault.Stall, fault.Throttle, fault.Truncate:
		return true
	}
	return false
}

// prepare makes sure that the fault can happen.
func (c *conn) prepare(e *entry, hit fault.Hit) error {
	switch {
	case e.noAnswer && needsAnswer(hit.Rule.Action):
		return errNoAnswer
	case hit.Rule.Action == fault.AnswerInstead:
		return c.makeAnswer(e, hit.Rule.Code)
	case hit.Rule.Action == fault.FalseAck:
		return c.makeFalseAck(e)
	case hit.Rule.Action == fault.DuplicateRequest:
		e.again = copyOf(e)
	}
	return nil
}

func (c *conn) makeAnswer(e *entry, code int16) error {
	if e.message == nil {
		return errUndecoded
	}
	resp, err := c.p.refusal(e.request, code)
	if err != nil {
		return err
	}
	e.own = frameOf(e.request, resp)
	return nil
}

// treat does to an answer of the broker what was decided: pass it on, or not.
func (c *conn) treat(e *entry, a answer, frame []byte) error {
	switch action := e.action(); {
	case e.copied:
		return nil
	case action == fault.HoldRequest:
		c.p.record.heldAnswer(e.exchange)
		return errEnded
	case action == fault.DropResponse:
		c.drop(e)
		return nil
	case action == fault.Stall && c.draining == "":
		c.stall(e)
		return nil
	case c.losing() != "":
		c.p.record.collateral(e.exchange, c.losing())
		return nil
	case action == fault.Delay:
		c.p.record.fired(e.exchange, *e.hit) // also if nobody waits for the answer any more when it comes
		if err := c.wait(a.at + e.hit.Rule.Wait - c.p.opts.Clock()); err != nil {
			return err
		}
	case action == fault.Throttle:
		c.throttle(e)
	case action == fault.ReplaceResponse && c.replace(e, a):
		return nil
	}
	if a.rewrite {
		c.out = appendFrame(c.out, frame[sizeBytes:a.body], a.message)
		frame = c.out
	}
	if e.action() == fault.Truncate && c.truncate(e, frame) {
		return nil
	}
	c.deliver(e, frame)
	return nil
}

// losing is the rule that answers are being lost to, "" if none is.
func (c *conn) losing() string { return cmp.Or(c.stalled, c.draining) }

// drop loses an answer, and with it the connection, because nothing may come in
// its place.
func (c *conn) drop(e *entry) {
	c.p.record.fired(e.exchange, *e.hit)
	c.lose(e.hit.Rule)
}

// lose ends the connection behind an answer. The broker has meanwhile got the
// requests behind it: their answers are waited for, so that each request's fate is
// known, and are lost as well.
func (c *conn) lose(rule fault.Rule) {
	if c.draining != "" {
		return // behind another one that was lost
	}
	c.draining = rule.Name
	c.quiet.Store(false)
	c.pending.stop(stoppedBy(rule))
	_ = c.broker.SetReadDeadline(time.Now().Add(drainTimeout))
}

// replace gives the client an error code although the broker did what was asked.
// It says whether it could; the answer passes as it is otherwise.
func (c *conn) replace(e *entry, a answer) bool {
	err := errUndecoded
	if a.message != nil {
		err = putCode(a.message, e.hit.Rule.Code)
	}
	if err != nil {
		c.p.record.problem("rule %s did not fire: %v", e.hit.Rule.Name, err)
		return false
	}
	c.out = appendFrame(c.out, responseHeader(e.request, a.message), a.message)
	c.p.record.fired(e.exchange, *e.hit)
	c.p.record.change(func() { e.exchange.Result += ", replaced by " + codeName(e.hit.Rule.Code) })
	c.deliver(e, c.out)
	return true
}

// wait holds up the answer side, if there is time left.
func (c *conn) wait(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.p.ctx.Done():
		return errClosed
	}
}

// takeTurns handles the entries at the head of the queue that no broker will
// answer. It returns errEnded when the connection is over.
func (c *conn) takeTurns(e *entry) error {
	for ; e != nil && !e.forwarded(); e = c.next() {
		if e.ends() {
			return c.end(e)
		}
		c.answerInstead(e)
	}
	if e == nil && c.draining != "" {
		return errEnded
	}
	return nil
}

func (c *conn) answerInstead(e *entry) {
	if c.losing() != "" {
		c.p.record.collateral(e.exchange, c.losing())
		return
	}
	if e.falseAck != nil {
		c.placeFalseAck(e)
	}
	if e.hit != nil {
		c.p.record.fired(e.exchange, *e.hit)
		c.p.record.change(func() { e.exchange.Result = codeName(e.hit.Rule.Code) })
	}
	c.deliver(e, e.own)
}

// end does in the place of an answer what ends the connection, or what the client
// sees of it.
func (c *conn) end(e *entry) error {
	switch e.action() {
	case fault.HoldRequest:
		c.endClientOfHeld()
		return nil
	case fault.ResetConnection:
		c.client.reset()
		c.p.record.fired(e.exchange, *e.hit)
	}
	c.quiet.Store(e.action() == fault.HalfOpen && c.draining == "") // behind a lost answer the connection ends
	return errEnded
}
