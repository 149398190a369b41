// Package broker runs the Kafka cluster that a trial talks to, and reads its
// log back behind the clients' backs.
package broker

import (
	"cmp"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// Cluster is a broker under test.
type Cluster interface {
	// Info says what it is, for the evidence.
	Info() evidence.Broker

	// Addrs maps node id to the host:port on which that node itself listens.
	// Clients under test get the proxy's addresses instead.
	Addrs() map[int32]string

	// Close stops every node. Nothing may be called after it.
	Close() error
}

// Topic is what CreateTopics makes.
type Topic struct {
	Name       string
	Partitions int32
}

// TopicPartition names one partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String is the usual spelling, "orders-0".
func (tp TopicPartition) String() string {
	return tp.Topic + "-" + strconv.Itoa(int(tp.Partition))
}

// Compare orders by topic, then partition.
func (tp TopicPartition) Compare(other TopicPartition) int {
	return cmp.Or(strings.Compare(tp.Topic, other.Topic), cmp.Compare(tp.Partition, other.Partition))
}
