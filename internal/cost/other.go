//go:build !linux

package cost

import (
	"time"

	"kcompare/internal/evidence"
)

func cpu(int) (time.Duration, error) { return 0, ErrUnknown }
func peakMemory(int) (int64, error)  { return 0, ErrUnknown }
func forgetPeak(int) error           { return ErrUnknown }
func describe(*evidence.Machine)     {}
