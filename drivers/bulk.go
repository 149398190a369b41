package drivers

import (
	"context"
	"time"
)

// BulkProducer is a Producer that makes many records by itself, where the library
// lives in another process: a benchmark measures the library, not the way of each
// record to it.
type BulkProducer interface {
	// ProduceMany hands over the records that b describes and waits until all are
	// reported, or ctx ends. Report gets runs of consecutive records, from any
	// goroutine; it must not block. Nothing else is produced meanwhile.
	ProduceMany(ctx context.Context, b Bulk, report func(Reported)) (Produced, error)
}

// Bulk describes records that count up from 0: the key of record n is "key-" and n
// modulo Keys in decimal, its value n in decimal and full stops behind it.
type Bulk struct {
	Topic      string
	Partition  int32 // AnyPartition lets the library's partitioner choose
	Count      int64
	Keys       int64 // none have a key where it is 0
	ValueBytes int   // of each value; the number alone where that is longer

	// Rate is records a second: record n is due n/Rate seconds after the first, and is
	// handed over then, or as soon after as the library takes it. 0 hands over as fast
	// as the library takes records. Another is for producers with Abilities.Paced.
	Rate float64

	// Transaction is how many records each transaction has: begin, so many records,
	// commit, and again; the last one may have fewer. 0 means that the caller sees to
	// transactions, if there are any. Another is for transactional producers with
	// Abilities.BulkTransactions.
	Transaction int64
}

// BulkPart is consecutive records of a Bulk, made as they are handed over.
type BulkPart struct {
	Topic      string
	Partition  int32 // AnyPartition lets the library's partitioner choose
	First, End int64 // numbers; the record of End is not handed over

	// Record makes key and value of record n. It is asked once for each n, in their
	// order, by the goroutine that hands over; both are the record's own.
	Record func(n int64) (key, value []byte)

	Longest int64 // bytes of key and value that no record has more of

	// Report gets runs of consecutive records, from any goroutine, before they count as
	// reported for Flush and Close. It must not block.
	Report func(Reported)
}

// PartProducer is a Producer with a loop of its own over records of a Bulk, as a program
// on the library has one: where a library takes less than a microsecond for a record, what
// Produce needs for records of any kind would show in a benchmark.
type PartProducer interface {
	// ProducePart is Produce for each record. Nothing else is produced meanwhile.
	ProducePart(ctx context.Context, part BulkPart)
}

// BulkNumber reads n at the front of a value of a Bulk, for whoever finds the value in a log.
// digits is how long it is there, 0 where the value does not begin with a number.
func BulkNumber(value []byte) (n int64, digits int) {
	const most = 18 // that surely fit into n
	for digits < len(value) && digits < most && value[digits]-'0' <= 9 {
		n = 10*n + int64(value[digits]-'0')
		digits++
	}
	return n, digits
}

// Produced is what ProduceMany measured in the process of the library.
type Produced struct {
	Elapsed time.Duration // from the first record that was handed over to the last report, or the end of the last commit

	// Latencies are microseconds. With Bulk.Rate there is one for each record, from when
	// it was due until it was reported, so that a late start counts as waiting
	// (coordinated omission); with Bulk.Transaction one for each transaction, from begin
	// until commit returned. It is empty otherwise.
	Latencies []uint32

	Allocated *Allocated
}

// LatencyUnknown is the latency of what failed, or was never reported.
const LatencyUnknown = ^uint32(0)

// Allocated is memory that was asked of the runtime of a language, freed or not. It is
// nil where a program does not tell.
type Allocated struct {
	Objects int64 `json:"objects,omitempty"` // 0: not counted
	Bytes   int64 `json:"bytes"`
}

// Reported is what was said of consecutive records of a Bulk, alike but for their
// offsets, which count up.
type Reported struct {
	First, Count int64
	Delivery     // of the first
}

// BulkConsumer is a Consumer that reads many records and says only how many there were.
type BulkConsumer interface {
	// ConsumeMany reads until there are so many records, or ctx ends, which is no error.
	ConsumeMany(ctx context.Context, count int64) (Consumed, error)
}

// Consumed is what ConsumeMany read.
type Consumed struct {
	Records   int64
	Bytes     int64         // of keys and values
	Elapsed   time.Duration // since the first record
	Runs      []Run         // in the order in which they were read
	Allocated *Allocated
}

// Run is consecutive records of one partition.
type Run struct {
	TopicPartition
	First int64 // offset
	Count int64
}

// BulkProcessor is a TransactionalProducer of a client with Abilities.BulkTransactions:
// it reads, writes and commits what it read, in transactions (KIP-447), by itself.
type BulkProcessor interface {
	// ProcessMany goes on until so many records were read and their transactions have
	// committed, or ctx ends, which is an error. Init was called before, and p.Consumer
	// has subscribed.
	ProcessMany(ctx context.Context, p Processing) (Processed, error)
}

// Processing describes a read-process-write in bulk: each record that Consumer returns is
// written with its key and value to Topic, by the library's partitioner. A transaction
// has the records of polls up to Transaction of them, at least one; no record is left
// behind of what a poll returned.
type Processing struct {
	Consumer    Consumer // made by the same driver, in the same process
	Topic       string
	Count       int64
	Transaction int64
}

// Processed is what ProcessMany did.
type Processed struct {
	Records   int64
	Elapsed   time.Duration // from the first record that was read to the end of the last commit
	Latencies []uint32      // microseconds of each transaction, from begin until commit returned
	Allocated *Allocated
}

// LimitedPoller is a Consumer whose library can be told how many records a poll may
// return, which keeps the transactions of a Processing as small as they are to be.
type LimitedPoller interface {
	// PollAtMost is Consumer.Poll with so many records at most.
	PollAtMost(ctx context.Context, most int) ([]Record, error)
}
