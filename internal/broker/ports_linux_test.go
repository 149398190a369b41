package broker

import (
	"net"
	"strconv"
	"testing"
)

// TestPortIsHeld: while a port is taken, a child can listen on it, and who asks
// for any port gets another.
func TestPortIsHeld(t *testing.T) {
	t.Parallel()
	p, err := takePort(anyPort)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a server, and the same after a restart
		l, err := net.Listen("tcp", p.addr()) // with SO_REUSEADDR, as Java does
		if err != nil {
			t.Fatalf("listen where a child would: %v", err)
		}
		l.Close()
	}
	if !bound(t, p) {
		t.Errorf("port %d can be bound by anybody", p.number)
	}
	p.release()
	// Not at once: a child that another test forks at this moment has the socket too,
	// until it execs, and the kernel may give the port to anybody.
	until(t, patience, "the port is free after its release", func() bool { return !bound(t, p) })
}

// bound says whether a socket without SO_REUSEADDR is refused, as the kernel does
// when it looks for a free port.
func bound(t *testing.T, p *port) bool {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: p.number}}
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	conn, err := dialer.Dial("tcp", target.Addr().String())
	if err != nil {
		return true
	}
	conn.Close()
	if conn.LocalAddr().String() != net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) {
		t.Errorf("dialled from %v, wanted port %d", conn.LocalAddr(), p.number)
	}
	return false
}
