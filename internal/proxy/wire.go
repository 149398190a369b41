package proxy

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// handshakeTimeout bounds a TLS handshake with either side.
const handshakeTimeout = 10 * time.Second

// duplex is what *net.TCPConn and *tls.Conn have in common.
type duplex interface {
	net.Conn
	CloseWrite() error
}

// wire is one side of a connection: TCP, or TLS that ends here, so that the frames
// in it can be read. On a plaintext one nothing stands between a frame and the TCP
// connection.
type wire struct {
	duplex
	tcp *net.TCPConn
}

func plainWire(tcp *net.TCPConn) *wire { return &wire{duplex: newSocket(tcp), tcp: tcp} }

// clientWire is the side of a client that has connected.
func (p *Proxy) clientWire(tcp *net.TCPConn) *wire {
	if p.opts.ClientTLS == nil {
		return plainWire(tcp)
	}
	return &wire{duplex: tls.Server(tcp, p.opts.ClientTLS), tcp: tcp}
}

// brokerWire is the side of a broker that was connected to at addr. The name that
// its certificate has to bear is the one it was dialed by.
func (p *Proxy) brokerWire(tcp *net.TCPConn, addr string) *wire {
	if p.opts.BrokerTLS == nil {
		return plainWire(tcp)
	}
	config := p.opts.BrokerTLS
	if host, _, err := net.SplitHostPort(addr); err == nil && config.ServerName == "" {
		config = config.Clone()
		config.ServerName = host
	}
	return &wire{duplex: tls.Client(tcp, config), tcp: tcp}
}

// handshake does what TLS needs before the first frame. It ends with ctx.
func (w *wire) handshake(ctx context.Context) error {
	secured, ok := w.duplex.(*tls.Conn)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	return secured.HandshakeContext(ctx)
}

// greeted says whether the other side began a handshake with TLS of its own.
func (w *wire) greeted() bool {
	secured, ok := w.duplex.(*tls.Conn)
	return ok && secured.ConnectionState().Version != 0
}

// CloseWrite ends the sending: by TLS's own word for it where there is TLS, and in
// either case by TCP's, because a client that waits for TCP to end would wait on.
func (w *wire) CloseWrite() error {
	err := w.duplex.CloseWrite()
	if _, secured := w.duplex.(*tls.Conn); !secured {
		return err
	}
	return w.tcp.CloseWrite()
}

// Close closes the TCP connection as it stands. TLS would say goodbye first, and
// could wait for a side that reads nothing: whoever wants that calls CloseWrite.
func (w *wire) Close() error { return w.tcp.Close() }

// reset closes so that the other side gets a TCP reset.
func (w *wire) reset() {
	_ = w.tcp.SetLinger(0)
	_ = w.tcp.Close()
}
