package drivers

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Header is a record header.
type Header struct {
	Key   string
	Value []byte
}

// Record is what is sent, and what is read back.
type Record struct {
	Topic     string
	Partition int32 // AnyPartition lets the library's partitioner choose
	Key       []byte
	Value     []byte
	Headers   []Header
	Offset    int64 // set by Poll only
}

// AnyPartition leaves the choice of the partition to the library.
const AnyPartition int32 = -1

// Header is the value of the first header of that name.
func (r Record) Header(key string) ([]byte, bool) {
	for _, h := range r.Headers {
		if h.Key == key {
			return h.Value, true
		}
	}
	return nil, false
}

// TopicPartition names one partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String is the usual spelling, "orders-0".
func (tp TopicPartition) String() string {
	return tp.Topic + "-" + strconv.Itoa(int(tp.Partition))
}

// Compare orders by topic, then partition.
func (tp TopicPartition) Compare(other TopicPartition) int {
	return cmp.Or(strings.Compare(tp.Topic, other.Topic), cmp.Compare(tp.Partition, other.Partition))
}

// Position is an offset in a partition: the next one to read.
type Position struct {
	TopicPartition
	Offset int64
}

// String is "orders-0@5".
func (p Position) String() string {
	return p.TopicPartition.String() + "@" + strconv.FormatInt(p.Offset, 10)
}

// Offsets with a meaning of their own, for Consumer.Assign.
const (
	OffsetStart int64 = -2 // the first record that there is
	OffsetEnd   int64 = -1 // behind the last one
)

// GroupMetadata is what a transactional producer needs to know of the consumer
// whose positions it commits (KIP-447). Library is the driver's own handle;
// only the driver that made it reads it.
type GroupMetadata struct {
	Group      string
	Generation int32
	Member     string
	Instance   string
	Library    any
}

// Outcome is what a client said of one record.
type Outcome int

// The three outcomes of a record. Unknown is never read as "not written".
const (
	Unknown Outcome = iota // the library said nothing
	Acked                  // the library said: written
	Failed                 // the library said: not written
)

// String is the outcome as evidence spells it.
func (o Outcome) String() string {
	switch o {
	case Unknown:
		return "unknown"
	case Acked:
		return "acked"
	case Failed:
		return "failed"
	}
	return fmt.Sprintf("Outcome(%d)", int(o))
}

// NoOffset is the offset of a Delivery for which the library told none.
const NoOffset int64 = -1

// Delivery is the library's report on one record.
type Delivery struct {
	Outcome   Outcome // Acked or Failed
	Partition int32   // where the library says it went; AnyPartition when it did not say
	Offset    int64   // what the library told, invented or not; NoOffset when it told none
	Err       *Error  // why it Failed
}

// TransactionOutcome is how a transaction ended.
type TransactionOutcome int

// The outcomes of a transaction. One of unknown outcome may be wholly visible
// or wholly absent, never half.
const (
	TransactionUnknown TransactionOutcome = iota
	Committed
	Aborted
)

// String is the outcome as evidence spells it.
func (o TransactionOutcome) String() string {
	switch o {
	case TransactionUnknown:
		return "unknown"
	case Committed:
		return "committed"
	case Aborted:
		return "aborted"
	}
	return fmt.Sprintf("TransactionOutcome(%d)", int(o))
}
