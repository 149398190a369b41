package memory

import (
	"slices"
	"time"

	"kcompare/drivers"
)

// conduct is every decision in which a driver could lie. The rest of the
// package asks it, and knows of no lie.
type conduct struct {
	// Producer. Records of a producer are counted from 1.
	copies     func(n int) int                                    // how often record n is written
	written    func(n int, r drivers.Record) drivers.Record       // what is written of it, and where
	reordered  func([]*handed)                                    // the order of a batch
	reports    func(n int, d drivers.Delivery) []drivers.Delivery // what is reported of it
	ownBatch   func(asked bool) bool                              // whether it shares no batch
	counted    func(sent int) int                                 // what it tells of records sent
	flushes    bool                                               // whether Flush does anything
	flushStays time.Duration                                      // after the end of its context
	closeStays time.Duration

	// Transactional producer.
	enters        State                          // of a record whose transaction is open
	fate          func(commit bool, i int) State // of the ith record of a transaction at its end
	storesOffsets func(commit bool) bool         // whether its offsets are stored then
	ended         func(drivers.TransactionOutcome, error) (drivers.TransactionOutcome, error)
	commitFlushes bool
	fences        bool

	// Consumer. Records of a consumer are counted from 1.
	polled        func(n int, r drivers.Record) []drivers.Record // what Poll makes of it
	shuffled      func([]drivers.Record)                         // the order of one Poll
	pollStays     time.Duration                                  // after the end of its context
	pollEnds      func(error) error                              // the error of Poll at that end
	starts        func(asked int64) int64                        // where Assign begins
	seeks         bool
	position      func(next int64) int64
	committedOnly func(asked bool) bool
	stores        func(offset int64) int64 // what Commit stores
	committed     func(offset int64, stored bool) (int64, bool)
	waitsStable   bool // Committed waits for open transactions
	closeCommits  bool
	closeEndsPoll bool
	closeLeaves   bool
	group         func(name string) string // in GroupMetadata
	tells         bool                     // Rebalances says what happened
	keeps         func(offset int64) int64 // what Store stores

	// Driver.
	knows       func(key string) bool
	version     string
	idempotence bool
	raw         bool
	differences func([]string)
}

// honest does what it says.
func honest() conduct {
	return conduct{
		copies:    func(int) int { return 1 },
		written:   func(_ int, r drivers.Record) drivers.Record { return r },
		reordered: func([]*handed) {},
		reports:   func(_ int, d drivers.Delivery) []drivers.Delivery { return []drivers.Delivery{d} },
		ownBatch:  func(asked bool) bool { return asked },
		counted:   func(sent int) int { return sent },
		flushes:   true,

		enters: Pending,
		fate: func(commit bool, _ int) State {
			if commit {
				return Visible
			}
			return Aborted
		},
		storesOffsets: func(commit bool) bool { return commit },
		ended:         func(o drivers.TransactionOutcome, err error) (drivers.TransactionOutcome, error) { return o, err },
		commitFlushes: true,
		fences:        true,

		polled:        func(_ int, r drivers.Record) []drivers.Record { return []drivers.Record{r} },
		shuffled:      func([]drivers.Record) {},
		pollEnds:      func(error) error { return nil },
		starts:        func(asked int64) int64 { return asked },
		seeks:         true,
		position:      func(next int64) int64 { return next },
		committedOnly: func(asked bool) bool { return asked },
		stores:        func(offset int64) int64 { return offset },
		committed:     func(offset int64, stored bool) (int64, bool) { return offset, stored },
		waitsStable:   true,
		closeEndsPoll: true,
		closeLeaves:   true,
		group:         func(name string) string { return name },
		tells:         true,
		keeps:         func(offset int64) int64 { return offset },

		knows:       func(key string) bool { return slices.Contains(keys(), key) },
		version:     "v1",
		idempotence: true,
		differences: func(d []string) { slices.Sort(d) },
	}
}
