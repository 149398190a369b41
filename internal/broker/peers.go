package broker

import (
	"net"
	"slices"
	"sync"
)

// peers remembers addresses in the order in which they came. The zero value is
// ready; methods may be called concurrently.
type peers struct {
	mu    sync.Mutex
	addrs []string
}

func (p *peers) add(a net.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addrs = append(p.addrs, a.String())
}

func (p *peers) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.addrs)
}

// listen is net.Listen that remembers who connects.
func (p *peers) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	return &watchedListener{Listener: l, seen: p}, nil
}

// watchedListener notes the remote address of every connection before the
// broker reads from it.
type watchedListener struct {
	net.Listener
	seen *peers
}

// Accept waits for the next connection.
func (l *watchedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.seen.add(conn.RemoteAddr())
	}
	return conn, err
}
