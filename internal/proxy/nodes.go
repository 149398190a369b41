package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"syscall"
)

// node is one broker: the listener that stands for it, and where it really is.
// Its id is the key of everything, because addresses change and may even be
// shared by two listeners of one broker.
type node struct {
	id       int32
	listener *net.TCPListener
	port     int32

	upstream string  // guarded by Proxy.mu: a broker that moves keeps its listener
	rack     *string // guarded by Proxy.mu: as Metadata told it

	secured atomic.Bool // a TLS handshake with it has succeeded
}

// listenHost is the one spelling of the proxy's host. A client compares what
// different answers say of a node, and another spelling of the same address
// would make it drop the connection (kgo compares host, port and rack).
const listenHost = "127.0.0.1"

var errClosed = errors.New("the proxy is closed")

// ensureNode gives the node a listener if it has none, and notes where the
// broker is now.
func (p *Proxy) ensureNode(id int32, upstream string) (*node, error) {
	return p.ensureNodeAt(id, upstream, loopback(0))
}

// loopback is where listeners stand; port 0 is any that is free.
func loopback(port int) *net.TCPAddr { return &net.TCPAddr{IP: net.ParseIP(listenHost), Port: port} }

// ensureNodeAt says where a listener has to stand that is not there yet.
func (p *Proxy) ensureNodeAt(id int32, upstream string, at *net.TCPAddr) (*node, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := p.nodes[id]; n != nil {
		n.upstream = upstream
		return n, nil
	}
	if p.closed {
		return nil, fmt.Errorf("listen for node %d: %w", id, errClosed)
	}
	l, err := net.ListenTCP("tcp4", at)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("listen for node %d: %s is in use by another program: give another port, or 0 for a free one, with --listen", id, at)
	}
	if err != nil {
		return nil, fmt.Errorf("listen for node %d: %w", id, err)
	}
	n := &node{id: id, listener: l, port: int32(l.Addr().(*net.TCPAddr).Port), upstream: upstream}
	p.nodes[id] = n
	p.owned.Go(func() { p.accept(n) })
	return n, nil
}

// listenAddr reads Options.Listen, a free port where it is empty.
func listenAddr(listen string) (*net.TCPAddr, error) {
	host, port, err := net.SplitHostPort(cmp.Or(listen, listenHost+":0"))
	if err != nil {
		return nil, fmt.Errorf("listen on %q: expected host and port, such as %s:9092", listen, listenHost)
	}
	if host != listenHost {
		return nil, fmt.Errorf("listen on %q: expected %s, because that is where clients are told to connect, whatever they connected to first", listen, net.JoinHostPort(listenHost, port))
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: expected a port from 0 (a free one) to 65535, not %q", listen, port)
	}
	return loopback(int(number)), nil
}

// advertise is what clients are told instead of a broker's own address. The
// node has a listener when it returns, so the answer may go on.
func (p *Proxy) advertise(id int32, host string, port int32) (string, int32, error) {
	n, err := p.ensureNode(id, net.JoinHostPort(host, strconv.Itoa(int(port))))
	if err != nil {
		return "", 0, err
	}
	return listenHost, n.port, nil
}

// accept takes connections until the listener is closed.
func (p *Proxy) accept(n *node) {
	for {
		client, err := n.listener.AcceptTCP()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				p.record.problem("accept for node %d: %v", n.id, err)
			}
			return
		}
		if hit, refused := p.opts.Engine.Connection(n.id); refused {
			_ = client.Close() // the point is to be closed; how well does not matter
			p.record.refused(hit)
			continue
		}
		p.admit(n, client)
	}
}

// admit starts serving a connection, unless the proxy is being closed.
func (p *Proxy) admit(n *node, client *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = client.Close()
		return
	}
	p.opened++
	unpaced(client)
	c := newConn(p, n, client, p.opened)
	p.conns[c] = true
	p.owned.Go(func() {
		c.serve()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
		close(c.served)
	})
}

// upstreamOf is where the broker is at this moment.
func (p *Proxy) upstreamOf(n *node) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return n.upstream
}
