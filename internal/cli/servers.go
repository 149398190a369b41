package cli

import (
	"net"
	"strconv"
	"strings"
)

// servers reads HOST:PORT[,HOST:PORT], the value of a flag that names a cluster.
func servers(flag, value string) ([]string, error) {
	addrs := strings.Split(value, ",")
	for _, addr := range addrs {
		host, port, err := net.SplitHostPort(addr)
		if err != nil || host == "" {
			return nil, usagef("--%s=%s: %q: expected HOST:PORT, such as 127.0.0.1:9092", flag, value, addr)
		}
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, usagef("--%s=%s: port %q: expected 1 to 65535", flag, value, port)
		}
	}
	return addrs, nil
}
