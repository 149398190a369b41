package proxy

// Stall and HalfOpen: the connection stays up, and the client is told nothing. A
// stalled one still brings requests to the broker, whose answers are read for the
// trace; a half-open one has no broker behind it any more. Either lasts until the
// client hangs up, or the proxy is closed, or another fault ends the connection.

// stall keeps an answer back, and all that come after it.
func (c *conn) stall(e *entry) {
	c.p.record.fired(e.exchange, *e.hit)
	if c.stalled == "" {
		c.stalled = e.hit.Rule.Name
	}
	c.quiet.Store(true)
}
