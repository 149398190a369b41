package franz

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
)

// TestRaw: what is sent stands in the log as it was made, and what the broker says of
// it comes back as it is: a repetition with the offset of the first copy, a refusal with
// its code. A Produce with acks=0 returns without an answer.
func TestRaw(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), drivertest.Patience)
	defer cancel()
	cluster := kfaketest.New(t)
	topic, err := cluster.CreateTopic(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	r, err := driver{}.NewRaw(drivers.Settings{Config: cluster.Config()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	id, err := r.Init(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	produce := func(acks int16, sequence int32, keys ...string) {
		b := drivers.RawBatch{
			TopicPartition: drivers.TopicPartition{Topic: topic, Partition: 1}, ProducerID: id, Sequence: sequence, Acks: acks,
		}
		for _, key := range keys {
			b.Records = append(b.Records, drivers.Record{Key: []byte(key), Value: []byte("v"), Headers: []drivers.Header{{Key: "h", Value: []byte("x")}}})
		}
		answer, err := r.Produce(ctx, b)
		got = append(got, fmt.Sprint(answer, err))
	}
	produce(-1, 0, "a", "b")
	produce(-1, 2, "c")
	produce(-1, 2, "c")
	produce(1, 2, "c")
	produce(-1, 9, "d")
	produce(2, 3, "d")
	produce(0, 3, "e")
	want := []string{
		"{ 0} <nil>", "{ 2} <nil>", "{ 2} <nil>", "{ 2} <nil>", "{OUT_OF_ORDER_SEQUENCE_NUMBER -1} <nil>", "{INVALID_REQUIRED_ACKS -1} <nil>",
		"{ -1} <nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("a b c e", eventually(ctx, t, cluster, topic, 4)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// eventually is the keys of a topic once so many records are in it, acks=0 ones too.
func eventually(ctx context.Context, t *testing.T, cluster drivertest.Cluster, topic string, count int) string {
	t.Helper()
	for {
		log, err := cluster.Log(ctx, topic)
		if err != nil {
			t.Fatal(err)
		}
		if len(log) < count {
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				t.Fatalf("%d of %d records in the log", len(log), count)
			}
			continue
		}
		keys := ""
		for i, rec := range log {
			if i > 0 {
				keys += " "
			}
			keys += string(rec.Key)
			if h, ok := rec.Header("h"); !ok || string(h) != "x" || rec.Partition != 1 {
				t.Errorf("record %s has header %q and stands in partition %d", rec.Key, h, rec.Partition)
			}
		}
		return keys
	}
}

// With a transactional.id each Init is an instance of its own: the same producer id, a
// later epoch, and the one before is fenced off.
func TestRawTransactional(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), drivertest.Patience)
	defer cancel()
	cluster := kfaketest.New(t)
	r, err := driver{}.NewRaw(drivers.Settings{Config: cluster.Config()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first, err1 := r.Init(ctx, "kcompare-raw")
	second, err2 := r.Init(ctx, "kcompare-raw")
	plain, err3 := r.Init(ctx, "")
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	if first.ID != second.ID || first.Epoch >= second.Epoch || plain.ID == first.ID {
		t.Errorf("got %v and %v of one transactional.id, %v without one", first, second, plain)
	}
}

// An abandoned request is an error with a class, and no answer.
func TestRawWithoutABroker(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r, err := driver{}.NewRaw(drivers.Settings{Config: map[string]string{"bootstrap.servers": "127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	answer, err := r.Produce(ctx, drivers.RawBatch{TopicPartition: drivers.TopicPartition{Topic: "kcompare-x"}})
	if drivers.ClassOf(err) == "" || answer.Offset != drivers.NoOffset {
		t.Errorf("got %v and %v, want an error with a class", answer, err)
	}
	if _, err := r.Init(ctx, ""); drivers.ClassOf(err) == "" {
		t.Errorf("init: %v, want an error with a class", err)
	}
}
