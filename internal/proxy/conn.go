package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kcompare/internal/batch"
	"kcompare/internal/fault"
)

// Bounds on waiting for the other side while a connection is ending.
const (
	dialTimeout   = 10 * time.Second
	drainTimeout  = 5 * time.Second  // for answers to requests forwarded before a fault
	partTimeout   = 30 * time.Second // for the broker, after the client has gone
	lingerTimeout = time.Second      // for the client to hang up, after it was told
)

// conn is a client connection and the broker connection behind it. The request
// side reads the client and writes the broker, the answer side does the reverse:
//
//	client ─> requests() ─> broker
//	              │ pending
//	client <─ answers()  <─ broker
//
// When one end closes, the proxy ends its own sending towards the other one at
// once, and both sides come to an end by themselves.
type conn struct {
	p    *Proxy
	node *node
	id   int64

	client *wire
	broker *wire // set by dial, before the two sides begin

	records *batch.Parser // request side: of the batches in Produce; nil: their headers are enough

	clientID atomic.Value // string, from the first request on

	served  chan struct{}  // closed when the connection has ended
	ended   chan struct{}  // closed when the answer side has
	reading sync.WaitGroup // of answers before their turn

	mu        sync.Mutex // keeps dial and abandon apart
	abandoned bool

	decided  int // request side: requests that faults were decided for
	pending  pending
	draining string // answer side: the rule that lost an answer and ends the connection, while those behind it are read
	stalled  string // answer side: the rule that keeps answers back without an end
	rate     int    // answer side: bytes a second to the client, 0 for no limit
	deaf     bool   // answer side: the client does not take answers any more
	out      []byte // answer side: the buffer of rewritten answers

	quiet   atomic.Bool    // a fault keeps from the client that there is no broker any more
	holding bool           // request side: the end of the broker connection is left to a held request
	held    sync.WaitGroup // its delivery
}

func newConn(p *Proxy, n *node, client *net.TCPConn, id int64) *conn {
	c := &conn{p: p, node: n, id: id, client: p.clientWire(client), served: make(chan struct{}), ended: make(chan struct{})}
	if !p.opts.HeadersOnly {
		c.records = batch.NewParser()
	}
	return c
}

// abandon closes both ends; serve returns soon. For Proxy.Close.
func (c *conn) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandoned = true
	_ = c.client.Close() // whoever is at the other end is told by the close itself
	if c.broker != nil {
		_ = c.broker.Close()
	}
}

// serve runs both sides until the connection has ended.
func (c *conn) serve() {
	defer c.abandon()
	if err := c.connect(); err != nil {
		if errors.Is(err, syscall.ECONNREFUSED) {
			c.client.reset() // the nearest thing to being refused; an orderly end looks like a broker that wants TLS or a login
		}
		c.fail(err)
		return
	}
	var answers sync.WaitGroup
	answers.Go(func() {
		c.answers()
		close(c.ended)
		c.hangUp()
	})
	c.p.record.opened(c.id)
	c.requests()
	c.p.record.ended(c.id)
	if !c.holding {
		_ = c.broker.CloseWrite() // whatever was written before it still arrives
		_ = c.broker.SetReadDeadline(time.Now().Add(partTimeout))
	}
	answers.Wait()
	c.reading.Wait()
	c.held.Wait()
	for _, e := range c.pending.rest() {
		c.p.record.done(e)
	}
}

// dial is not cut short by Close: a connection that the broker accepted and that
// was given up on this side would look as if somebody had passed by the proxy.
func (c *conn) dial(addr string) error {
	broker, err := net.DialTimeout("tcp", addr, dialTimeout)
	if err != nil {
		return fmt.Errorf("connect to node %d: %w", c.node.id, err)
	}
	c.p.record.connected(broker.LocalAddr().String())
	c.mu.Lock()
	defer c.mu.Unlock()
	tcp := broker.(*net.TCPConn)
	unpaced(tcp)
	c.broker = c.p.brokerWire(tcp, addr)
	if c.abandoned {
		_ = c.broker.Close()
		return errClosed
	}
	return nil
}

// errEnded says that a side has come to an end that a fault asked for.
var errEnded = errors.New("the connection was ended by a fault")

// fail records why a connection could not go on, and says whether there was
// such a reason: that one of the ends hung up, or the proxy is being closed, is
// none.
func (c *conn) fail(err error) bool {
	if c.p.ctx.Err() != nil {
		return false
	}
	for _, usual := range []error{
		errEnded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrDeadlineExceeded,
		syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNREFUSED,
	} {
		if errors.Is(err, usual) {
			return false
		}
	}
	c.p.record.problem("a connection to node %d: %v", c.node.id, err)
	return true
}

// requests forwards until the client hangs up. After the connection stopped it
// reads on, so that the client sees an orderly end whenever it was writing: to
// close a socket that has unread input would reset it.
func (c *conn) requests() {
	from := newFrameReader(c.client, "client")
	for {
		frame, err := from.next()
		if err == nil {
			err = c.request(frame)
		}
		switch {
		case err == nil:
		case errors.Is(err, errEnded):
			_ = c.broker.Close() // which also ends the answer side
		case unreadable(err):
			return // the client gave up a write: see unreadable
		default:
			if c.fail(err) {
				_ = c.broker.Close() // nothing sensible can follow
			}
			return
		}
	}
}

// request decides what becomes of one request, and does it.
func (c *conn) request(frame []byte) error {
	r, err := c.p.readRequest(frame, c.records)
	if r == nil {
		return err
	}
	c.clientID.Store(r.client)
	if gone := c.p.gates.pass(c.p.ctx, r.client); gone != nil {
		return gone // the trace has nothing of what a dead process would not have sent
	}
	e := newEntry(r, r.exchange(c.id, c.node.id, len(frame)))
	defer c.requested(e)
	c.p.record.add(e.exchange)
	if err != nil {
		c.p.record.change(func() { e.exchange.Result = "not forwarded: " + err.Error() })
		return err
	}
	first, stopped := c.pending.push(e, func() {
		c.p.record.took(e.exchange)
		c.decide(e)
	})
	switch {
	case stopped != nil:
		c.tooLate(e, *stopped)
		return nil
	case e.forwarded():
		return c.carry(e, frame)
	}
	return c.keep(e, first, frame)
}

// requested ends what the request side has to do with a request, its second copy
// included.
func (c *conn) requested(e *entry) {
	c.p.record.done(e)
	if e.again != nil {
		c.p.record.done(e.again)
	}
}

// carry forwards a request, after what has to happen first.
func (c *conn) carry(e *entry, frame []byte) error {
	if e.action().ChangesCluster() && !c.changeCluster(e) {
		return nil
	}
	if err := c.forward(e, frame); err != nil {
		return err
	}
	if e.again != nil {
		return c.forwardAgain(e, frame)
	}
	return nil
}

// keep does not forward a request, or not yet, and sees to its turn.
func (c *conn) keep(e *entry, first bool, frame []byte) (err error) {
	switch e.action() {
	case fault.DropRequest:
		c.p.record.fired(e.exchange, *e.hit) // it is lost, whatever becomes of the connection
	case fault.HalfOpen:
		c.quiet.Store(true)
		c.p.record.fired(e.exchange, *e.hit)
	case fault.HoldRequest:
		e.held = c.p.holds.add(e) // before anybody is told, because it may be released at once
	}
	if first {
		err = c.takeTurns(e)
	} else {
		c.waitForTurn(e)
	}
	if e.held != nil {
		c.hold(e, frame)
	}
	return err
}

// tooLate accounts for a request that came when the connection had stopped. What
// a fault lost of it counts only if the client will never send it again.
func (c *conn) tooLate(e *entry, s stop) {
	c.p.record.change(func() { e.exchange.Result = "not forwarded: " + s.why })
	switch {
	case !e.noAnswer || s.rule == "":
	case e.action() == fault.DropRequest: // the record was planned to be lost, and is
		c.p.record.fired(e.exchange, *e.hit)
	default:
		c.p.record.collateralRequest(e.exchange, s.rule)
	}
}

// waitForTurn leaves an entry to the answer side. Where it ends the connection,
// the answers before it are delivered first, if they come in time; a held request
// has all the time.
func (c *conn) waitForTurn(e *entry) {
	if e.ends() && e.action() != fault.HoldRequest {
		_ = c.broker.SetReadDeadline(time.Now().Add(drainTimeout))
	}
}

func (c *conn) forward(e *entry, frame []byte) error {
	if _, err := c.broker.Write(frame); err != nil {
		return fmt.Errorf("forward a request to node %d: %w", c.node.id, err)
	}
	c.p.record.change(func() { e.exchange.Forwarded = true })
	return nil
}

// answers passes answers on until the broker hangs up, or a fault has ended the
// connection.
func (c *conn) answers() {
	next := c.arrivals()
	for {
		a := next()
		err := a.err
		if err == nil {
			err = c.answer(a.frame, a.at)
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// answer handles the broker's answer to the request whose turn it is.
func (c *conn) answer(frame []byte, at time.Duration) error {
	e, err := c.expected(frame)
	if err != nil {
		return err
	}
	a, err := c.p.readAnswer(e.request, frame)
	if err != nil {
		return err
	}
	a.at = at
	c.p.record.answered(e.exchange, len(frame), a)
	c.p.releaseHeld(e.exchange, a)
	if err := c.treat(e, a, frame); err != nil {
		return err
	}
	return c.takeTurns(c.next())
}

// next ends the turn of the head, and is the entry whose turn it is now.
func (c *conn) next() *entry {
	done, next := c.pending.pop()
	c.p.record.done(done)
	return next
}

// expected is the request that the answer belongs to.
func (c *conn) expected(frame []byte) (*entry, error) {
	correlation, err := correlationOf(frame)
	if err != nil {
		return nil, err
	}
	e := c.pending.head()
	if e == nil || e.correlation != correlation {
		return nil, fmt.Errorf("node %d answered correlation id %d out of turn", c.node.id, correlation)
	}
	return e, nil
}

// deliver gives the client an answer.
func (c *conn) deliver(e *entry, frame []byte) {
	if c.write(frame) {
		c.p.record.change(func() { e.exchange.Delivered = true })
	}
}

// write writes to the client, and says whether it took all of it. When the client
// is gone, the answers that the broker still gives are read for the trace alone.
func (c *conn) write(frame []byte) bool {
	if c.deaf {
		return false
	}
	var err error
	if c.rate > 0 {
		err = c.trickle(frame)
	} else {
		_, err = c.client.Write(frame)
	}
	c.deaf = err != nil
	return !c.deaf
}

// hangUp ends the connection after the answer side is done, unless the client is
// not to know.
func (c *conn) hangUp() {
	c.pending.stop(stop{why: "the connection to the broker had ended"})
	_ = c.broker.Close()
	if !c.quiet.Load() {
		c.endClient()
	}
}

// endClient ends the sending towards the client, and gives it a moment to hang up
// itself.
func (c *conn) endClient() {
	_ = c.client.CloseWrite()
	_ = c.client.SetReadDeadline(time.Now().Add(lingerTimeout))
}
