package kafkatools

import (
	"os"
	"syscall"
)

// peakMemory is the most bytes of a process that has ended that were in memory at once.
func peakMemory(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss * 1024 // Linux counts in kilobytes
}
