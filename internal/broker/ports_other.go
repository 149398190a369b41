//go:build !linux

package broker

import (
	"net"
	"strconv"
)

// holdPort finds a port that was free a moment ago, the wanted one or any. Other systems do not let a
// child listen where this process is bound.
func holdPort(wanted int) (number int, release func(), err error) {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(wanted)))
	if err != nil {
		return 0, nil, err
	}
	return l.Addr().(*net.TCPAddr).Port, func() {}, l.Close()
}
