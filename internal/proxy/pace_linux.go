package proxy

import (
	"net"

	"golang.org/x/sys/unix"
)

// onLoopback is a congestion control without timers, which every Linux has and lets
// every process choose.
const onLoopback = "reno"

// unpaced has the kernel send without pacing where the other side is on this machine.
// BBR, which some systems have for everything, starts a timer for each piece that it
// sends: that took a third of the proxy's processor time with frames of 1 MiB. A kernel
// that refuses sends as it is used to.
func unpaced(tcp *net.TCPConn) {
	if peer, ok := tcp.RemoteAddr().(*net.TCPAddr); !ok || !peer.IP.IsLoopback() {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, onLoopback)
	})
}
