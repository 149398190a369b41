//go:build !linux

package child

import "syscall"

// endWithParent is nothing: only Linux can do it. What is left behind by a kill -9 of
// this process has to end by itself, or be found: a server of Kafka by the next
// broker.CleanKafka, a contestant at the end of its stdin.
func endWithParent() *syscall.SysProcAttr { return nil }
