package franz

import (
	"errors"
	"hash/crc32"
	"hash/fnv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// keyless says what a partitioner of librdkafka does with a record whose key is
// empty or missing (rdkafka_msg.c, rd_kafka_msg_partitioner_*).
type keyless int

const (
	hashEmpty  keyless = iota // an empty key is a key; only a missing one is spread
	spreadBoth                // neither is a key
	hashBoth                  // both go to the partition of the empty key
)

var partitioners = map[string]struct {
	inner kgo.Partitioner
	keyless
}{
	"consistent_random": {kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE)), spreadBoth},
	"consistent":        {kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE)), hashBoth},
	"murmur2_random":    {kgo.StickyKeyPartitioner(nil), hashEmpty},
	"murmur2":           {kgo.StickyKeyPartitioner(nil), hashBoth},
	"fnv1a_random":      {kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv1a)), hashEmpty},
	"fnv1a":             {kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv1a)), hashBoth},
	"random":            {kgo.StickyPartitioner(), hashEmpty},
}

func fnv1a(key []byte) uint32 {
	h := fnv.New32a()
	h.Write(key)
	return h.Sum32()
}

// partitioner is the one of that name, kgo's default for any other.
func partitioner(name string) kgo.Partitioner {
	p, ok := partitioners[strings.ToLower(name)]
	if !ok {
		return kgo.UniformBytesPartitioner(64<<10, true, true, nil)
	}
	return keyed{p.inner, p.keyless}
}

// knownPartitioner only refuses names: addOwn sets the option, because it is
// set without the setting as well.
func knownPartitioner(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
	if _, ok := partitioners[strings.ToLower(value)]; !ok {
		return nil, errors.New("franz-go has no such partitioner")
	}
	return nil, nil
}

func partitionerNote(value string, _ given) string {
	if p := partitioners[strings.ToLower(value)]; p.keyless == hashBoth {
		return ""
	}
	return "franz-go changes the partition of records without a key by batch, not by time"
}

// keyed gives a partitioner the key that librdkafka's would see.
type keyed struct {
	inner kgo.Partitioner
	keyless
}

func (k keyed) ForTopic(topic string) kgo.TopicPartitioner {
	return &keyedTopic{TopicPartitioner: k.inner.ForTopic(topic), keyless: k.keyless}
}

type keyedTopic struct {
	kgo.TopicPartitioner
	keyless
}

func (k *keyedTopic) RequiresConsistency(r *kgo.Record) bool {
	return k.TopicPartitioner.RequiresConsistency(k.seen(r))
}

func (k *keyedTopic) Partition(r *kgo.Record, n int) int {
	return k.TopicPartitioner.Partition(k.seen(r), n)
}

func (k *keyedTopic) OnNewBatch() { k.TopicPartitioner.(kgo.TopicPartitionerOnNewBatch).OnNewBatch() }

func (k *keyedTopic) seen(r *kgo.Record) *kgo.Record {
	switch {
	case len(r.Key) > 0, k.keyless == hashEmpty:
		return r
	case k.keyless == spreadBoth:
		return &kgo.Record{}
	}
	return &kgo.Record{Key: []byte{}}
}

// explicit sends a record where the program said, and asks another partitioner
// about all others.
type explicit struct{ inner kgo.Partitioner }

// ForTopic has the methods that the inner one has and no other, because they change how
// kgo calls a partitioner. None of those above has both.
func (e explicit) ForTopic(topic string) kgo.TopicPartitioner {
	inner := e.inner.ForTopic(topic)
	switch more := inner.(type) {
	case kgo.TopicBackupPartitioner:
		return &explicitBackup{explicitTopic{inner}, more}
	case kgo.TopicPartitionerOnNewBatch:
		return &explicitSticky{explicitTopic{inner}, more}
	}
	return &explicitTopic{inner}
}

type explicitTopic struct{ inner kgo.TopicPartitioner }

type explicitSticky struct {
	explicitTopic
	kgo.TopicPartitionerOnNewBatch
}

type explicitBackup struct {
	explicitTopic
	backup kgo.TopicBackupPartitioner
}

// RequiresConsistency keeps the index of a partition equal to its number, for
// then kgo offers all partitions and not only those with a leader.
func (e *explicitTopic) RequiresConsistency(r *kgo.Record) bool {
	return named(r) != drivers.AnyPartition || e.inner.RequiresConsistency(r)
}

func (e *explicitTopic) Partition(r *kgo.Record, n int) int {
	if partition := named(r); partition != drivers.AnyPartition {
		return int(partition)
	}
	return e.inner.Partition(r, n)
}

func (e *explicitBackup) PartitionByBackup(r *kgo.Record, n int, backup kgo.TopicBackupIter) int {
	if partition := named(r); partition != drivers.AnyPartition {
		return int(partition)
	}
	return e.backup.PartitionByBackup(r, n, backup)
}
