package clients

import (
	"syscall"
	"time"
)

// rest asks the kernel to wake this thread. A timer of Go's runtime is late by up to a
// millisecond where nothing else runs, because it waits in epoll, which counts
// milliseconds (runtime/netpoll_epoll.go). A signal that ends it early does no harm:
// whoever rests looks at the clock again.
func rest(d time.Duration) {
	left := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&left, nil)
}
