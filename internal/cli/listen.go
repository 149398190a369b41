package cli

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// loopback is where everything that kcompare serves is to be found: what it serves
// knows no passwords.
const loopback = "127.0.0.1"

// listenPort reads --listen. Port 0 is any free one.
func listenPort(value string) (int, error) {
	host, port, err := net.SplitHostPort(value)
	if err != nil {
		return 0, usagef("--listen=%s: expected HOST:PORT, such as %s:9092", value, loopback)
	}
	if host != loopback && host != "localhost" {
		return 0, usagef("--listen=%s: host %q: expected %s or localhost: only this machine is let in", value, host, loopback)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return 0, usagef("--listen=%s: port %q: expected 0 to 65535, 0 for any free one", value, port)
	}
	return n, nil
}

// taken says what to do about an address that somebody else has; other errors stay
// as they are.
func taken(err error, listen string) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	return fmt.Errorf("--listen=%s: %w: choose another port, or 0 for any free one", listen, err)
}
