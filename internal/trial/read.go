package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// readBack reads the topics twice: raw, by the reader, and as the client's own
// consumer returns them to a program.
func (r *run) readBack(ctx context.Context, h *house) {
	c := &r.observed.Trial.Conditions
	logCtx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	log, err := h.reader.ReadLog(logCtx, h.topicNames(), h.before)
	r.observed.Log = log
	c.ReadBack = evidence.ReadBackComplete
	if err != nil {
		c.ReadBack = err.Error()
		return
	}
	ownCtx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	if err := r.clientReads(ownCtx, h); err != nil {
		r.observed.Reads, c.ClientRead = nil, err.Error()
	}
}

// clientReads lets the client read everything under read_committed, through the
// proxy, until it has returned the last record that it must return.
func (r *run) clientReads(ctx context.Context, h *house) (err error) {
	settings := h.throughProxy(drivers.Settings{Config: r.observed.Trial.Reading, Log: r.settings.Log})
	consumer, err := r.spec.Driver.NewConsumer(settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, consumer.Close()) }()
	if err := consumer.Assign(ctx, starts(r.observed.Log)); err != nil {
		return err
	}
	r.observed.Reads = []evidence.Read{}
	for targets := lastVisible(r.observed.Log); len(targets) > 0; {
		records, err := consumer.Poll(ctx)
		if err != nil {
			return err
		}
		if len(records) == 0 && ctx.Err() != nil {
			return fmt.Errorf("not at the end after %v: %s", readingTime, missing(targets))
		}
		r.note(records, targets)
	}
	return r.readTail(ctx, consumer)
}

// tailTime is how long a consumer may take to return what it must not return.
const tailTime = 500 * time.Millisecond

// readTail gives the consumer the time to return records that stand behind the
// last visible one, aborted or undecided, if there are any.
func (r *run) readTail(ctx context.Context, consumer drivers.Consumer) error {
	if !hiddenTail(r.observed.Log) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, tailTime)
	defer cancel()
	for ctx.Err() == nil {
		records, err := consumer.Poll(ctx)
		if err != nil {
			return err
		}
		r.note(records, nil)
	}
	return nil
}

// hiddenTail says whether data stands behind the last visible record of any
// partition.
func hiddenTail(log evidence.Log) bool {
	return slices.ContainsFunc(log.Partitions, func(p evidence.PartitionLog) bool {
		hidden := false
		fates := p.Fates()
		for i, b := range p.Batches {
			if len(b.Records) > 0 {
				hidden = fates[i] != evidence.FateVisible
			}
		}
		return hidden
	})
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
func (r *run) note(records []drivers.Record, targets map[drivers.TopicPartition]int64) {
	for _, rec := range records {
		r.observed.Reads = append(r.observed.Reads, read(rec))
		tp := drivers.TopicPartition{Topic: rec.Topic, Partition: rec.Partition}
		if last, waiting := targets[tp]; waiting && rec.Offset >= last {
			delete(targets, tp)
		}
	}
}

// lastVisible is the offset of the last record of each partition that a
// read_committed consumer has to return.
func lastVisible(log evidence.Log) map[drivers.TopicPartition]int64 {
	last := map[drivers.TopicPartition]int64{}
	for _, p := range log.Partitions {
		for rec := range p.Visible() {
			last[of(p)] = rec.Offset
		}
	}
	return last
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
