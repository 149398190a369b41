package broker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

// batches puts each record into a batch of its own, as produce does.
func batches(records []evidence.LogRecord, wrap func(i int, b *evidence.Batch)) []evidence.Batch {
	var bs []evidence.Batch
	for i, r := range records {
		b := evidence.Batch{BaseOffset: r.Offset, LastOffset: r.Offset, Records: []evidence.LogRecord{r}}
		wrap(i, &b)
		bs = append(bs, b)
	}
	return bs
}

func readLog(t *testing.T, r *Reader, before map[TopicPartition]int64) evidence.Log {
	t.Helper()
	log, err := r.ReadLog(withTimeout(t, patience), []string{"orders"}, before)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestReadLogWithoutIdempotence(t *testing.T) {
	e, r := cluster(t, 3)
	cl := producer(t, e, kgo.DisableIdempotentWrite())
	first, third := produce(t, cl, 0, 0, 1, 2), produce(t, cl, 2, 0, 3, 5)
	// franz-go leaves the sequence 0; only the producer id says that it means nothing.
	plain := func(_ int, b *evidence.Batch) { b.ProducerID, b.ProducerEpoch = -1, -1 }
	want := evidence.Log{Partitions: []evidence.PartitionLog{
		{Topic: "orders", Partition: 0, After: 2, Batches: batches(first, plain)},
		{Topic: "orders", Partition: 1},
		{Topic: "orders", Partition: 2, After: 3, Batches: batches(third, plain)},
	}}
	if diff := cmp.Diff(want, readLog(t, r, nil)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadLogIdempotentFromBefore(t *testing.T) {
	e, r := cluster(t, 1)
	cl := producer(t, e)
	produce(t, cl, 0, 0, 1, 2)
	before, err := r.EndOffsets(withTimeout(t, patience), []string{"orders"})
	if err != nil {
		t.Fatal(err)
	}
	records := produce(t, cl, 0, 2, 3, 5)
	id, epoch := producerID(t, cl)
	want := evidence.Log{Partitions: []evidence.PartitionLog{{
		Topic: "orders", Before: 2, After: 5,
		Batches: batches(records, func(i int, b *evidence.Batch) {
			b.ProducerID, b.ProducerEpoch, b.BaseSequence = id, epoch, int32(2+i)
		}),
	}}}
	if diff := cmp.Diff(want, readLog(t, r, before)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func transaction(t testing.TB, cl *kgo.Client, at int64, n int, end kgo.TransactionEndTry) (evidence.LogRecord, func()) {
	t.Helper()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	record := produce(t, cl, 0, at, n, n)[0]
	return record, func() {
		if err := cl.EndTransaction(withTimeout(t, patience), end); err != nil {
			t.Error(err)
		}
	}
}

// shape is what a batch is in a transaction: its control type, or the key of
// its only record.
func shape(b evidence.Batch) string {
	s := fmt.Sprintf("%d transactional=%t", b.BaseOffset, b.Transactional)
	if b.Control != "" {
		return s + " " + b.Control
	}
	return s + " " + b.Records[0].Key
}

func TestReadLogTransactions(t *testing.T) {
	e, r := cluster(t, 1)
	cl := producer(t, e, kgo.TransactionalID("till"))
	_, commit := transaction(t, cl, 0, 1, kgo.TryCommit)
	commit()
	_, abort := transaction(t, cl, 2, 2, kgo.TryAbort)
	abort()
	log := readLog(t, r, nil).Partitions[0]
	var got []string
	for _, b := range log.Batches {
		got = append(got, shape(b))
		if b.ProducerID != log.Batches[0].ProducerID || b.Control != "" && b.Records != nil {
			t.Errorf("batch %+v: expected one producer id, no records beside a marker", b)
		}
	}
	want := []string{"0 transactional=true order-0001", "1 transactional=true COMMIT", "2 transactional=true order-0002", "3 transactional=true ABORT"}
	if diff := cmp.Diff(want, got); diff != "" || log.After != 4 {
		t.Errorf("after %d, -want +got:\n%s", log.After, diff)
	}
}

// reading bounds what a reader waits for in vain. In that time it has to read
// everything else, also where other tests run.
const reading = time.Second

// A transaction that nobody ends: the reader waits for it until its deadline,
// names it, and still returns every partition.
func TestReadLogOpenTransaction(t *testing.T) {
	e, r := cluster(t, 2)
	later := produce(t, producer(t, e), 1, 0, 7, 7)
	cl := producer(t, e, kgo.TransactionalID("till"))
	record, abort := transaction(t, cl, 0, 1, kgo.TryAbort)
	defer abort()
	var fetches atomic.Int64
	e.cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		fetches.Add(1)
		return nil, nil, false // kfake answers, and keeps the control
	})
	log, err := r.ReadLog(withTimeout(t, reading), []string{"orders"}, nil)
	const want = "read back orders-0: last stable offset 0 has not reached end offset 1, a transaction is still open: "
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "orders-1") {
		t.Errorf("error %v, expected %s...", err, want)
	}
	var got [][]evidence.LogRecord
	for _, p := range log.Partitions {
		got = append(got, p.Batches[0].Records)
	}
	if diff := cmp.Diff([][]evidence.LogRecord{{record}, later}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if n, most := fetches.Load(), 3+reading.Milliseconds()/fetchWait; n > most {
		t.Errorf("%d fetches, expected at most %d: the broker is to hold them", n, most)
	}
}

// Two partitions that never become stable are told on one line.
func TestReadLogOpenTransactions(t *testing.T) {
	e, r := cluster(t, 2)
	cl := producer(t, e, kgo.TransactionalID("till"))
	_, abort := transaction(t, cl, 0, 1, kgo.TryAbort)
	defer abort()
	produce(t, cl, 1, 0, 2, 2)
	_, err := r.ReadLog(withTimeout(t, reading), []string{"orders"}, nil)
	if err == nil {
		t.Fatal("no error")
	}
	var got []string
	for _, text := range strings.Split(err.Error(), "; ") {
		place, _, _ := strings.Cut(text, ": last stable offset 0 has not reached end offset 1")
		got = append(got, place)
	}
	if diff := cmp.Diff([]string{"read back orders-0", "read back orders-1"}, got); diff != "" {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
}

// ReadOpenLog gives the last stable offsets some time, and then reads to the end that
// the log has by then.
func TestReadOpenLog(t *testing.T) {
	e, r := cluster(t, 2)
	cl := producer(t, e, kgo.TransactionalID("till"))
	record, abort := transaction(t, cl, 0, 1, kgo.TryAbort)
	later := produce(t, producer(t, e), 0, 1, 7, 7)
	const patience = 300 * time.Millisecond
	log, err := r.ReadOpenLog(withTimeout(t, reading), []string{"orders"}, nil, patience)
	var open *OpenError
	if !errors.As(err, &open) {
		t.Fatalf("error %v, expected an *OpenError", err)
	}
	if diff := cmp.Diff("orders-0: last stable offset 0, end offset 2", open.Error()); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	var got []evidence.LogRecord
	for _, b := range log.Partitions[0].Batches {
		got = append(got, b.Records...)
	}
	if diff := cmp.Diff(append([]evidence.LogRecord{record}, later...), got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	abort()
	if _, err := r.ReadOpenLog(withTimeout(t, reading), []string{"orders"}, nil, patience); err != nil {
		t.Errorf("when it has ended: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.ReadOpenLog(gone, []string{"orders"}, nil, patience); err == nil || errors.As(err, &open) {
		t.Errorf("when nothing could be read: %v", err)
	}
}

// The marker is written only after the reader has come to the end of the log.
func TestReadPartitionWaitsForMarker(t *testing.T) {
	e, r := cluster(t, 1)
	cl := producer(t, e, kgo.TransactionalID("till"))
	_, commit := transaction(t, cl, 0, 1, kgo.TryCommit)
	atEnd, committed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	e.cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if req.(*kmsg.FetchRequest).Topics[0].Partitions[0].FetchOffset == 1 {
			once.Do(func() { close(atEnd) })
		}
		return nil, nil, false // kfake answers, and keeps the control
	})
	ctx, cancel := context.WithCancel(withTimeout(t, patience))
	go func() {
		defer close(committed)
		select {
		case <-atEnd:
			commit()
		case <-ctx.Done(): // the reader never came there
		}
	}()
	var got []string
	err := r.ReadPartition(ctx, TopicPartition{Topic: "orders", Partition: 0}, 0, func(b evidence.Batch) error {
		got = append(got, shape(b))
		return nil
	})
	cancel()
	<-committed
	want := []string{"0 transactional=true order-0001", "1 transactional=true COMMIT"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
}

// offsetsVisited is a batch.Visitor that lists the offset of every record.
type offsetsVisited struct{ offsets []int64 }

func (*offsetsVisited) Batch(batch.Header, string) error { return nil }

func (v *offsetsVisited) Record(offset int64, _, _ []byte) error {
	v.offsets = append(v.offsets, offset)
	return nil
}

// offsets reads a partition with a small limit, so that every batch needs a
// fetch of its own, and lists the offset of every record.
func offsets(t *testing.T, r *Reader, limit int32, each func()) []int64 {
	t.Helper()
	c := newCursor(TopicPartition{Topic: "orders", Partition: 0}, 0)
	c.limit = limit
	var got []int64
	err := r.advance(withTimeout(t, patience), c, (*cursor).stableEnd, parsing(func(b evidence.Batch) error {
		for _, record := range b.Records {
			got = append(got, record.Offset)
		}
		each()
		return nil
	}))
	if err != nil {
		t.Error(err)
	}
	visited := &offsetsVisited{}
	c = newCursor(c.TopicPartition, 0)
	c.limit = limit
	if err := r.advance(withTimeout(t, patience), c, (*cursor).stableEnd, visiting(visited)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, visited.offsets); diff != "" {
		t.Errorf("visited otherwise than parsed: -parsed +visited:\n%s", diff)
	}
	return got
}

func upTo(n int64) []int64 {
	var offsets []int64
	for o := range n {
		offsets = append(offsets, o)
	}
	return offsets
}

func TestLeaderMovesBetweenFetches(t *testing.T) {
	e, r := cluster(t, 1)
	produce(t, producer(t, e), 0, 0, 1, 9)
	node := int32(0)
	got := offsets(t, r, 1, func() {
		node = (node + 1) % 3
		if err := e.PlaceLeader("orders", 0, node); err != nil {
			t.Error(err)
		}
	})
	if diff := cmp.Diff(upTo(9), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Every other fetch ends with the connection closed, and the first time with
// another leader as well.
func TestConnectionsDieBetweenFetches(t *testing.T) {
	e, r := cluster(t, 1)
	produce(t, producer(t, e), 0, 0, 1, 5)
	var fetches atomic.Int64
	e.cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		e.cluster.KeepControl()
		if fetches.Add(1)%2 == 1 {
			return nil, errors.New("closes the connection"), true
		}
		return nil, nil, false
	})
	var once sync.Once
	got := offsets(t, r, 1, func() {
		once.Do(func() {
			if err := e.cluster.RemoveNode(e.cluster.LeaderFor("orders", 0)); err != nil {
				t.Error(err)
			}
		})
	})
	if diff := cmp.Diff(upTo(5), got); diff != "" || fetches.Load() < 10 {
		t.Errorf("%d fetches, -want +got:\n%s", fetches.Load(), diff)
	}
}

// Batches near 1 MB, more of them than one answer holds.
func TestReadLogBigBatches(t *testing.T) {
	e, r := cluster(t, 1)
	cl := producer(t, e, kgo.ProducerBatchCompression(kgo.NoCompression()))
	const n = 20
	for i := range n {
		sent, _ := order(i)
		sent.Value = make([]byte, 990_000)
		if err := cl.ProduceSync(withTimeout(t, patience), sent).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(upTo(n), offsets(t, r, fetchBytes, func() {})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// doctor changes every Fetch answer that has batches. The bytes are what kfake
// itself answered, fetched by another reader.
func doctor(t *testing.T, e *Embedded, change func(req *kmsg.FetchRequest, p *kmsg.FetchResponseTopicPartition)) {
	t.Helper()
	raw := rawLog(t, e)
	e.cluster.ControlKey(int16(kmsg.Fetch), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		e.cluster.KeepControl()
		req := kreq.(*kmsg.FetchRequest)
		part := kmsg.NewFetchResponseTopicPartition()
		part.HighWatermark, part.LastStableOffset = raw.HighWatermark, raw.LastStableOffset
		part.RecordBatches = slices.Clone(after(raw.RecordBatches, req.Topics[0].Partitions[0].FetchOffset))
		change(req, &part)
		topic := kmsg.NewFetchResponseTopic()
		topic.TopicID = req.Topics[0].TopicID
		topic.Partitions = append(topic.Partitions, part)
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
}

// rawLog is the broker's own answer for the whole of orders-0.
func rawLog(t *testing.T, e *Embedded) kmsg.FetchResponseTopicPartition {
	t.Helper()
	part, err := reader(t, e).fetch(withTimeout(t, patience), newCursor(TopicPartition{Topic: "orders", Partition: 0}, 0), false)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// after cuts off the batches of one record each that stand before an offset.
func after(raw []byte, offset int64) []byte {
	for len(raw) > 0 && int64(binary.BigEndian.Uint64(raw)) < offset {
		h, err := batch.ReadHeader(raw)
		if err != nil {
			panic(err) // these are the broker's own bytes
		}
		raw = raw[h.Size:]
	}
	return raw
}

// A broker that cuts even the first batch (before KIP-74) is asked for more
// until that batch fits.
func TestCutBatches(t *testing.T) {
	e, r := cluster(t, 1)
	produce(t, producer(t, e), 0, 0, 1, 5)
	doctor(t, e, func(req *kmsg.FetchRequest, p *kmsg.FetchResponseTopicPartition) {
		limit := int(req.Topics[0].Partitions[0].PartitionMaxBytes)
		p.RecordBatches = p.RecordBatches[:min(limit, len(p.RecordBatches))]
	})
	if diff := cmp.Diff(upTo(5), offsets(t, r, 1, func() {})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A broker that starts before the offset asked for is read once all the same.
func TestEarlyBatches(t *testing.T) {
	e, r := cluster(t, 1)
	produce(t, producer(t, e), 0, 0, 1, 5)
	all := rawLog(t, e).RecordBatches
	doctor(t, e, func(_ *kmsg.FetchRequest, p *kmsg.FetchResponseTopicPartition) {
		one := len(p.RecordBatches) - len(after(p.RecordBatches, int64(binary.BigEndian.Uint64(p.RecordBatches))+1))
		p.RecordBatches = all[:len(all)-len(p.RecordBatches)+one] // from the start, one batch more each time
	})
	if diff := cmp.Diff(upTo(5), offsets(t, r, fetchBytes, func() {})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What was read before the corrupt batch is kept.
func TestReadLogCorruptBatch(t *testing.T) {
	e, r := cluster(t, 1)
	produce(t, producer(t, e), 0, 0, 1, 5)
	doctor(t, e, func(_ *kmsg.FetchRequest, p *kmsg.FetchResponseTopicPartition) {
		bad := after(p.RecordBatches, 3)
		bad[70] ^= 1 // in the first of its records
	})
	log, err := r.ReadLog(withTimeout(t, patience), []string{"orders"}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "read back orders-0: batch at offset 3: checksum is ") {
		t.Errorf("error %v, expected the checksum of the batch at offset 3 of orders-0", err)
	}
	if n := len(log.Partitions[0].Batches); n != 3 {
		t.Errorf("%d batches, expected the 3 before it", n)
	}
}

// The log starts in the middle of a batch when records were deleted.
func TestDeletedRecords(t *testing.T) {
	e, r := cluster(t, 1)
	cl := producer(t, e)
	var records []*kgo.Record
	for n := range 6 {
		sent, _ := order(n)
		records = append(records, sent)
	}
	if err := cl.ProduceSync(withTimeout(t, patience), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := e.cluster.DeleteRecords("orders", 0, 4); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{4, 5}, offsets(t, r, fetchBytes, func() {})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCompactionGaps(t *testing.T) {
	e := start(t, 3)
	r := reader(t, e)

	if err := e.cluster.CreateTopic("orders", 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
		t.Fatal(err)
	}
	cl := producer(t, e)
	for _, n := range []int{1, 2, 1, 3, 2, 4} { // by key, offsets 0 and 1 are superseded
		produce(t, cl, 0, 0, n, n)
	}
	e.cluster.Compact()
	if diff := cmp.Diff([]int64{2, 3, 4, 5}, offsets(t, r, fetchBytes, func() {})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadPartitionBehindTheEnd(t *testing.T) {
	_, r := cluster(t, 1)
	err := r.ReadPartition(withTimeout(t, patience), TopicPartition{Topic: "orders", Partition: 0}, 5, func(evidence.Batch) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "the log starts at 0 and ends before 5") {
		t.Errorf("error %v", err)
	}
}

func TestReadPartitionStopsWithItsCaller(t *testing.T) {
	e, r := cluster(t, 1)
	produce(t, producer(t, e), 0, 0, 1, 3)
	enough := errors.New("enough")
	calls := 0
	err := r.ReadPartition(withTimeout(t, patience), TopicPartition{Topic: "orders", Partition: 0}, 0, func(evidence.Batch) error {
		calls++
		return enough
	})
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("error %v after %d calls, expected the caller's own after one", err, calls)
	}
}

func TestReadLogUnknownTopic(t *testing.T) {
	_, r := cluster(t, 1)
	_, err := r.ReadLog(withTimeout(t, patience), []string{"ordres"}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "read back: metadata of ordres: UNKNOWN_TOPIC_OR_PARTITION") {
		t.Errorf("error %v", err)
	}
}
