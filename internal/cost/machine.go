package cost

import (
	"runtime"

	"kcompare/internal/evidence"
)

// ThisMachine is where this process runs. What the system does not tell is empty.
func ThisMachine() evidence.Machine {
	m := evidence.Machine{Cores: runtime.GOMAXPROCS(0), System: runtime.GOOS}
	describe(&m)
	return m
}
