package proxy

import (
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// decide asks the fault engine about a request that is about to be forwarded.
func (c *conn) decide(e *entry) {
	hit, isHit, attempts := c.p.opts.Engine.Request(e.decision(c.node.id))
	c.p.record.change(func() {
		for i := range e.exchange.Batches {
			e.exchange.Batches[i].Attempt = attempts[i]
		}
	})
	if e.beyondKmsg() {
		e.own = frameOf(e.request, olderApiVersions())
		return
	}
	if !isHit {
		return
	}
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

// prepare makes sure that the fault can happen.
func (c *conn) prepare(e *entry, hit fault.Hit) error {
	if hit.Rule.Action == fault.DropRequest || hit.Rule.Action == fault.ResetConnection {
		return nil
	}
	switch {
	case e.noAnswer:
		return errNoAnswer
	case hit.Rule.Action == fault.AnswerInstead:
		return c.makeAnswer(e, hit.Rule.Code)
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
	switch {
	case e.action() == fault.DropResponse:
		c.drop(e)
		return nil
	case c.draining != "":
		c.p.record.collateral(e.exchange, c.draining)
		return nil
	case e.action() == fault.Delay:
		if err := c.wait(e.hit.Rule.Wait); err != nil {
			return err
		}
		c.p.record.fired(e.exchange, *e.hit)
	case e.action() == fault.ReplaceResponse && c.replace(e, a):
		return nil
	}
	if a.rewrite {
		c.out = appendFrame(c.out, frame[sizeBytes:a.body], a.message)
		frame = c.out
	}
	c.deliver(e, frame)
	return nil
}

// drop loses an answer, and with it the connection, because nothing may come in
// its place. The broker has meanwhile got the requests behind it: their answers
// are waited for, so that each request's fate is known, and are lost as well.
func (c *conn) drop(e *entry) {
	c.p.record.fired(e.exchange, *e.hit)
	if c.draining != "" {
		return // behind another dropped one: it was lost as planned
	}
	c.draining = e.hit.Rule.Name
	c.pending.stop(stoppedBy(c.draining))
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

// wait holds up the answer side.
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
	for ; e != nil && !e.forwarded(); e = c.pending.pop() {
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
	if c.draining != "" {
		c.p.record.collateral(e.exchange, c.draining)
		return
	}
	if e.hit != nil {
		c.p.record.fired(e.exchange, *e.hit)
		c.p.record.change(func() { e.exchange.Result = codeName(e.hit.Rule.Code) })
	}
	c.deliver(e, e.own)
}

// end ends the connection in the place of an answer.
func (c *conn) end(e *entry) error {
	if e.action() == fault.ResetConnection {
		_ = c.client.SetLinger(0) // close then sends a reset
		_ = c.client.Close()
		c.p.record.fired(e.exchange, *e.hit)
	}
	return errEnded
}
