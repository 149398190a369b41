//go:build !linux

package broker

import "net"

// holdPort finds a port that was free a moment ago. Other systems do not let a
// child listen where this process is bound.
func holdPort() (number int, release func(), err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, nil, err
	}
	return l.Addr().(*net.TCPAddr).Port, func() {}, l.Close()
}
