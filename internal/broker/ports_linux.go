package broker

import (
	"errors"
	"os"
	"syscall"
)

// holdPort binds a socket and never listens. With SO_REUSEADDR on both, a child
// can bind and listen on the same port (Java sets it), while the kernel gives it
// to nobody who asks for any free port: neither in the second that a server takes
// to get there, nor while a server is down.
func holdPort(wanted int) (number int, release func(), err error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, os.NewSyscallError("socket", err)
	}
	release = func() { _ = syscall.Close(fd) }
	if number, err = bind(fd, wanted); err != nil {
		release()
		return 0, nil, err
	}
	return number, release, nil
}

// bind returns the port, which is another one than wanted where that is anyPort.
func bind(fd, wanted int) (int, error) {
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: wanted, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, os.NewSyscallError("getsockname", err)
	}
	bound, ok := name.(*syscall.SockaddrInet4)
	if !ok {
		return 0, errors.New("getsockname: expected an IPv4 address")
	}
	return bound.Port, nil
}
