package proxy

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// socket is a TCP connection whose reads and writes Go's scheduler is not told of. They
// never block, because Go's sockets do not, but those of a large frame take so long that
// the scheduler wakes its watcher (runtime.sysmon) for each, and that took an eighth of
// the proxy's processor time with frames of 1 MiB. Waiting is left to Go's poller, with
// its deadlines and its end by Close.
type socket struct {
	*net.TCPConn
	raw syscall.RawConn
}

func newSocket(tcp *net.TCPConn) duplex {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return tcp
	}
	return socket{tcp, raw}
}

// Read reads what there is, as net.Conn does.
func (s socket) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	t := transfer{call: syscall.SYS_READ, p: p}
	if err := s.raw.Read(t.try); err != nil {
		return 0, err
	}
	if t.n == 0 && t.errno == 0 {
		return 0, io.EOF
	}
	return t.done("read")
}

// Write writes all of it, as net.Conn does.
func (s socket) Write(p []byte) (wrote int, err error) {
	for wrote < len(p) && err == nil {
		t := transfer{call: syscall.SYS_WRITE, p: p[wrote:]}
		if err = s.raw.Write(t.try); err == nil {
			var n int
			n, err = t.done("write")
			wrote += n
		}
	}
	return wrote, err
}

// transfer is one read or write.
type transfer struct {
	call  uintptr
	p     []byte // not empty
	n     int
	errno syscall.Errno
}

// try says whether the socket was ready.
func (t *transfer) try(fd uintptr) bool {
	t.errno = syscall.EINTR
	for t.errno == syscall.EINTR {
		var n uintptr
		n, _, t.errno = syscall.RawSyscall(t.call, fd, uintptr(unsafe.Pointer(&t.p[0])), uintptr(len(t.p)))
		t.n = int(n)
	}
	return t.errno != syscall.EAGAIN
}

// done is what the call came to, with net's words for a failure.
func (t *transfer) done(call string) (int, error) {
	if t.errno == 0 {
		return t.n, nil
	}
	return 0, &net.OpError{Op: call, Net: "tcp", Err: os.NewSyscallError(call, t.errno)}
}
