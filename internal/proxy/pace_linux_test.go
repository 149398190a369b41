package proxy

import (
	"net"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sys/unix"
)

// TestLoopbackIsNotPaced looks at both sockets of a connection through the proxy.
func TestLoopbackIsNotPaced(t *testing.T) {
	cluster := startCluster(t, nil)
	dialNode(t, cluster.proxy, 0).ask(kmsg.NewPtrMetadataRequest())
	c := cluster.proxy.anyConn()
	for side, wire := range map[string]*wire{"client": c.client, "broker": c.broker} {
		if got := congestionControl(t, wire.tcp); got != onLoopback {
			t.Errorf("the socket to the %s has the congestion control %q, expected %q", side, got, onLoopback)
		}
	}
}

func congestionControl(t *testing.T, tcp *net.TCPConn) (name string) {
	t.Helper()
	raw, err := tcp.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var asked error
	err = raw.Control(func(fd uintptr) { name, asked = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION) })
	if err != nil || asked != nil {
		t.Fatalf("ask for the congestion control: %v, %v", err, asked)
	}
	return name
}
