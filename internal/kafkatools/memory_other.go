//go:build !linux

package kafkatools

import "os"

// peakMemory is 0, which means that nobody told: other systems count in other units, or
// not at all.
func peakMemory(*os.ProcessState) int64 { return 0 }
