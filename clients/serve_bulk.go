package clients

import (
	"bytes"
	"context"
	"strconv"
	"sync"
	"time"

	"kcompare/drivers"
)

// runTime is how long reports wait to become runs.
const runTime = 100 * time.Millisecond

// produceMany makes the records of a bulk, and reports on them in runs.
func (c *served) produceMany(line *incoming) (any, error) {
	if line.Count < 1 || line.Partition == nil {
		return nil, errNoCount
	}
	runs := &runs{client: c, first: c.produced, reported: map[int64]drivers.Delivery{}}
	c.produced += line.Count
	tick := time.NewTicker(runTime)
	defer tick.Stop()
	began := time.Now()
	for n := range line.Count {
		c.pending.Add()
		c.producer.Produce(c.ctx, line.record(n), func(d drivers.Delivery) {
			runs.note(n, d)
			c.pending.Done()
		})
		select {
		case <-tick.C:
			runs.tell()
		default:
		}
	}
	err := runs.await(c, tick.C)
	elapsed := time.Since(began)
	runs.tell()
	return map[string]int64{"elapsed_us": elapsed.Microseconds()}, err
}

// record is number n of a bulk.
func (b *bulk) record(n int64) drivers.Record {
	r := drivers.Record{Topic: b.Topic, Partition: *b.Partition, Value: strconv.AppendInt(nil, n, 10)}
	if missing := b.ValueBytes - len(r.Value); missing > 0 {
		r.Value = append(r.Value, bytes.Repeat([]byte{'.'}, missing)...)
	}
	if b.Keys > 0 {
		r.Key = strconv.AppendInt([]byte("key-"), n%b.Keys, 10)
	}
	return r
}

// runs collects reports of a bulk.
type runs struct {
	client *served
	first  int64 // the number of its first record

	mu       sync.Mutex
	reported map[int64]drivers.Delivery // and not told
	told     int64                      // how many from the first on
}

func (r *runs) note(n int64, d drivers.Delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reported[n] = d
}

// await tells runs until everything is reported.
func (r *runs) await(c *served, tick <-chan time.Time) error {
	flushed := make(chan error, 1)
	go func() { flushed <- c.producer.Flush(c.ctx) }()
	for {
		select {
		case err := <-flushed:
			return err
		case <-tick:
			r.tell()
		}
	}
}

// tell reports what stands without a gap behind what was told. Where records next to
// each other went to different partitions, runs have neither partition nor offset.
func (r *runs) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var exact, rough []drivers.Reported
	begin := r.told
	for d, is := r.reported[r.told]; is; d, is = r.reported[r.told] {
		delete(r.reported, r.told)
		exact = extend(exact, r.told, d)
		if d.Outcome == drivers.Acked {
			d.Partition, d.Offset = drivers.AnyPartition, drivers.NoOffset
		}
		rough = extend(rough, r.told, d)
		r.told++
	}
	const worthwhile = 20 // records of a run on average
	if len(exact) > 1 && int64(len(exact))*worthwhile > r.told-begin {
		exact = rough
	}
	for _, run := range exact {
		line := reportOf(r.first+run.First, run.Delivery)
		line.Handle, line.Count = r.client.handle, &run.Count
		r.client.out.put(encode(line))
	}
}

// extend adds a record to the last run, or begins one.
func extend(runs []drivers.Reported, n int64, d drivers.Delivery) []drivers.Reported {
	if len(runs) > 0 && d.Outcome == drivers.Acked {
		last := &runs[len(runs)-1]
		next := last.Delivery
		if next.Offset != drivers.NoOffset {
			next.Offset += last.Count
		}
		if next == d {
			last.Count++
			return runs
		}
	}
	return append(runs, drivers.Reported{First: n, Count: 1, Delivery: d})
}

// consumeMany polls until there are enough records, or time is up.
func (c *served) consumeMany(ctx context.Context, count int64) (any, error) {
	if count < 1 {
		return nil, errNoCount
	}
	got := consumed{Runs: []run{}}
	var began time.Time
	for got.Count < count && ctx.Err() == nil {
		records, err := c.consumer.Poll(ctx)
		if err != nil {
			return nil, err
		}
		if got.Count == 0 {
			began = time.Now()
		}
		for _, r := range records {
			got.add(r)
		}
	}
	if got.Count > 0 {
		got.ElapsedUS = time.Since(began).Microseconds()
	}
	return got, nil
}

func (c *consumed) add(r drivers.Record) {
	c.Count++
	c.Bytes += int64(len(r.Key) + len(r.Value))
	if len(c.Runs) > 0 {
		last := &c.Runs[len(c.Runs)-1]
		if last.TopicPartition == placeOf(r) && last.First+last.Count == r.Offset {
			last.Count++
			return
		}
	}
	c.Runs = append(c.Runs, run{TopicPartition: placeOf(r), First: r.Offset, Count: 1})
}
