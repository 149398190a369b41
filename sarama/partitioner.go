package sarama

import (
	"errors"
	"strings"

	"github.com/IBM/sarama"

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
	inner sarama.PartitionerConstructor
	keyless
}{
	"consistent_random": {sarama.NewConsistentCRCHashPartitioner, spreadBoth},
	"consistent":        {sarama.NewConsistentCRCHashPartitioner, hashBoth},
	"murmur2_random":    {sarama.NewMurmur2Partitioner, hashEmpty},
	"murmur2":           {sarama.NewMurmur2Partitioner, hashBoth},
	"fnv1a_random":      {sarama.NewHashPartitioner, hashEmpty},
	"fnv1a":             {sarama.NewHashPartitioner, hashBoth},
	"random":            {sarama.NewRandomPartitioner, hashEmpty},
}

// partitioner is the one of that name, sarama's default for any other.
func partitioner(name string) sarama.PartitionerConstructor {
	p, known := partitioners[strings.ToLower(name)]
	switch {
	case !known:
		return sarama.NewConfig().Producer.Partitioner
	case p.keyless == hashEmpty: // as sarama does
		return p.inner
	}
	return func(topic string) sarama.Partitioner { return keyed{p.inner(topic), p.keyless} }
}

// knownPartitioner only refuses names: addOwn sets the field, because it is
// set without the setting as well.
func knownPartitioner(_ *sarama.Config, value string, _ given, _ config.Role) error {
	if _, ok := partitioners[strings.ToLower(value)]; !ok {
		return errors.New("sarama has no such partitioner")
	}
	return nil
}

func partitionerNote(value string, _ given) string {
	if p := partitioners[strings.ToLower(value)]; p.keyless == hashBoth {
		return ""
	}
	return "sarama chooses a partition for each record without a key"
}

// keyed gives a partitioner the key that librdkafka's would see.
type keyed struct {
	sarama.Partitioner
	keyless
}

func (k keyed) Partition(m *sarama.ProducerMessage, n int32) (int32, error) {
	return k.Partitioner.Partition(k.seen(m), n)
}

func (k keyed) MessageRequiresConsistency(m *sarama.ProducerMessage) bool {
	return requiresConsistency(k.Partitioner, k.seen(m))
}

func (k keyed) seen(m *sarama.ProducerMessage) *sarama.ProducerMessage {
	switch {
	case m.Key != nil && m.Key.Length() > 0:
		return m
	case k.keyless == spreadBoth:
		return &sarama.ProducerMessage{}
	}
	return &sarama.ProducerMessage{Key: sarama.ByteEncoder{}}
}

// explicit sends a record where the program said, and asks another partitioner
// about all others.
type explicit struct{ sarama.Partitioner }

func explicitly(inner sarama.PartitionerConstructor) sarama.PartitionerConstructor {
	return func(topic string) sarama.Partitioner { return explicit{inner(topic)} }
}

func (e explicit) Partition(m *sarama.ProducerMessage, n int32) (int32, error) {
	if m.Partition != drivers.AnyPartition {
		return m.Partition, nil
	}
	return e.Partitioner.Partition(m, n)
}

// MessageRequiresConsistency keeps the index of a partition equal to its number, for
// then sarama offers all partitions and not only those with a leader.
func (e explicit) MessageRequiresConsistency(m *sarama.ProducerMessage) bool {
	return m.Partition != drivers.AnyPartition || requiresConsistency(e.Partitioner, m)
}

func requiresConsistency(p sarama.Partitioner, m *sarama.ProducerMessage) bool {
	if dynamic, ok := p.(sarama.DynamicConsistencyPartitioner); ok {
		return dynamic.MessageRequiresConsistency(m)
	}
	return p.RequiresConsistency()
}
