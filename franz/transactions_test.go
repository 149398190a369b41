package franz

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

func at(partition int32, offset int64) drivers.Position {
	return drivers.Position{TopicPartition: drivers.TopicPartition{Topic: "orders", Partition: partition}, Offset: offset}
}

// offsetPair is a consumer of a group with two partitions, and a transactional
// producer that is ready for Begin.
func offsetPair(t *testing.T, cluster *seen) (drivers.Consumer, *transactional) {
	t.Helper()
	c, err := New().NewConsumer(drivers.Settings{Config: map[string]string{"bootstrap.servers": cluster.servers(), "group.id": "shop"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	p, err := New().NewTransactionalProducer(drivers.Settings{Config: map[string]string{
		"bootstrap.servers": cluster.servers(), "transactional.id": "pay", "compression.type": "none"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	if err := p.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, p.(*transactional)
}

// step is one transaction and the offset that the group has after it.
type step struct {
	record string // what is written: nothing, "good", or "refused" by the broker
	offset int64  // what is sent of orders-0; -1 sends none
	commit bool
	stored int64
}

// Transactions with offsets alone, which kgo would not end, between those that
// it ends itself. Each must use an epoch that the broker still takes.
func TestOffsetsInTransactions(t *testing.T) {
	steps := []step{
		{"", 1, true, 1},
		{"good", 2, true, 2},
		{"", 3, false, 2},
		{"", 4, true, 4},
		{"good", -1, true, 4},
		{"good", 5, false, 4},
		{"", -1, true, 4},
		{"", 6, true, 6},
		{"refused", 7, true, 7},
		{"refused", 8, false, 7},
		{"good", 9, true, 9},
	}
	for name, opts := range map[string][]kfake.Opt{"transaction.version=2": nil, "before KIP-890": {older()}} {
		t.Run(name, func(t *testing.T) {
			cluster := newSeen(t, opts...)
			refuseBig(cluster)
			c, p := offsetPair(t, cluster)
			for i, s := range steps {
				if err := play(t.Context(), p, c, s); err != nil {
					t.Fatalf("transaction %d, %+v: %v", i, s, err)
				}
			}
			added := len(cluster.of(kmsg.AddOffsetsToTxn))
			if sent := 9; opts == nil && added != 0 || opts != nil && added != sent {
				t.Errorf("%d AddOffsetsToTxn requests for %d transactions with offsets", added, sent)
			}
		})
	}
}

// refuseBig answers MESSAGE_TOO_LARGE to a batch of more than 5000 bytes.
func refuseBig(cluster *seen) {
	cluster.ControlKey(int16(kmsg.Produce), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		req := kreq.(*kmsg.ProduceRequest)
		if len(req.Topics[0].Partitions[0].Records) < 5000 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.ProduceResponse)
		topic := kmsg.NewProduceResponseTopic()
		topic.Topic, topic.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
		partition := kmsg.NewProduceResponseTopicPartition()
		partition.Partition, partition.ErrorCode = req.Topics[0].Partitions[0].Partition, kerr.MessageTooLarge.Code
		topic.Partitions = append(topic.Partitions, partition)
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
}

func play(ctx context.Context, p drivers.TransactionalProducer, c drivers.Consumer, s step) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := p.Begin(ctx); err != nil {
		return err
	}
	if s.record != "" {
		size := map[string]int{"good": 10, "refused": 10000}[s.record]
		p.Produce(ctx, drivers.Record{Topic: "payments", Partition: 0, Value: make([]byte, size)}, func(drivers.Delivery) {})
	}
	if s.offset >= 0 {
		group, err := c.GroupMetadata()
		if err := errors.Join(err, p.SendOffsets(ctx, []drivers.Position{at(0, s.offset)}, group)); err != nil {
			return err
		}
	}
	end, want := p.Commit, drivers.Committed
	if !s.commit {
		end, want = p.Abort, drivers.Aborted
	}
	if got, err := end(ctx); got != want || err != nil {
		return fmt.Errorf("ended %s: %w", got, err)
	}
	stored, err := c.Committed(ctx, []drivers.TopicPartition{at(0, 0).TopicPartition})
	if d := cmp.Diff([]drivers.Position{at(0, s.stored)}, stored); d != "" || err != nil {
		return fmt.Errorf("stored offsets: %v %s", err, d)
	}
	return nil
}

// A commit of offsets alone whose answer is lost is repeated, and one that is
// refused for good is not taken for a commit.
func TestEndOfOffsetsAlone(t *testing.T) {
	tests := map[string]struct {
		answer func(req *kmsg.EndTxnRequest) (kmsg.Response, error)
		want   drivers.TransactionOutcome
		class  drivers.Class
	}{
		"connection lost once":    {func(*kmsg.EndTxnRequest) (kmsg.Response, error) { return nil, errors.New("lost") }, drivers.Committed, ""},
		"coordinator moves":       {endTxnAnswer(kerr.NotCoordinator), drivers.Committed, ""},
		"transaction before it":   {endTxnAnswer(kerr.ConcurrentTransactions), drivers.Committed, ""},
		"fenced":                  {endTxnAnswer(kerr.ProducerFenced), drivers.TransactionUnknown, drivers.Fenced},
		"to be aborted (KIP-890)": {endTxnAnswer(kerr.TransactionAbortable), drivers.TransactionUnknown, drivers.Abortable},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := newSeen(t)
			c, p := offsetPair(t, cluster)
			cluster.ControlKey(int16(kmsg.EndTxn), func(req kmsg.Request) (kmsg.Response, error, bool) {
				resp, err := tc.answer(req.(*kmsg.EndTxnRequest))
				return resp, err, true
			})
			group, err := c.GroupMetadata()
			if err := errors.Join(err, p.Begin(t.Context()), p.SendOffsets(t.Context(), []drivers.Position{at(0, 1), at(1, 2)}, group)); err != nil {
				t.Fatal(err)
			}
			got, err := p.Commit(t.Context())
			if got != tc.want || drivers.ClassOf(err) != tc.class {
				t.Errorf("got %s, class %q of %v", got, drivers.ClassOf(err), err)
			}
		})
	}
}

func endTxnAnswer(err *kerr.Error) func(*kmsg.EndTxnRequest) (kmsg.Response, error) {
	return func(req *kmsg.EndTxnRequest) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.EndTxnResponse)
		resp.ErrorCode = err.Code
		return resp, nil
	}
}

func TestSendOffsetsRefusals(t *testing.T) {
	cluster := newSeen(t)
	c, p := offsetPair(t, cluster)
	err := p.SendOffsets(t.Context(), []drivers.Position{at(0, 1)}, drivers.GroupMetadata{Group: "shop", Generation: -1})
	if drivers.ClassOf(err) != drivers.Application || len(cluster.of(kmsg.TxnOffsetCommit)) > 0 {
		t.Errorf("before Begin: class %q of %v", drivers.ClassOf(err), err)
	}
	if err := errors.Join(c.Subscribe(t.Context(), []string{"orders"}), p.Begin(t.Context())); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		group drivers.GroupMetadata
		class drivers.Class
	}{
		"no group":          {drivers.GroupMetadata{}, drivers.Application},
		"generation is old": {drivers.GroupMetadata{Group: "shop", Generation: 41, Member: "nobody"}, drivers.Abortable},
	}
	for name, tc := range tests {
		if err := p.SendOffsets(t.Context(), []drivers.Position{at(0, 1)}, tc.group); drivers.ClassOf(err) != tc.class {
			t.Errorf("%s: class %q of %v, want %s", name, drivers.ClassOf(err), err, tc.class)
		}
	}
	if got, err := p.Abort(t.Context()); got != drivers.Aborted || err != nil {
		t.Errorf("abort after a refusal: %s, %v", got, err)
	}
	err = p.SendOffsets(t.Context(), []drivers.Position{at(0, 1)}, drivers.GroupMetadata{Group: "shop", Generation: -1})
	if drivers.ClassOf(err) != drivers.Application {
		t.Errorf("after the end: class %q of %v", drivers.ClassOf(err), err)
	}
}

// Init acquires the producer id, so the older instance is fenced before the
// newer one begins.
func TestInitFences(t *testing.T) {
	cluster := newSeen(t)
	_, older := offsetPair(t, cluster)
	if err := older.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, newer := offsetPair(t, cluster)
	delivered := make(chan drivers.Delivery, 1)
	older.Produce(t.Context(), drivers.Record{Topic: "payments", Partition: 0}, func(d drivers.Delivery) { delivered <- d })
	if d := <-delivered; d.Outcome != drivers.Failed || d.Err.Class != drivers.Fenced {
		t.Errorf("a record of the older instance: %+v", d)
	}
	if got := len(cluster.of(kmsg.InitProducerID)); got != 2 {
		t.Errorf("%d InitProducerId requests of two instances", got)
	}
	if err := newer.Begin(t.Context()); err != nil {
		t.Error(err)
	}
}
