package child

import (
	"os"
	"syscall"
)

// endWithParent has the kernel kill the child when this process ends, also by
// kill -9. Its own process group keeps a Ctrl-C in the terminal from it: this
// process decides when a child goes.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// signalGroup sends to the process group that endWithParent gave the child. The number
// of a group is not given out again while anybody is in it.
func signalGroup(p *os.Process, s os.Signal) {
	_ = syscall.Kill(-p.Pid, s.(syscall.Signal)) // fails only if there is nobody to get it
}
