package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"kcompare/drivers"
)

// making is a bulk of records that is being made. What happens to each record costs no
// memory of its own and no look at the clock, unless the bulk is paced: a benchmark
// measures the library.
type making struct {
	client *served
	bulk   *bulk
	*reports
	pace   pace
	values memory
	keys   [][]byte

	transactions latencies
}

// produceMany makes the records of a bulk, and reports on them in runs.
func (c *served) produceMany(line *incoming) (any, error) {
	if err := line.check(c.transactional != nil); err != nil {
		return nil, err
	}
	m := newMaking(c, &line.bulk)
	before := allocatedSoFar()
	m.begin(c.clock.now())
	stop := m.tellOften()
	err := m.make()
	took := c.clock.now().Sub(m.pace.began)
	allocated := allocatedSince(before)
	stop()
	return measured{ElapsedUS: took.Microseconds(), Latencies: m.latencies(), Allocated: allocated}, err
}

// mostRecords bounds what a bulk keeps of each block of its records.
const mostRecords = 10_000_000_000

// check says what is wrong with a bulk.
func (b *bulk) check(transactional bool) error {
	switch {
	case b.Count < 1 || b.Partition == nil:
		return errNoCount
	case b.Count > mostRecords:
		return errManyRecords
	case b.Rate < 0 || b.Transaction < 0:
		return errNegative
	case b.Transaction > 0 && !transactional:
		return errNotTransactional
	}
	return nil
}

func newMaking(c *served, b *bulk) *making {
	m := &making{client: c, bulk: b, pace: pace{rate: b.Rate, clock: c.clock}, keys: keysOf(b), reports: newReports(c, b.Count)}
	c.produced += b.Count
	if b.Transaction > 0 {
		m.transactions = make(latencies, 0, timed(drivers.Bulk{Count: b.Count, Transaction: b.Transaction}))
	}
	return m
}

func (m *making) begin(now time.Time) {
	m.pace.began = now
	if m.bulk.Rate > 0 {
		m.time(&m.pace, m.bulk.Count)
	}
}

// latencies are those of transactions, or of records.
func (m *making) latencies() latencies {
	if m.bulk.Transaction > 0 {
		return m.transactions
	}
	return m.took
}

// make hands everything over, and waits until it is reported or committed.
func (m *making) make() error {
	if m.bulk.Transaction > 0 {
		return m.inTransactions()
	}
	if err := m.handOver(m.client.ctx, 0, m.bulk.Count); err != nil {
		return err
	}
	return m.client.producer.Flush(m.client.ctx)
}

// inTransactions commits after each so many records. Commit flushes.
func (m *making) inTransactions() error {
	c, t := m.client, m.client.transactional
	for n := int64(0); n < m.bulk.Count; n += m.bulk.Transaction {
		began := c.clock.now()
		if err := t.Begin(c.ctx); err != nil {
			return err
		}
		if err := m.handOver(c.ctx, n, min(n+m.bulk.Transaction, m.bulk.Count)); err != nil {
			return err
		}
		if err := commit(c.ctx, t); err != nil {
			return err
		}
		m.transactions = append(m.transactions, micros(c.clock.now().Sub(began)))
	}
	return nil
}

// commit is nil when the library says that the transaction has committed.
func commit(ctx context.Context, t drivers.TransactionalProducer) error {
	outcome, err := t.Commit(ctx)
	if err == nil && outcome != drivers.Committed {
		err = &drivers.Error{Call: "commit", Class: drivers.UnknownOutcome, Code: "NOT_COMMITTED", Text: "expected committed, the outcome is " + outcome.String()}
	}
	return err
}

// handOver makes the records from first up to end.
func (m *making) handOver(ctx context.Context, first, end int64) error {
	b, producer := m.bulk, m.client.producer
	if p, is := producer.(drivers.PartProducer); is && b.Rate == 0 {
		p.ProducePart(ctx, drivers.BulkPart{
			Topic: b.Topic, Partition: *b.Partition, First: first, End: end,
			Longest: longestRecord(b), Record: m.record, Report: m.reported,
		})
		m.handed = end
		return nil
	}
	r := drivers.Record{Topic: b.Topic, Partition: *b.Partition}
	for n := first; n < end; n++ {
		if b.Rate > 0 {
			if err := m.pace.await(ctx, n); err != nil {
				m.handed = n
				return err
			}
		}
		r.Key, r.Value = m.record(n)
		producer.Produce(ctx, r, m.report(n))
	}
	m.handed = end
	return nil
}

// record is number n, which is handed over next.
func (m *making) record(n int64) (key, value []byte) {
	m.open(n)
	if m.bulk.Keys > 0 {
		key = m.key(n)
	}
	return key, m.values.number(n, m.bulk.ValueBytes)
}

// key is that of record n of a bulk with keys.
func (m *making) key(n int64) []byte {
	if m.keys != nil {
		return m.keys[n%m.bulk.Keys]
	}
	return keyOf(n % m.bulk.Keys)
}

// manyKeys is how many keys are kept rather than made again.
const manyKeys = 100_000

// keysOf is all keys, or nil where there are none or very many.
func keysOf(b *bulk) [][]byte {
	if b.Keys == 0 || b.Keys > manyKeys {
		return nil
	}
	keys := make([][]byte, b.Keys)
	for n := range keys {
		keys[n] = keyOf(int64(n))
	}
	return keys
}

// numberBytes are those of the longest number.
const numberBytes = 20

// longestRecord is more bytes than key and value of a record have.
func longestRecord(b *bulk) int64 {
	return int64(len("key-")+numberBytes) + max(int64(b.ValueBytes), numberBytes)
}

func keyOf(n int64) []byte { return strconv.AppendInt([]byte("key-"), n, 10) }

// memory hands out values one behind the other, of pieces that are not used again: a
// library may still look at a value that it has reported on. It keeps a place in its piece
// and not what is left of it, because a pointer that is stored costs more than a number
// while Go collects garbage.
type memory struct {
	piece []byte
	used  int
}

// number is n in decimal and full stops behind it.
func (m *memory) number(n int64, size int) []byte {
	const piece = 256 << 10 // bytes
	if len(m.piece)-m.used < size+numberBytes {
		m.piece, m.used = bytes.Repeat([]byte{'.'}, max(piece, size+numberBytes)), 0
	}
	begin := m.used
	digits := len(strconv.AppendInt(m.piece[begin:begin], n, 10))
	m.used += max(digits, size)
	return m.piece[begin:m.used:m.used]
}

var (
	errNoCount          = errors.New("count: expected 1 or more")
	errManyRecords      = fmt.Errorf("count: expected %d at most", int64(mostRecords))
	errNegative         = errors.New("rate and transaction: expected 0 or more")
	errNotTransactional = errors.New("transaction: expected a transactional producer")
)
