package broker

import (
	"fmt"
	"net"
	"strconv"
)

// port is a free TCP port of 127.0.0.1 that a child will listen on.
type port struct {
	number  int
	release func()
}

func (p *port) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) }

// takePort finds a free port. On Linux it stays ours until release, also while no
// child listens on it.
func takePort() (*port, error) {
	number, release, err := holdPort()
	if err != nil {
		return nil, fmt.Errorf("take a port of 127.0.0.1: %w", err)
	}
	return &port{number, release}, nil
}
