package franz

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// sent is a record on its way through kgo, and what the driver must know of it there. It
// is the record's own context, which is how kgo hands anything of a program's through; so
// that a record costs one piece of memory, as in any program on kgo.
type sent struct {
	kgo.Record
	endless
	partition int32 // that the program named: kgo overwrites Record.Partition before it asks a partitioner again
	report    func(drivers.Delivery)
}

func newSent(r *drivers.Record, report func(drivers.Delivery)) *sent {
	s := &sent{
		Record:    kgo.Record{Topic: r.Topic, Partition: r.Partition, Key: r.Key, Value: r.Value},
		partition: r.Partition, report: report,
	}
	s.Context = s
	for _, h := range r.Headers {
		s.Headers = append(s.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
	}
	return s
}

// named is the partition that the program named, if any.
func named(r *kgo.Record) int32 {
	switch of := r.Context.(type) {
	case *sent:
		return of.partition
	case *part:
		return of.Partition
	}
	return drivers.AnyPartition
}

// Value is endless's, beside which kgo.Record has one.
func (*sent) Value(any) any { return nil }

// endless is a context that never ends and has no values.
type endless struct{}

func (endless) Deadline() (time.Time, bool) { return time.Time{}, false }
func (endless) Done() <-chan struct{}       { return nil }
func (endless) Err() error                  { return nil }
func (endless) Value(any) any               { return nil }
