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
	// goroutine; it must not block. The time is that from the first record to the
	// last report. Nothing else is produced meanwhile.
	ProduceMany(ctx context.Context, b Bulk, report func(Reported)) (time.Duration, error)
}

// Bulk describes records that count up from 0: the key of record n is "key-" and n
// modulo Keys in decimal, its value n in decimal and full stops behind it.
type Bulk struct {
	Topic      string
	Partition  int32 // AnyPartition lets the library's partitioner choose
	Count      int64
	Keys       int64 // none have a key where it is 0
	ValueBytes int   // of each value; the number alone where that is longer
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
	Records int64
	Bytes   int64         // of keys and values
	Elapsed time.Duration // since the first record
	Runs    []Run         // in the order in which they were read
}

// Run is consecutive records of one partition.
type Run struct {
	TopicPartition
	First int64 // offset
	Count int64
}
