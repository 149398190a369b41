package clients

import (
	"bytes"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"kcompare/drivers"
)

// reports collects what is said of the records of a bulk and tells it in runs. A block of
// records is used again when all of it was told, in a later bulk as well, so that as many
// blocks exist as records are under way.
//
//	handOver -> open(n) --library--> reported(run) -> tell -> lines
type reports struct {
	client *served
	first  int64     // the number of the bulk's first record
	due    *pace     // nil where nobody asks how long records took
	took   latencies // with due: of each record

	// Reports read these in a goroutine of the library's: nothing here is written for each
	// record, which would take their line of the cache away from it.
	handed int64    // records that were handed over, or refused, when handing over ended last
	opened []*block // those of all records that were, also of some that were told

	mu     sync.Mutex
	blocks []*block // not told wholly, in their order
	spare  []*block // blank
	told   int64    // records, from the first on
}

// runTime is how long reports may wait to become runs.
const runTime = 100 * time.Millisecond

// newReports is for so many records, and has the blocks that an earlier bulk of the client left.
func newReports(c *served, count int64) *reports {
	r := &reports{
		client: c, first: c.produced, opened: make([]*block, (count+blockSize-1)/blockSize),
		spare: c.blank,
	}
	c.blank = nil
	return r
}

// time asks how long each record takes.
func (r *reports) time(due *pace, count int64) {
	r.due, r.took = due, make(latencies, count)
	for n := range r.took {
		r.took[n] = drivers.LatencyUnknown
	}
}

// open comes before record n is handed over, which is the next one.
func (r *reports) open(n int64) {
	if n%blockSize == 0 {
		r.opened[n/blockSize] = r.next(n)
	}
}

// reported takes what is said of a run, from any goroutine.
func (r *reports) reported(run drivers.Reported) {
	for run.Count > 0 {
		i := run.First % blockSize
		count := min(run.Count, blockSize-i)
		r.opened[run.First/blockSize].reported(i, count, run.Delivery)
		run.First, run.Count = run.First+count, run.Count-count
		run.Offset += count * stepOf(run.Offset)
	}
}

// report takes what is said of record n alone.
func (r *reports) report(n int64) func(drivers.Delivery) {
	return r.opened[n/blockSize].report(n % blockSize)
}

// next is the block that begins with record n.
func (r *reports) next(n int64) *block {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.takeSpare()
	b.of, b.begin = r, n
	r.blocks = append(r.blocks, b)
	return b
}

func (r *reports) takeSpare() *block {
	if last := len(r.spare) - 1; last >= 0 {
		b := r.spare[last]
		r.spare = r.spare[:last]
		return b
	}
	return &block{}
}

// tellOften tells what there is to tell until stop is called, which tells the rest.
func (r *reports) tellOften() (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(runTime)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.tell()
			case <-over:
				r.tell()
				return
			}
		}
	}()
	return func() {
		close(over)
		<-ended
		r.client.blank = r.lastBlank()
	}
}

// lastBlank is what a later bulk may use: not a block of which something was handed over
// and never reported, which may still come.
func (r *reports) lastBlank() []*block {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.blocks {
		if min(r.handed-b.begin, blockSize) == b.reportedUpTo() {
			r.spare = append(r.spare, b.clear())
		}
	}
	return r.spare
}

// tell reports what stands without a gap behind what was told, in one piece: each that is
// written wakes somebody, who takes the time of the library.
func (r *reports) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines [][]byte
	for len(r.blocks) > 0 {
		b := r.blocks[0]
		from, to := r.told-b.begin, b.reportedUpTo()
		if to > from {
			for _, run := range b.runs(from, to) {
				lines = append(lines, r.line(run))
			}
		}
		if r.told = b.begin + to; to < blockSize {
			break
		}
		r.blocks, r.spare = r.blocks[1:], append(r.spare, b.clear())
	}
	if len(lines) > 0 {
		r.client.out.put(bytes.Join(lines, []byte{'\n'}))
	}
}

func (r *reports) line(run drivers.Reported) []byte {
	line := reportOf(r.first+run.First, run.Delivery)
	line.Handle, line.Count = r.client.handle, &run.Count
	return encode(line)
}

// blockSize is the records of a block.
const blockSize = 2048

// block is what was said of blockSize records. A bit that is set publishes what is known of
// its record.
type block struct {
	of         *reports
	begin      int64 // the number of its first record in the bulk
	partitions [blockSize]int32
	offsets    [blockSize]int64
	done       [blockSize / 64]atomic.Uint64

	mu     sync.Mutex
	failed map[int64]drivers.Delivery

	functions []func(drivers.Delivery) // reported of each record, made once; nil where nobody asks
}

func (b *block) report(i int64) func(drivers.Delivery) {
	if b.functions == nil {
		b.functions = make([]func(drivers.Delivery), blockSize)
		for i := range b.functions {
			b.functions[i] = func(d drivers.Delivery) { b.reported(int64(i), 1, d) }
		}
	}
	return b.functions[i]
}

// reported takes what is said of so many records from i on.
func (b *block) reported(i, count int64, d drivers.Delivery) {
	if d.Outcome == drivers.Acked {
		b.acked(i, count, d)
	} else {
		b.fail(i, count, d)
	}
	for count > 0 { // a word at a time
		some := min(count, 64-i%64)
		b.done[i/64].Or((1<<some - 1) << (i % 64))
		i, count = i+some, count-some
	}
}

func (b *block) acked(i, count int64, d drivers.Delivery) {
	step := stepOf(d.Offset)
	for n := range count {
		b.partitions[i+n], b.offsets[i+n] = d.Partition, d.Offset+n*step
	}
	if due := b.of.due; due != nil {
		for n := b.begin + i; n < b.begin+i+count; n++ {
			b.of.took[n] = due.since(n)
		}
	}
}

// stepOf is how much larger the offset of the next record is.
func stepOf(offset int64) int64 {
	if offset == drivers.NoOffset {
		return 0
	}
	return 1
}

func (b *block) fail(i, count int64, d drivers.Delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = map[int64]drivers.Delivery{}
	}
	for n := range count {
		b.failed[i+n] = d
		d.Offset += stepOf(d.Offset)
	}
}

func (b *block) clear() *block {
	for i := range b.done {
		b.done[i].Store(0)
	}
	b.failed = nil
	return b
}

// reportedUpTo is how many records, from the first on, were reported without a gap.
func (b *block) reportedUpTo() int64 {
	for i := range b.done {
		if missing := ^b.done[i].Load(); missing != 0 {
			return int64(i*64 + bits.TrailingZeros64(missing))
		}
	}
	return blockSize
}

// worthwhile is how many records a run has on average if it is to say where they are.
const worthwhile = 20

// runs are the records from there up to there. Where neighbours went to different
// partitions, runs have neither partition nor offset.
func (b *block) runs(from, to int64) []drivers.Reported {
	b.mu.Lock()
	defer b.mu.Unlock()
	exact := b.exact(from, to)
	var runs []drivers.Reported
	for i := from; i < to; {
		d, failed := b.failed[i]
		end := i + 1
		if !failed {
			end = b.endOfRun(i, to, exact)
			d = drivers.Delivery{Outcome: drivers.Acked, Partition: b.partitions[i], Offset: b.offsets[i]}
		}
		if !failed && !exact {
			d.Partition, d.Offset = drivers.AnyPartition, drivers.NoOffset
		}
		runs = append(runs, drivers.Reported{First: b.begin + i, Count: end - i, Delivery: d})
		i = end
	}
	return runs
}

func (b *block) exact(from, to int64) bool {
	runs := int64(1)
	for i := from + 1; i < to; i++ {
		if !b.follows(i) {
			runs++
		}
	}
	return runs == 1 || runs*worthwhile <= to-from
}

// endOfRun is behind the last record of the run that begins with i, which did not fail.
func (b *block) endOfRun(i, to int64, exact bool) int64 {
	for i++; i < to && (!exact || b.follows(i)); i++ {
		if len(b.failed) > 0 && b.hasFailed(i) {
			break
		}
	}
	return i
}

// follows says whether record i went right behind the one before it.
func (b *block) follows(i int64) bool {
	return b.partitions[i] == b.partitions[i-1] && b.offsets[i] == b.offsets[i-1]+stepOf(b.offsets[i])
}

func (b *block) hasFailed(i int64) bool {
	_, failed := b.failed[i]
	return failed
}
