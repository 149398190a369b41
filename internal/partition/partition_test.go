package partition_test

import (
	"testing"

	"kcompare/internal/partition"
)

// The partitions were seen on six partitions with librdkafka 2.11.1 (default and
// murmur2_random), franz-go 1.22.3 and Java 4.4.0.
func TestKnownKeys(t *testing.T) {
	for _, tt := range []struct {
		key            string
		murmur2, crc32 int32
	}{
		{"order-1", 4, 1}, {"order-2", 3, 3}, {"order-3", 3, 5}, {"order-4", 2, 2}, {"customer-42", 3, 5},
		{"my_key_1", 0, 2}, {"my_key_2", 4, 2}, {"my_key_3", 5, 2}, {"my_key_4", 2, 5},
	} {
		if got := partition.Murmur2([]byte(tt.key), 6); got != tt.murmur2 {
			t.Errorf("Murmur2(%q, 6) = %d, want %d", tt.key, got, tt.murmur2)
		}
		if got := partition.CRC32([]byte(tt.key), 6); got != tt.crc32 {
			t.Errorf("CRC32(%q, 6) = %d, want %d", tt.key, got, tt.crc32)
		}
	}
}

func TestByName(t *testing.T) {
	for _, name := range partition.Names() {
		if _, err := partition.ByName(name); err != nil {
			t.Errorf("ByName(%q): %v", name, err)
		}
	}
	for _, name := range []string{"", "random", "murmur3", "_random"} {
		if _, err := partition.ByName(name); err == nil {
			t.Errorf("ByName(%q) knows a partitioner that Names does not list", name)
		}
	}
}
