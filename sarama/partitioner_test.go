package sarama

import (
	"testing"

	"github.com/IBM/sarama"

	"kcompare/drivers"
	"kcompare/internal/partition"
)

func choose(t *testing.T, p sarama.Partitioner, key []byte, named, n int32) int32 {
	t.Helper()
	m := message(drivers.Record{Topic: "t", Partition: named, Key: key}, nil)
	at, err := p.Partition(m, n)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Every partitioner with a hash puts a key where the plan says that it goes, and a
// record that names its partition there.
func TestPartitioners(t *testing.T) {
	const n = 64
	for _, name := range partition.Names() {
		want, err := partition.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		p := explicitly(partitioner(name))("t")
		for _, key := range []string{"order-1", "order-2", "customer-42", "a", "ab", "abc", "abcd"} {
			if got := choose(t, p, []byte(key), drivers.AnyPartition, n); got != want([]byte(key), n) {
				t.Errorf("%s puts %s to %d, expected %d", name, key, got, want([]byte(key), n))
			}
			if got := choose(t, p, []byte(key), 63, n); got != 63 {
				t.Errorf("%s puts a record for partition 63 to %d", name, got)
			}
		}
	}
}

// Without a key librdkafka's partitioners differ, and these do as they do.
func TestKeyless(t *testing.T) {
	const n, tries = 1000, 50
	spreads := func(p sarama.Partitioner, key []byte) bool {
		first := choose(t, p, key, drivers.AnyPartition, n)
		for range tries {
			if choose(t, p, key, drivers.AnyPartition, n) != first {
				return true
			}
		}
		return false
	}
	tests := map[string]struct{ missing, empty bool }{
		"consistent_random": {true, true}, "consistent": {false, false},
		"murmur2_random": {true, false}, "murmur2": {false, false},
		"fnv1a_random": {true, false}, "fnv1a": {false, false},
		"random": {true, true},
	}
	for name, want := range tests {
		p := explicitly(partitioner(name))("t")
		if got := spreads(p, nil); got != want.missing {
			t.Errorf("%s spreads records without a key: %v, expected %v", name, got, want.missing)
		}
		if got := spreads(p, []byte{}); got != want.empty {
			t.Errorf("%s spreads records with an empty key: %v, expected %v", name, got, want.empty)
		}
	}
}

// Whoever has to go to a certain partition is offered all of them.
func TestConsistency(t *testing.T) {
	tests := []struct {
		name  string
		key   []byte
		named int32
		want  bool
	}{
		{"murmur2_random", []byte("k"), drivers.AnyPartition, true},
		{"murmur2_random", nil, drivers.AnyPartition, false},
		{"murmur2_random", nil, 3, true},
		{"consistent", nil, drivers.AnyPartition, true},
		{"consistent_random", []byte{}, drivers.AnyPartition, false},
		{"random", []byte("k"), drivers.AnyPartition, false},
	}
	for _, tt := range tests {
		p := explicitly(partitioner(tt.name))("t").(sarama.DynamicConsistencyPartitioner)
		m := message(drivers.Record{Partition: tt.named, Key: tt.key}, nil)
		if got := p.MessageRequiresConsistency(m); got != tt.want {
			t.Errorf("%s, key %q, partition %d: %v, expected %v", tt.name, tt.key, tt.named, got, tt.want)
		}
	}
}
