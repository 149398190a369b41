package evidence

// Observed is all that a trial saw, before anybody judged it. Its Trial has
// everything but counts, anomalies and verdict.
type Observed struct {
	Trial Trial

	Intended int64 // records the scenario meant to write, handed over or not

	Sends        []Send        // in the order of sending
	Runs         []Run         // sends in bulk, beside Sends; no send stands in both
	Transactions []Transaction // in the order of Begin; nil for a story without any
	Log          Log           // what stands in the topics
	Reads        []Read        // what the client's own consumer returned under Trial.Reading, in its order; nil when it did not read
	Uncommitted  []Read        // the same under read_uncommitted; nil when it did not read so
	Consumers    []Consumer    // the consumers in the story; those whose library does not tell of its assignments are left out
	Trace        Trace         // what went over the wire
	Keys         []KeyedTopic  // topics whose partitions a declared partitioner chose
	Told         []Told        // what the library said of itself, in the order of asking
	Processing   *Processing   // of a story that reads, processes and writes; nil for others
	Standing     []Standing    // what the story saw while it looked

	// Defaults are what the catalogue says of this library where nothing is set, of
	// producers and of consumers, in canonical names; nil for a library or version that
	// it does not know.
	Defaults          map[string]string
	ConsumingDefaults map[string]string

	OneRecordPerBatch bool // the scenario asked for it (see drivers.Settings)
}

// Told is what a library said of itself when a story asked for it.
type Told struct {
	Moment  string            // of the story
	Figures map[string]string // by name (see drivers.Figure); what it does not tell is absent
}

// Outcome is what the client said of a record.
type Outcome string

// The outcomes. Unknown is never read as "not written".
const (
	OutcomeAcked   Outcome = "acked"
	OutcomeFailed  Outcome = "failed"
	OutcomeUnknown Outcome = "unknown"
)

// NoOffset stands where a client told no offset, AnyPartition where it told no
// partition.
const (
	NoOffset     int64 = -1
	AnyPartition int32 = -1
)

// Send is one act of sending, and what the client said of it.
type Send struct {
	ID        RecordID    `json:"id"`
	Send      SendID      `json:"send"`
	Key       string      `json:"key"`
	Topic     string      `json:"topic"`
	Outcome   Outcome     `json:"outcome"`
	Partition int32       `json:"partition"`        // as the client told
	Offset    int64       `json:"offset"`           // as the client told
	NoAck     bool        `json:"no_ack,omitempty"` // acks=0: the offset told means nothing
	Error     *ErrorCount `json:"error,omitempty"`

	Transaction int  `json:"transaction,omitempty"` // number of the transaction it belongs to; 0 outside one
	Fenced      bool `json:"fenced,omitempty"`      // handed over when a newer instance of the same transactional.id was ready
}

// Run is consecutive sends of one instance into one partition, of which the
// client said the same: ordinals, numbers of the logical records and offsets
// told all count up by one. It is what bulk sending leaves instead of a Send for
// each record.
type Run struct {
	Topic     string
	Role      string // of the logical records
	Instance  int
	Ordinal   int // of the first send
	Number    int // of the first logical record
	Count     int
	Outcome   Outcome
	Partition int32 // as the client told
	Offset    int64 // of the first record, as the client told; NoOffset when it told none
	NoAck     bool  // acks=0: the offsets told mean nothing

	Transaction int  // as in Send
	Fenced      bool // as in Send
}

// Transaction is one transaction of one producer instance: what the program
// asked for in the end, and what the client said came of it.
type Transaction struct {
	N        int                `json:"n"` // from 1
	Instance int                `json:"instance"`
	Asked    End                `json:"asked,omitempty"` // empty when the program never ended it
	Outcome  TransactionOutcome `json:"outcome"`
	NoCommit bool               `json:"no_commit,omitempty"` // the program asked to abort it, and never to commit
	Fenced   bool               `json:"fenced,omitempty"`    // it was open when a newer instance of the same transactional.id was ready
}

// End is how a program asks for a transaction to end.
type End string

// The two ends of a transaction.
const (
	AskedCommit End = "commit"
	AskedAbort  End = "abort"
)

// TransactionOutcome is what the client said of a transaction. One of unknown
// outcome may be wholly visible or wholly absent, never half.
type TransactionOutcome string

// The outcomes of a transaction.
const (
	TransactionCommitted TransactionOutcome = "committed"
	TransactionAborted   TransactionOutcome = "aborted"
	TransactionUnknown   TransactionOutcome = "unknown"
)

// Standing is a partition as it was at one moment of the story: an open transaction
// held its last stable offset.
type Standing struct {
	Topic     string
	Partition int32
	Stable    int64 // the last stable offset: that of the first record of the transaction
	End       int64 // the end offset at that moment
}

// Processing is what a read-process-write program had to do: each valid input
// has to stand once, under its own identity, in the committed data of every
// output topic. An input that is not valid has to stand in none.
type Processing struct {
	Inputs  []Input
	Outputs []string // topics
}

// Input is a record that stood in the input topic before the story began.
type Input struct {
	ID    RecordID
	Key   string
	Valid bool // by the program's own rules
}

// Log is the topics of a trial as the reader found them, read_uncommitted.
type Log struct {
	Partitions []PartitionLog
}

// PartitionLog is one partition, batch by batch.
type PartitionLog struct {
	Topic     string
	Partition int32
	Before    int64 // end offset before the trial
	After     int64 // end offset when it was read back
	Batches   []Batch
}

// Batch is a record batch of format v2 as it stands in the log (KIP-98).
type Batch struct {
	BaseOffset    int64       `json:"base_offset"`
	LastOffset    int64       `json:"last_offset"`
	ProducerID    int64       `json:"producer_id"` // -1 without idempotence
	ProducerEpoch int16       `json:"producer_epoch"`
	BaseSequence  int32       `json:"base_sequence"`
	Transactional bool        `json:"transactional"`
	Control       string      `json:"control,omitempty"` // Commit or Abort for a marker
	Records       []LogRecord `json:"records,omitempty"`
}

// LogRecord is a data record in the log. ID and Send are the zero value, and
// Foreign is set, where the headers are missing or unreadable.
type LogRecord struct {
	Offset  int64    `json:"offset"`
	Key     string   `json:"key"`
	ID      RecordID `json:"id"`
	Send    SendID   `json:"send"`
	Sum     uint32   `json:"sum"` // computed from what stands in the log
	Foreign bool     `json:"foreign,omitempty"`
}

// Read is a record as the client's own consumer returned it.
type Read struct {
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Offset    int64    `json:"offset"`
	ID        RecordID `json:"id"`
	Sum       uint32   `json:"sum"`
}

// KeyedTopic says how the partition of each key was to be chosen.
type KeyedTopic struct {
	Topic       string
	Partitioner string // librdkafka's name: "murmur2_random"
	Partitions  int32
}
