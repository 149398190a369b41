package proxy

import "fmt"

// truncate gives the client the beginning of an answer, and then ends the
// connection as a lost answer does. It says whether it could: an answer that is no
// longer than that passes whole.
func (c *conn) truncate(e *entry, frame []byte) bool {
	n := e.hit.Rule.Bytes
	if n >= len(frame) {
		c.p.record.problem("rule %s did not fire: an answer to %s has %d bytes, expected more than %d", e.hit.Rule.Name, e.exchange.API, len(frame), n)
		return false
	}
	c.write(frame[:n])
	c.p.record.fired(e.exchange, *e.hit)
	c.p.record.change(func() { e.exchange.Result += fmt.Sprintf(", cut after %d of %d bytes", n, len(frame)) })
	c.lose(e.hit.Rule)
	return true
}
