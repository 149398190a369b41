package clients

import (
	"runtime/metrics"

	"kcompare/drivers"
)

// allocatedSoFar is what Go's runtime allocated on the heap of this process. Objects
// that are so small that the runtime packs several into one are counted as one.
func allocatedSoFar() drivers.Allocated {
	heap := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(heap)
	return drivers.Allocated{Objects: int64(heap[0].Value.Uint64()), Bytes: int64(heap[1].Value.Uint64())}
}

// allocatedSince is what came after that.
func allocatedSince(before drivers.Allocated) *drivers.Allocated {
	now := allocatedSoFar()
	return &drivers.Allocated{Objects: now.Objects - before.Objects, Bytes: now.Bytes - before.Bytes}
}
