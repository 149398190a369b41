package drivers

import "context"

// RawDriver is a Driver that can also send record batches which a program made by
// hand: producer id, epoch and sequence are the program's own, and so are repetitions
// and gaps. Abilities.Raw says which library can; most hide all that.
type RawDriver interface {
	// NewRaw makes a client for such batches, which reaches the cluster as the settings
	// say. The error classes are those of Driver.NewProducer.
	NewRaw(Settings) (Raw, error)
}

// Raw sends batches made by hand. It retries no Produce and gives out no sequence
// numbers: what the broker said is returned as it is. Methods are called from one
// goroutine.
type Raw interface {
	// Init asks InitProducerId for a producer id: a new one without a transactional.id,
	// or with one the next epoch of its id, which ends whatever an older instance has
	// open. What the broker does not answer yet is asked again, until ctx ends.
	Init(ctx context.Context, transactionalID string) (ProducerID, error)

	// Produce sends one batch in one request to the leader of its partition, once. An
	// error means that no answer came, and the batch may be in the log or not. A refusal
	// by the broker is no error. With Acks 0 it returns when the request is on its way.
	Produce(ctx context.Context, b RawBatch) (RawAnswer, error)

	// Close frees everything and waits for no broker.
	Close() error
}

// ProducerID is what InitProducerId hands out (KIP-98).
type ProducerID struct {
	ID    int64
	Epoch int16
}

// RawBatch is a record batch of format v2 for one partition.
type RawBatch struct {
	TopicPartition
	ProducerID
	Sequence        int32  // of the first record; those behind it count up
	Acks            int16  // what the request asks for, whatever acks the settings have: -1, 0, 1, ...
	TransactionalID string // "" outside of a transaction
	Records         []Record
}

// RawAnswer is what the broker said of the batch.
type RawAnswer struct {
	Code   string // Kafka's name of the error, "" for none
	Offset int64  // of the first record, as the broker told; NoOffset with an error, and with Acks 0
}
