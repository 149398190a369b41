package franz

import (
	"bytes"
	"errors"
	"hash/crc32"
	"strconv"
	"strings"
	"testing"

	"kcompare/drivers"
	"kcompare/drivers/drivertest/kfaketest"
)

func TestPartitions(t *testing.T) {
	cluster := kfaketest.New(t)
	tests := map[string]func(key []byte) bool{ // whether the key decides
		"consistent_random": func(key []byte) bool { return len(key) > 0 },
		"murmur2_random":    func(key []byte) bool { return key != nil },
		"consistent":        func([]byte) bool { return true },
		"murmur2":           func([]byte) bool { return true },
		"":                  func(key []byte) bool { return key != nil },
	}
	for name, decides := range tests {
		t.Run("partitioner="+name, func(t *testing.T) {
			where := spread(t, cluster.Config()["bootstrap.servers"], name, func() (string, error) { return cluster.CreateTopic(t.Context(), 12) })
			for key, partitions := range where {
				var k []byte
				if key != "nil" {
					k = []byte(key)
				}
				if decides(k) && len(partitions) != 1 {
					t.Errorf("key %q went to %d partitions", key, len(partitions))
				}
				if !decides(k) && len(partitions) == 1 {
					t.Errorf("key %q always went to the same partition", key)
				}
			}
			if strings.HasPrefix(name, "consistent") {
				want := int32(crc32.ChecksumIEEE([]byte("order-0042")) % 12)
				if !where["order-0042"][want] {
					t.Errorf("order-0042 went to %v, want %d", where["order-0042"], want)
				}
			}
		})
	}
}

// spread sends 30 records each with a key, an empty key and none, one a batch so
// that sticky partitioners have something to change, and returns the partitions.
func spread(t *testing.T, servers, partitioner string, newTopic func() (string, error)) map[string]map[int32]bool {
	topic, err := newTopic()
	if err != nil {
		t.Fatal(err)
	}
	config := map[string]string{"bootstrap.servers": servers, "linger.ms": "0"}
	if partitioner != "" {
		config["partitioner"] = partitioner
	}
	p, err := New().NewProducer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	where := map[string]map[int32]bool{}
	for key, k := range map[string][]byte{"order-0042": []byte("order-0042"), "": {}, "nil": nil} {
		where[key] = map[int32]bool{}
		for range 30 {
			var got reports
			p.Produce(t.Context(), drivers.Record{Topic: topic, Partition: drivers.AnyPartition, Key: k, Value: bytes.Repeat([]byte("v"), 10000)}, got.of("r"))
			if err := p.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			where[key][got.snapshot()["r"][0].Partition] = true
		}
	}
	return where
}

// A named partition holds with every partitioner, also where kgo asks twice
// because the first choice needs a new batch.
func TestNamedPartition(t *testing.T) {
	cluster := kfaketest.New(t)
	for _, name := range []string{"consistent_random", "murmur2", "random"} {
		topic, err := cluster.CreateTopic(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New().NewProducer(drivers.Settings{Config: map[string]string{
			"bootstrap.servers": cluster.Config()["bootstrap.servers"], "partitioner": name, "linger.ms": "5"}})
		if err != nil {
			t.Fatal(err)
		}
		var got reports
		for i := range 30 {
			p.Produce(t.Context(), drivers.Record{Topic: topic, Partition: int32(i % 3), Value: []byte("v")}, got.of(strconv.Itoa(i)))
		}
		p.Produce(t.Context(), drivers.Record{Topic: topic, Partition: 3, Value: []byte("v")}, got.of("absent"))
		if err := errors.Join(p.Flush(t.Context()), p.Close()); err != nil {
			t.Fatal(err)
		}
		for i, ds := range got.snapshot() {
			if i == "absent" {
				if ds[0].Outcome != drivers.Failed || ds[0].Err.Class != drivers.Application {
					t.Errorf("%s: a partition that does not exist: %+v", name, ds[0])
				}
				continue
			}
			if n, _ := strconv.Atoi(i); ds[0].Partition != int32(n%3) {
				t.Errorf("%s: record %s went to partition %d", name, i, ds[0].Partition)
			}
		}
	}
}
