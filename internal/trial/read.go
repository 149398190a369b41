package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// Isolation levels as settings spell them.
const (
	isolationLevel  = "isolation.level"
	readUncommitted = "read_uncommitted"
)

// readBack reads the topics twice: raw, by the reader, and as the client's own
// consumer returns them to a program, which it may do under both isolation levels.
func (r *run) readBack(ctx context.Context, h *house) {
	o := r.observed
	c := &o.Trial.Conditions
	logCtx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	var err error
	if r.spec.ChangesCluster() {
		err = h.connectReader()
	}
	if err == nil {
		err = r.awaitWritten(logCtx, h)
	}
	if err == nil {
		o.Log, err = h.readLog(logCtx, r.patience())
	}
	var open *broker.OpenError
	if errors.As(err, &open) {
		c.OpenAtEnd, err = open.Error(), nil
	}
	if err != nil {
		c.ReadBack = err.Error()
		return
	}
	c.ReadBack = evidence.ReadBackComplete
	if o.Reads, err = r.clientReads(ctx, h, o.Trial.Reading); err != nil {
		c.ClientRead = err.Error()
		return
	}
	if !r.spec.Variant.BothViews {
		return
	}
	uncommitted := maps.Clone(o.Trial.Reading)
	uncommitted[isolationLevel] = readUncommitted
	if o.Uncommitted, err = r.clientReads(ctx, h, uncommitted); err != nil {
		c.ClientRead = readUncommitted + ": " + err.Error()
	}
}

func (h *house) readLog(ctx context.Context, patience time.Duration) (evidence.Log, error) {
	topics, err := h.written(ctx)
	if err != nil {
		return evidence.Log{}, err
	}
	return h.reader.ReadOpenLog(ctx, topics, h.before, patience)
}

// How long the end of a transaction is waited for when the story is over: Kafka writes
// markers about a millisecond after it answered EndTxn, and aborts what has timed out at
// its next sweep. In a story that leaves one open nothing more will come.
const (
	markersTime = 8 * time.Second
	openTime    = 500 * time.Millisecond
)

func (r *run) patience() time.Duration {
	if r.spec.Variant.LeavesOpen {
		return openTime
	}
	return markersTime
}

// view is one reading of the topics by the client.
type view struct {
	log         evidence.Log
	uncommitted bool // records of aborted and undecided transactions are wanted too
	reads       []evidence.Read
}

// clientReads lets the client read everything through the proxy, until it has
// returned the last record that it must return. It returns nothing with an error.
func (r *run) clientReads(ctx context.Context, h *house, set map[string]string) (reads []evidence.Read, err error) {
	ctx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	v := &view{log: r.observed.Log, uncommitted: set[isolationLevel] == readUncommitted, reads: []evidence.Read{}}
	consumer, err := r.client.NewConsumer(h.throughProxy(drivers.Settings{Config: set, Log: r.settings.Log}))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, consumer.Close()); err != nil {
			reads = nil
		}
	}()
	if err := consumer.Assign(ctx, starts(v.log)); err != nil {
		return nil, err
	}
	if err := v.toEnd(ctx, consumer); err != nil {
		return nil, err
	}
	return v.reads, v.tail(ctx, consumer)
}

// toEnd polls until the last record of every partition was returned.
func (v *view) toEnd(ctx context.Context, consumer drivers.Consumer) error {
	for targets := v.last(); len(targets) > 0; {
		records, err := consumer.Poll(ctx)
		if err != nil {
			return err
		}
		if len(records) == 0 && ctx.Err() != nil {
			return fmt.Errorf("not at the end after %v: %s", readingTime, missing(targets))
		}
		v.note(records, targets)
	}
	return nil
}

// tailTime is how long a consumer may take to return what it must not return.
const tailTime = 500 * time.Millisecond

// tail gives the consumer the time to return records that stand behind the last
// wanted one, if there are any.
func (v *view) tail(ctx context.Context, consumer drivers.Consumer) error {
	if !v.hiddenTail() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, tailTime)
	defer cancel()
	for ctx.Err() == nil {
		records, err := consumer.Poll(ctx)
		if err != nil {
			return err
		}
		v.note(records, nil)
	}
	return nil
}

// hiddenTail says whether data stands behind the last wanted record of any
// partition.
func (v *view) hiddenTail() bool {
	return slices.ContainsFunc(v.log.Partitions, func(p evidence.PartitionLog) bool {
		hidden := false
		fates := p.Fates()
		for i, b := range p.Batches {
			if len(b.Records) > 0 {
				hidden = !v.wants(fates[i])
			}
		}
		return hidden
	})
}

// wants says whether a reader of this view has to get data of that fate.
func (v *view) wants(f evidence.Fate) bool { return v.uncommitted || f == evidence.FateVisible }

// last is the offset of the last record of each partition that the consumer has
// to return.
func (v *view) last() map[drivers.TopicPartition]int64 {
	last := map[drivers.TopicPartition]int64{}
	for _, p := range v.log.Partitions {
		for rec := range p.Records(v.wants) {
			last[of(p)] = rec.Offset
		}
	}
	return last
}

// starts is where the trial's own records begin in each partition.
func starts(log evidence.Log) []drivers.Position {
	var from []drivers.Position
	for _, p := range log.Partitions {
		from = append(from, drivers.Position{TopicPartition: of(p), Offset: p.Before})
	}
	return from
}

func of(p evidence.PartitionLog) drivers.TopicPartition {
	return drivers.TopicPartition{Topic: p.Topic, Partition: p.Partition}
}

// note keeps what the consumer returned and strikes out the partitions whose
// last record was among it.
func (v *view) note(records []drivers.Record, targets map[drivers.TopicPartition]int64) {
	for _, rec := range records {
		v.reads = append(v.reads, read(rec))
		tp := drivers.TopicPartition{Topic: rec.Topic, Partition: rec.Partition}
		if last, waiting := targets[tp]; waiting && rec.Offset >= last {
			delete(targets, tp)
		}
	}
}

func missing(targets map[drivers.TopicPartition]int64) string {
	tps := slices.SortedFunc(maps.Keys(targets), drivers.TopicPartition.Compare)
	return fmt.Sprintf("%s did not reach offset %d", tps[0], targets[tps[0]])
}

func read(rec drivers.Record) evidence.Read {
	id := evidence.RecordID{}
	if value, ok := rec.Header(evidence.IDHeader); ok {
		id, _ = evidence.ParseRecordID(string(value)) // an unreadable one is nobody's record
	}
	return evidence.Read{
		Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset,
		ID: id, Sum: evidence.Checksum(rec.Key, rec.Value, id),
	}
}
