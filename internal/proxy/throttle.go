package proxy

import (
	"time"
)

// piecesASecond is how smoothly a throttled answer comes.
const piecesASecond = 20

// throttle slows the answers down from this one on. A later rule sets another rate.
func (c *conn) throttle(e *entry) {
	c.rate = e.hit.Rule.Rate
	c.p.record.fired(e.exchange, *e.hit)
}

// trickle writes to the client at the rate that a rule set: each piece comes when
// its last byte would have.
func (c *conn) trickle(frame []byte) error {
	piece := max(1, c.rate/piecesASecond)
	for len(frame) > 0 {
		n := min(piece, len(frame))
		if err := c.wait(time.Duration(n) * time.Second / time.Duration(c.rate)); err != nil {
			return err
		}
		if _, err := c.client.Write(frame[:n]); err != nil {
			return err
		}
		frame = frame[n:]
	}
	return nil
}
