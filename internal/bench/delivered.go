package bench

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"kcompare/drivers"
	"kcompare/internal/batch"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// The read-back of a turn: which records the log has, each by the number in its value.

// delivered is what was found of records 0 to load.Records.
type delivered struct {
	load    evidence.BenchLoad
	counted bool     // About.Counted: nothing to know a record by
	had     []uint64 // a bit for each record
	dots    []byte
	key     []byte // scratch

	records    int64 // found, each once
	bytes      int64 // of keys and values of all that was found
	duplicates int64
	foreign    int64  // that the turn cannot have written
	example    string // the first of those
	batches    int64
	markers    map[int32]int64 // of commits, by partition
}

func newDelivered(load evidence.BenchLoad, counted bool) *delivered {
	return &delivered{
		load: load, counted: counted, had: make([]uint64, (load.Records+63)/64),
		dots: bytes.Repeat([]byte("."), load.RecordBytes), markers: map[int32]int64{},
	}
}

// lost is how many are not there.
func (d *delivered) lost() int64 { return d.load.Records - d.records }

// isForeign stands for the number of a record that the turn cannot have written.
const isForeign = -1

// number is that of a record as drivers.Bulk describes them. The padding may be absent:
// tools of others write the number alone.
func (d *delivered) number(key, value []byte) int64 {
	if d.counted {
		return d.records + d.duplicates
	}
	n, digits := drivers.BulkNumber(value)
	rest := value[digits:]
	if digits == 0 || n >= d.load.Records || len(rest) > len(d.dots) || !bytes.Equal(rest, d.dots[:len(rest)]) || !d.hasKey(n, key) {
		if d.example == "" {
			d.example = fmt.Sprintf("key %.40q, value %.40q", key, value)
		}
		return isForeign
	}
	return n
}

func (d *delivered) hasKey(n int64, key []byte) bool {
	if d.load.Keys == 0 {
		return len(key) == 0
	}
	d.key = strconv.AppendInt(append(d.key[:0], "key-"...), n%d.load.Keys, 10)
	return bytes.Equal(key, d.key)
}

// add takes a record that is visible.
func (d *delivered) add(n int64, size int) {
	d.bytes += int64(size)
	switch {
	case n == isForeign:
		d.foreign++
	case n >= d.load.Records: // of those that are only counted
		d.duplicates++
	case d.had[n/64]&(1<<(n%64)) != 0:
		d.duplicates++
	default:
		d.had[n/64] |= 1 << (n % 64)
		d.records++
	}
}

// held is a record of a transaction that is not decided yet.
type held struct {
	n    int64
	size int
}

// partition is a batch.Visitor that reads as read_committed does.
type partition struct {
	*delivered
	id   int32
	open map[int64][]held // by producer id
	of   int64            // producer id of the transactional batch that is read now; -1: it is none
}

func (p *partition) Batch(h batch.Header, control string) error {
	p.of = -1
	switch control {
	case evidence.Commit:
		for _, r := range p.open[h.ProducerID] {
			p.add(r.n, r.size)
		}
		p.markers[p.id]++
		delete(p.open, h.ProducerID)
	case evidence.Abort:
		delete(p.open, h.ProducerID)
	case "":
		p.batches++
		if h.Transactional() {
			p.of = h.ProducerID
		}
	}
	return nil
}

func (p *partition) Record(_ int64, key, value []byte) error {
	n, size := p.number(key, value), len(key)+len(value)
	if p.of < 0 {
		p.add(n, size)
		return nil
	}
	p.open[p.of] = append(p.open[p.of], held{n, size})
	return nil
}

// settling is how long the read-back waits for more where something is missing and
// fewer acks than all were asked for: with 0 a client is done before the broker is, with 1
// before the followers are, and a reader sees no further than those.
const settling = 2 * time.Second

// lookAgain is the pause between two looks at a log that is short of records.
const lookAgain = 50 * time.Millisecond

// readBack reads a topic from these offsets on, until every record is there or nothing
// more came for so long.
func readBack(ctx context.Context, r *broker.Reader, topic string, from map[broker.TopicPartition]int64, d *delivered, wait time.Duration) error {
	partitions := make([]*partition, d.load.Partitions)
	at := make([]int64, d.load.Partitions)
	for id := range d.load.Partitions {
		partitions[id] = &partition{delivered: d, id: id, open: map[int64][]held{}}
		at[id] = from[broker.TopicPartition{Topic: topic, Partition: id}]
	}
	patience := time.NewTimer(wait)
	defer patience.Stop()
	for {
		moved, err := readOn(ctx, r, topic, partitions, at)
		if err != nil || d.lost() == 0 || wait == 0 {
			return err
		}
		if moved {
			patience.Reset(wait)
		}
		select {
		case <-time.After(lookAgain):
		case <-patience.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// readOn reads all partitions to their ends, and says whether there was anything.
func readOn(ctx context.Context, r *broker.Reader, topic string, partitions []*partition, at []int64) (moved bool, err error) {
	for i, p := range partitions {
		next, err := r.VisitPartition(ctx, broker.TopicPartition{Topic: topic, Partition: p.id}, at[i], p)
		if err != nil {
			return moved, err
		}
		moved = moved || next > at[i]
		at[i] = next
	}
	return moved, nil
}

// void says what is wrong with the log; empty if nothing is.
func (d *delivered) void() []string {
	var why []string
	if n := d.lost(); n > 0 {
		why = append(why, fmt.Sprintf("lost %d of %d records", n, d.load.Records))
	}
	if d.duplicates > 0 {
		why = append(why, fmt.Sprintf("%d duplicates", d.duplicates))
	}
	if d.foreign > 0 {
		why = append(why, fmt.Sprintf("%d records that are none of the turn's, the first with %s", d.foreign, d.example))
	}
	return why
}

// transactions says whether so many can have committed: each left a marker in at least
// one partition, and in none two.
func (d *delivered) transactions(told int64) []string {
	var least, most int64
	for _, n := range d.markers {
		least, most = max(least, n), most+n
	}
	if told >= least && told <= most {
		return nil
	}
	return []string{fmt.Sprintf("it tells of %d transactions, and the markers in the log are those of %d to %d", told, least, most)}
}
