// Package partition says where a declared partitioner puts a key, so that a plan
// can name partitions before a run and an audit can check them afterwards.
package partition

import (
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"strings"
)

// Func maps a non-empty key to one of n partitions.
type Func func(key []byte, n int32) int32

// Names lists the partitioners that ByName knows.
func Names() []string {
	return []string{"murmur2_random", "murmur2", "consistent_random", "consistent", "fnv1a_random", "fnv1a"}
}

// ByName is the partitioner with librdkafka's name. With and without _random they
// differ in what they do with a record that has no key, which no Func says.
func ByName(name string) (Func, error) {
	switch strings.TrimSuffix(name, "_random") {
	case "murmur2":
		return Murmur2, nil
	case "consistent":
		return CRC32, nil
	case "fnv1a":
		return FNV1a, nil
	}
	return nil, fmt.Errorf("partitioner %q: expected one of %s", name, strings.Join(Names(), ", "))
}

// CRC32 is librdkafka's default for records with a key (rdkafka_msg.c,
// rd_kafka_msg_partitioner_consistent).
func CRC32(key []byte, n int32) int32 {
	return int32(crc32.ChecksumIEEE(key) % uint32(n))
}

// FNV1a is Sarama's default and librdkafka's fnv1a (rdfnv1a.c): the sign of the hash,
// read as an int32, is dropped.
func FNV1a(key []byte, n int32) int32 {
	h := fnv.New32a()
	h.Write(key) // never fails
	sum := int32(h.Sum32())
	if sum < 0 {
		sum = -sum // the least int32 stays itself; as an uint32 it is 2^31
	}
	return int32(uint32(sum) % uint32(n))
}

// Murmur2 is the default of Java and franz-go for records with a key (Kafka's
// Utils.murmur2, masked positive).
func Murmur2(key []byte, n int32) int32 {
	return int32(murmur2(key)&0x7fffffff) % n
}

func murmur2(b []byte) uint32 {
	const (
		seed uint32 = 0x9747b28c
		m    uint32 = 0x5bd1e995
	)
	h := seed ^ uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		k := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		k *= m
		k ^= k >> 24
		h = h*m ^ k*m
	}
	for i := len(b) - 1; i >= 0; i-- {
		h ^= uint32(b[i]) << (8 * i)
	}
	if len(b) > 0 {
		h *= m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}
