package proxy

import "fmt"

// DuplicateRequest: the frame is written twice. The second time is an exchange of
// its own in the trace, because a broker got it and the log may hold its records;
// it counts as no request of the client. Its answer goes nowhere.

// copyOf is the second time of a request.
func copyOf(e *entry) *entry {
	second := snapshot(e.exchange)
	again := newEntry(e.request, &second)
	again.copied = true
	return again
}

// forwardAgain forwards the second copy. The fault has happened then.
func (c *conn) forwardAgain(e *entry, frame []byte) error {
	second := e.again
	second.exchange.Fault = string(e.action())
	second.exchange.Result = fmt.Sprintf("copy of request %d", e.exchange.N)
	c.p.record.add(second.exchange)
	if err := c.forward(second, frame); err != nil {
		return err
	}
	c.p.record.fired(e.exchange, *e.hit)
	return nil
}
