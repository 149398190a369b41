//go:build linux

package overhead

import (
	"bufio"
	"fmt"
	"os"
	"runtime/metrics"
)

// serveDirect is a direct loop as a program: each line of stdin is a number of records, and
// is answered when all are reported by how many failed, none, and how many objects Go's
// runtime allocated for them.
func serveDirect(start func(servers string) (Direct, error), servers string) error {
	if start == nil {
		return fmt.Errorf("%s: there is no such program here", os.Getenv(role))
	}
	d, err := start(servers)
	if err != nil {
		return err
	}
	defer d.Close()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var count int
		if _, err := fmt.Sscan(in.Text(), &count); err != nil {
			return err
		}
		before := allocations()
		if err := d.Play(count); err != nil {
			return err
		}
		fmt.Println(0, allocations()-before)
	}
	return nil
}

func allocations() uint64 {
	heap := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(heap)
	return heap[0].Value.Uint64()
}
