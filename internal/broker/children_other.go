//go:build !linux

package broker

import "syscall"

// endWithParent is nothing: only Linux can do it. After a kill -9 of this process
// the next CleanKafka finds the child in its directory's list.
func endWithParent() *syscall.SysProcAttr { return nil }
