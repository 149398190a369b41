package child

import "syscall"

// endWithParent has the kernel kill the child when this process ends, also by
// kill -9. Its own process group keeps a Ctrl-C in the terminal from it: this
// process decides when a child goes.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
