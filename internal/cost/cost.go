// Package cost says what processes cost: their processor time and their memory, as the
// system counts them, and which machine it was. Where the system does not tell, or not
// in a way that is known here, every question ends in ErrUnknown.
package cost

import (
	"errors"
	"time"
)

// ErrUnknown says that this system does not tell. It is told of processes on Linux.
var ErrUnknown = errors.New("this system is not asked what processes cost: only Linux is")

// CPU is the processor time that processes took since their start, together, in user
// mode and in the kernel, to the nanosecond: the system's processor-time clock of each.
// What their children took is not in it. The error names a process that is gone.
func CPU(pids ...int) (time.Duration, error) {
	var sum time.Duration
	for _, pid := range pids {
		one, err := cpu(pid)
		if err != nil {
			return 0, err
		}
		sum += one
	}
	return sum, nil
}

// PeakMemory is the most resident memory that a process had at once, in bytes, since its
// start or since ForgetPeak.
func PeakMemory(pid int) (int64, error) { return peakMemory(pid) }

// ForgetPeak makes PeakMemory begin anew, with what the process has now.
func ForgetPeak(pid int) error { return forgetPeak(pid) }
