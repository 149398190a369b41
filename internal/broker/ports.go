package broker

import (
	"fmt"
	"net"
	"strconv"
)

// port is a TCP port of 127.0.0.1 that a child will listen on.
type port struct {
	number int
	free   func()
}

// anyPort asks for one that is free.
const anyPort = 0

func (p *port) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) }

// release gives the port back. One that was never taken may be nil.
func (p *port) release() {
	if p != nil {
		p.free()
	}
}

// takePort takes this port, or finds a free one. On Linux it stays ours until
// release, also while no child listens on it.
func takePort(wanted int) (*port, error) {
	number, free, err := holdPort(wanted)
	switch {
	case err == nil:
		return &port{number, free}, nil
	case wanted == anyPort:
		return nil, fmt.Errorf("take a port of 127.0.0.1: %w", err)
	}
	return nil, fmt.Errorf("take port %d of 127.0.0.1: %w", wanted, err)
}
