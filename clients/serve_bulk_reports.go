package clients

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"kcompare/drivers"
)

// reports collects what is said of the records of a bulk and tells it in runs. Each block
// of records has its functions once and is used again when all of it was told, in a later
// bulk as well, so that as many blocks exist as records are under way.
//
//	handOver -> report(n) --library--> block.reported -> tell -> lines
type reports struct {
	client *served
	first  int64     // the number of the bulk's first record
	due    *pace     // nil where nobody asks how long records took
	took   latencies // with due: of each record

	current *block // of the record that is handed over; whoever does that has it alone
	full    chan struct{}

	mu     sync.Mutex
	blocks []*block // not told wholly, in their order
	spare  []*block // blank
	told   int64    // records, from the first on
}

// runTime is how long reports may wait to become runs.
const runTime = 100 * time.Millisecond

// newReports has the blocks that an earlier bulk of the client left.
func newReports(c *served) *reports {
	r := &reports{client: c, first: c.produced, full: make(chan struct{}, 1), spare: c.blank}
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

// report is for record n, which is handed over next.
func (r *reports) report(n int64) func(drivers.Delivery) {
	i := n % blockSize
	if i == 0 {
		r.current = r.next(n)
	}
	r.current.handed = i + 1
	return r.current.report[i]
}

// next is the block that begins with record n.
func (r *reports) next(n int64) *block {
	select {
	case r.full <- struct{}{}:
	default:
	}
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
	return newBlock()
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
			case <-r.full:
				r.tell(blockSize)
			case <-tick.C:
				r.tell(1)
			case <-over:
				r.tell(1)
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
		if b.handed == b.reportedUpTo() {
			r.spare = append(r.spare, b.clear())
		}
	}
	return r.spare
}

// tell reports what stands without a gap behind what was told, where it is so many
// records of a block at least.
func (r *reports) tell(least int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.blocks) > 0 {
		b := r.blocks[0]
		from, to := r.told-b.begin, b.reportedUpTo()
		if to == from || to < least {
			return
		}
		for _, run := range b.runs(from, to) {
			r.line(run)
		}
		if r.told = b.begin + to; to < blockSize {
			return
		}
		r.blocks, r.spare = r.blocks[1:], append(r.spare, b.clear())
	}
}

func (r *reports) line(run drivers.Reported) {
	line := reportOf(r.first+run.First, run.Delivery)
	line.Handle, line.Count = r.client.handle, &run.Count
	r.client.out.put(encode(line))
}

// blockSize is the records of a block.
const blockSize = 2048

// block is what was said of blockSize records. Its functions may be called from any
// goroutine; a bit that is set publishes what is known of its record.
type block struct {
	of         *reports
	begin      int64 // the number of its first record in the bulk
	handed     int64 // how many of its records are handed over, or were refused
	report     [blockSize]func(drivers.Delivery)
	partitions [blockSize]int32
	offsets    [blockSize]int64
	done       [blockSize / 64]atomic.Uint64

	mu     sync.Mutex
	failed map[int64]drivers.Delivery
}

func newBlock() *block {
	b := &block{}
	for i := range b.report {
		b.report[i] = func(d drivers.Delivery) { b.reported(int64(i), d) }
	}
	return b
}

func (b *block) reported(i int64, d drivers.Delivery) {
	if d.Outcome == drivers.Acked {
		b.partitions[i], b.offsets[i] = d.Partition, d.Offset
		if due := b.of.due; due != nil {
			b.of.took[b.begin+i] = due.since(b.begin + i)
		}
	} else {
		b.fail(i, d)
	}
	b.done[i/64].Or(1 << (i % 64))
}

func (b *block) fail(i int64, d drivers.Delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = map[int64]drivers.Delivery{}
	}
	b.failed[i] = d
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
	breaks := int64(0)
	for i := from + 1; i < to; i++ {
		if !b.follows(i) {
			breaks++
		}
	}
	exact := breaks == 0 || (breaks+1)*worthwhile <= to-from
	var runs []drivers.Reported
	for i := from; i < to; i++ {
		d, failed := b.failed[i]
		if !failed {
			d = drivers.Delivery{Outcome: drivers.Acked, Partition: b.partitions[i], Offset: b.offsets[i]}
		}
		if !failed && !exact {
			d.Partition, d.Offset = drivers.AnyPartition, drivers.NoOffset
		}
		runs = extend(runs, b.begin+i, d)
	}
	return runs
}

// follows says whether record i went right behind the one before it.
func (b *block) follows(i int64) bool {
	step := int64(1)
	if b.offsets[i] == drivers.NoOffset {
		step = 0
	}
	return b.partitions[i] == b.partitions[i-1] && b.offsets[i] == b.offsets[i-1]+step
}

// extend adds a record to the last run, or begins one.
func extend(runs []drivers.Reported, n int64, d drivers.Delivery) []drivers.Reported {
	if len(runs) > 0 && d.Outcome == drivers.Acked {
		last := &runs[len(runs)-1]
		next := last.Delivery
		if next.Offset != drivers.NoOffset {
			next.Offset += last.Count
		}
		if next == d {
			last.Count++
			return runs
		}
	}
	return append(runs, drivers.Reported{First: n, Count: 1, Delivery: d})
}
