//go:build !linux

package child

import (
	"os"
	"syscall"
)

// endWithParent is nothing: only Linux can do it. What is left behind by a kill -9 of
// this process has to end by itself, or be found: a server of Kafka by the next
// broker.CleanKafka, a contestant at the end of its stdin.
func endWithParent() *syscall.SysProcAttr { return nil }

// signalGroup reaches the child alone, which has no group of its own.
func signalGroup(p *os.Process, s os.Signal) {
	_ = p.Signal(s) // fails only if there is nobody to get it, or on Windows, which cannot interrupt
}
