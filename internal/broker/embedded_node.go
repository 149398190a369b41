package broker

import (
	"net"
	"sync"
)

// embeddedNode is what kfake listens on for one node. Through it a node can crash,
// stand still and come back on another port, while kfake itself goes on and keeps
// what a disk would have kept:
//
//	client ── TCP ──> inner listener ──> embeddedConn, its gate ──> kfake
type embeddedNode struct {
	seen  *peers
	ended <-chan struct{} // closed when the cluster begins to end, which ends pauses too

	mu     sync.Mutex
	inner  net.Listener           // nil while the node is down
	addr   net.Addr               // of inner, the last one while there is none
	conns  map[*embeddedConn]bool // that are open
	gate   *gate                  // for conns; a new one for each life of the node
	up     chan struct{}          // closed while there is an inner listener
	closed chan struct{}          // closed for good by Close
}

// newEmbeddedNode is a node that runs.
func newEmbeddedNode(l net.Listener, seen *peers, ended <-chan struct{}) *embeddedNode {
	n := &embeddedNode{
		seen: seen, ended: ended, inner: l, addr: l.Addr(), conns: map[*embeddedConn]bool{},
		gate: newGate(), up: make(chan struct{}), closed: make(chan struct{}),
	}
	close(n.up)
	return n
}

// Addr is where the node listens, or last did. kfake asks for it each time it tells
// a client.
func (n *embeddedNode) Addr() net.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.addr
}

// Accept waits for the next connection, over all lives of the node.
func (n *embeddedNode) Accept() (net.Conn, error) {
	for {
		inner, up := n.listener()
		if inner == nil {
			select {
			case <-up:
				continue
			case <-n.closed:
				return nil, net.ErrClosed
			}
		}
		conn, err := inner.Accept()
		if err == nil {
			if c := n.admit(inner, conn); c != nil {
				return c, nil
			}
		} else if n.has(inner) { // not because the node went down
			return nil, err
		}
	}
}

func (n *embeddedNode) listener() (net.Listener, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.inner, n.up
}

func (n *embeddedNode) has(inner net.Listener) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.inner == inner
}

// admit makes a connection one of the node's, unless the node went down since the
// listener took it.
func (n *embeddedNode) admit(inner net.Listener, conn net.Conn) *embeddedConn {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen.add(conn.RemoteAddr().String())
	if n.inner != inner {
		_ = conn.Close() // it would have been reset by the crash
		return nil
	}
	c := &embeddedConn{Conn: conn, node: n, gate: n.gate, closed: make(chan struct{})}
	n.conns[c] = true
	return c
}

// down closes the listener and every connection, as the end of a process does.
func (n *embeddedNode) down() {
	n.mu.Lock()
	inner, conns := n.inner, n.conns
	n.conns = map[*embeddedConn]bool{}
	if inner != nil {
		n.inner, n.up, n.gate = nil, make(chan struct{}), newGate()
	}
	n.mu.Unlock()
	if inner != nil {
		_ = inner.Close() // it was only listening
	}
	for c := range conns {
		_ = c.Close() // nobody is told of an error by a crash
	}
}

// start listens again, on a free port.
func (n *embeddedNode) start() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inner, n.addr = l, l.Addr()
	close(n.up)
	return nil
}

// running says whether the node is up.
func (n *embeddedNode) running() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.inner != nil
}

// pauses is what stops this life of the node.
func (n *embeddedNode) pauses() *standstill {
	n.mu.Lock()
	defer n.mu.Unlock()
	return &n.gate.standstill
}

// Close ends the listener for good, on behalf of kfake, which closes connections
// itself.
func (n *embeddedNode) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.closed:
		return nil
	default:
		close(n.closed)
	}
	if n.inner == nil {
		return nil
	}
	return n.inner.Close()
}

// embeddedConn is a connection to a node.
type embeddedConn struct {
	net.Conn
	node   *embeddedNode
	gate   *gate
	once   sync.Once
	closed chan struct{}
}

// Read waits at the gate with what it has read: bytes that arrive at a process that
// stands still stay in the kernel, and its kfake is already waiting for them.
func (c *embeddedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		return n, err
	}
	return n, c.pass()
}

// Write waits at the gate before it writes.
func (c *embeddedConn) Write(b []byte) (int, error) {
	if err := c.pass(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// pass waits until the node goes on. An error means that it never will, with this
// connection; what was read must not be carried out then.
func (c *embeddedConn) pass() error {
	select {
	case <-c.closed:
		return net.ErrClosed
	case <-c.gate.passable():
	}
	select {
	case <-c.closed:
		return net.ErrClosed
	case <-c.node.ended: // a pause that ends with its cluster lets nobody through
		return net.ErrClosed
	default:
		return nil
	}
}

// Close closes the connection, once.
func (c *embeddedConn) Close() error {
	err := net.ErrClosed
	c.once.Do(func() {
		close(c.closed)
		err = c.Conn.Close()
		c.node.forget(c)
	})
	return err
}

func (n *embeddedNode) forget(c *embeddedConn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, c)
}
