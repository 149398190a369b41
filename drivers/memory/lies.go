package memory

import (
	"fmt"
	"maps"
	"slices"
)

// Lie names one way in which a driver deviates from what it says. Those that
// are told of single records are told of every third one.
type Lie string

// Honest is no lie.
const Honest Lie = "honest"

// The lies of a producer.
const (
	LoseAcked       Lie = "lose-acked"       // acks a record and drops it
	DuplicateRecord Lie = "duplicate-record" // writes it twice
	Reorder         Lie = "reorder"          // swaps the first two records of a batch
	WrongOffset     Lie = "wrong-offset"     // tells the offset behind the record's
	WrongPartition  Lie = "wrong-partition"  // tells the next partition
	Misplace        Lie = "misplace"         // writes to the partition before, and says so
	ReportTwice     Lie = "report-twice"     // reports a record twice
	NeverReport     Lie = "never-report"     // writes a record and says nothing
	FailWritten     Lie = "fail-written"     // writes a record and reports it failed
	AckFailed       Lie = "ack-failed"       // acks every record that it cannot write
	NoClass         Lie = "no-class"         // errors have no class
	FlushTooEarly   Lie = "flush-too-early"  // Flush returns at once
	BlockingClose   Lie = "blocking-close"   // Close waits a minute for a broker
	SharedBatches   Lie = "shared-batches"   // ignores OneRecordPerBatch
	CorruptValue    Lie = "corrupt-value"    // writes another value
	DropHeader      Lie = "drop-header"      // writes no headers
	EmptyForNil     Lie = "empty-for-nil"    // writes an empty key for none
	DeafFlush       Lie = "deaf-flush"       // Flush outlives its context by a minute
	Miscount        Lie = "miscount"         // tells one more record sent than there were
)

// The lies of a transactional producer.
const (
	LeakAborted      Lie = "leak-aborted"       // records of an aborted transaction become visible
	LeakOpen         Lie = "leak-open"          // records are visible before the end of their transaction
	TearTransaction  Lie = "tear-transaction"   // commits every other record and aborts the rest
	CommitLies       Lie = "commit-lies"        // says committed, and aborts
	CommitTooEarly   Lie = "commit-too-early"   // commits without what lingers; it follows outside
	UnknownAsAborted Lie = "unknown-as-aborted" // says aborted where it cannot know
	ForgetOffsets    Lie = "forget-offsets"     // drops the offsets of a transaction
	OffsetsDespite   Lie = "offsets-despite"    // stores the offsets of an aborted transaction
	NoFencing        Lie = "no-fencing"         // Init leaves the older producer alone
	CommittedAlways  Lie = "committed-always"   // says committed whatever happened
)

// The lies of a consumer.
const (
	SkipRecord      Lie = "skip-record"      // steps over a record
	RepeatRecord    Lie = "repeat-record"    // returns a record twice
	ShufflePoll     Lie = "shuffle-poll"     // returns what it has in reverse order
	StartAtZero     Lie = "start-at-zero"    // Assign ignores the offset
	SeekIgnored     Lie = "seek-ignored"     // Seek does nothing
	PositionOff     Lie = "position-off"     // tells the offset of the last record, not the next
	IsolationOff    Lie = "isolation-off"    // reads uncommitted always
	CommitOff       Lie = "commit-off"       // Commit stores the offset before
	WrongCommitted  Lie = "wrong-committed"  // Committed tells the offset behind
	InventCommitted Lie = "invent-committed" // Committed tells 0 where there is nothing
	CommitUnasked   Lie = "commit-unasked"   // Close stores the positions
	StayInGroup     Lie = "stay-in-group"    // Close does not leave the group
	PollError       Lie = "poll-error"       // the end of Poll's context is an error
	DeafPoll        Lie = "deaf-poll"        // Poll outlives its context by a minute
	CommittedEarly  Lie = "committed-early"  // Committed does not wait for open transactions
	DeafClose       Lie = "deaf-close"       // Close leaves a waiting Poll alone
	WrongGroup      Lie = "wrong-group"      // GroupMetadata names no group
	HideRebalance   Lie = "hide-rebalance"   // Rebalances tells nothing
	StoreOff        Lie = "store-off"        // Store notes the offset before
)

// The lies of a driver about itself.
const (
	AcceptUnknown       Lie = "accept-unknown"       // settings that nobody knows are no error
	DenyAbility         Lie = "deny-ability"         // has transactions, and says that it has no idempotence
	InventAbility       Lie = "invent-ability"       // says that it sends batches made by hand, and cannot
	NoVersion           Lie = "no-version"           // does not say which library it is
	UnsortedDifferences Lie = "unsorted-differences" // differences come in no order
)

// Lies lists them all, without Honest, sorted.
func Lies() []Lie { return slices.Sorted(maps.Keys(deviations())) }

// conduct is honest but for the lie. A lie that nobody knows is a mistake in
// the test that asks for it.
func (l Lie) conduct() conduct {
	c := honest()
	deviate, known := deviations()[l]
	switch {
	case known:
		deviate(&c)
	case l != Honest:
		panic(fmt.Sprintf("memory: lie %q: expected one of %q", l, Lies()))
	}
	return c
}
