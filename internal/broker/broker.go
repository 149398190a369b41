// Package broker runs the Kafka cluster that a trial talks to, and reads its
// log back behind the clients' backs.
package broker

import (
	"crypto/tls"

	"github.com/twmb/franz-go/pkg/sasl"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// Cluster is a broker under test.
type Cluster interface {
	// Info says what it is, for the evidence.
	Info() evidence.Broker

	// Addrs maps node id to the host:port on which that node itself listens.
	// Clients under test get the proxy's addresses instead.
	Addrs() map[int32]string

	// Access is what it takes to get in at those addresses.
	Access() Access

	// Close stops every node, if they are ours. Nothing may be called after it.
	Close() error
}

// Access is what a cluster asks of whoever connects. The zero value is plaintext
// without authentication.
type Access struct {
	TLS  *tls.Config    // nil: plaintext; without a ServerName each node is verified by its own address
	SASL sasl.Mechanism // nil: none
}

// Topic is what CreateTopics makes.
type Topic struct {
	Name       string
	Partitions int32
	Config     map[string]string // topic settings beside the broker's defaults
	Leaders    []int32           // node ids, one for each partition; nil: the broker's own choice
	Replicas   int16             // of each partition, at most one a node; 0: with Leaders on every node, without the broker's default
}

// TopicPartition names one partition, in the word that drivers use.
type TopicPartition = drivers.TopicPartition
