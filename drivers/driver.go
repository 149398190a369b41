// Package drivers is the contract between kcompare and a Kafka client library:
// what a scenario may ask of a library, and what a driver must report back.
//
// A driver is an adapter, not a fixer. It never retries, gates or repairs what
// its library would do; it reports what the library said, in the words below.
// Every driver passes the suite in drivers/drivertest.
package drivers

import "context"

// Driver makes the clients of one library. Its methods may be called
// concurrently; constructors do not wait for the broker.
type Driver interface {
	// Client is the name that users give: "franz", "librdkafka".
	Client() string

	// Library says exactly which library is measured, as the library itself
	// reports it at run time.
	Library() Library

	// Abilities lists what the library can do at all.
	Abilities() Abilities

	// Differences says, without connecting, what the library can express only
	// approximately: one sentence a setting, "linger.ms: ...", sorted. The
	// error is an *UnsupportedError for a setting that the library cannot
	// express, or a *ConfigError for one that is wrong for every library.
	Differences(Role, Settings) ([]string, error)

	// NewProducer makes a producer. The error classes are those of Differences,
	// or an *Error when the library itself refuses the settings.
	NewProducer(Settings) (Producer, error)

	// NewTransactionalProducer makes a producer that writes in transactions;
	// the settings have a transactional.id.
	NewTransactionalProducer(Settings) (TransactionalProducer, error)

	// NewConsumer makes a consumer. It reads nothing until Subscribe or Assign.
	NewConsumer(Settings) (Consumer, error)
}

// Library names a client library and its exact version.
type Library struct {
	Name    string // "franz-go", "librdkafka"
	Version string // "v1.22.3", "2.11.1"
	Via     string // the binding around it, "confluent-kafka-go v2.11.1"; empty when there is none
}

// String is the library as reports print it: "librdkafka 2.11.1 (confluent-kafka-go v2.11.1)".
func (l Library) String() string {
	s := l.Name + " " + l.Version
	if l.Via != "" {
		s += " (" + l.Via + ")"
	}
	return s
}

// Abilities is what a library can do. A scenario that needs more is
// not-supported for that client.
type Abilities struct {
	Idempotence  bool // producer ids and sequences without transactions
	Transactions bool // TransactionalProducer, SendOffsets included
	Groups       bool // Consumer.Subscribe
	Raw          bool // the driver is a RawDriver
	Cancellation bool // Settings.RecordContexts
	PlainClose   bool // producers are PlainClosers, or their Close is the library's own as it is
	Figures      bool // producers that Settings.Figures asks for are Tellers
	Rebalances   bool // consumers in a group are Rebalancing
	Store        bool // consumers are Storing

	// For benchmarks; no story needs them.
	Bulk             bool // producers are BulkProducers and consumers BulkConsumers
	Paced            bool // they take Bulk.Rate
	BulkTransactions bool // transactional producers are BulkProducers that take Bulk.Transaction, and BulkProcessors
}

// All is every ability that a story may need.
func All() Abilities {
	return Abilities{
		Idempotence: true, Transactions: true, Groups: true, Raw: true, Cancellation: true,
		PlainClose: true, Figures: true, Rebalances: true, Store: true,
	}
}

// Lacking lists what of a the library does not have, in words.
func (a Abilities) Lacking(has Abilities) []string {
	var lacking []string
	for _, ability := range []struct {
		needed, has bool
		name        string
	}{
		{a.Idempotence, has.Idempotence, "idempotence"},
		{a.Transactions, has.Transactions, "transactions"},
		{a.Groups, has.Groups, "consumer groups"},
		{a.Raw, has.Raw, "raw requests, for batches made by hand"},
		{a.Cancellation, has.Cancellation, "cancellation of single records"},
		{a.PlainClose, has.PlainClose, "close that is the library's own"},
		{a.Figures, has.Figures, "figures of itself"},
		{a.Rebalances, has.Rebalances, "word of its rebalances"},
		{a.Store, has.Store, "store of offsets for automatic commits"},
	} {
		if ability.needed && !ability.has {
			lacking = append(lacking, ability.name)
		}
	}
	return lacking
}

// Role says what a set of settings is for.
type Role int

// The roles of a client; their settings differ.
const (
	RoleProducer Role = iota
	RoleTransactionalProducer
	RoleConsumer
)

// String is the role in words.
func (r Role) String() string {
	switch r {
	case RoleProducer:
		return "producer"
	case RoleTransactionalProducer:
		return "transactional producer"
	case RoleConsumer:
		return "consumer"
	}
	return "unknown role"
}

// Settings is how a client is to be built.
type Settings struct {
	// Config has canonical setting names (see internal/config), values as
	// librdkafka spells them. Only these keys differ from the library's own
	// defaults.
	Config map[string]string

	// OneRecordPerBatch asks that no two records share a batch, which no single
	// setting expresses in every library. A driver may add a header named
	// PaddingHeader to get there.
	OneRecordPerBatch bool

	// Bare asks for the library as it is: where Config is silent its own default
	// holds, also where a driver otherwise decides what the contract wants, such as
	// automatic commits. Records of a bare producer name no partition.
	Bare bool

	// RecordContexts makes the context of Produce that of the record for as long as it
	// lives: when it ends, the library gives the record up, if it does that at all with
	// one that is in flight. Without it no record is ever given up by its context.
	RecordContexts bool

	// GiveUpInFlight lets a library give up, for its timeout or its retries, a record
	// of an idempotent producer that was sent and not answered, where it would go on for
	// ever otherwise. It is a choice of the program's that no setting expresses.
	GiveUpInFlight bool

	// Figures asks for a producer that is a Teller, where the library can be one. In
	// some it costs something, and changes nothing on the wire.
	Figures bool

	// Log gets the library's own log, a line a call, from any goroutine; nil
	// drops it. Nothing is ever written to the terminal.
	Log func(line string)
}

// PaddingHeader is the record header that a driver may add to fill a batch.
// Its value means nothing, and no checksum covers it.
const PaddingHeader = "kc-pad"

// Producer hands records to the library, which batches, sends and retries as
// it is built to. Methods may be called concurrently.
type Producer interface {
	// Produce hands over one record and returns without waiting for the broker.
	// While the library's own buffer is full it waits, until ctx ends. What the end of
	// ctx means after that is said by Settings.RecordContexts.
	//
	// report is called once for each record that the library reported on, from
	// any goroutine, perhaps before Produce returns; it must not block. A record
	// that the library refuses at once is reported Failed. A record that it
	// never reports on stays without a call: its outcome is Unknown.
	Produce(ctx context.Context, r Record, report func(Delivery))

	// Flush waits until every record handed over so far has been reported, or
	// ctx ends.
	Flush(ctx context.Context) error

	// Close gives up what is still pending, without waiting for the broker, and
	// frees everything. Records that were pending may be reported Failed during
	// Close, never Acked afterwards.
	Close() error
}

// PlainCloser is a Producer whose Close does more than the library's own: it sees to
// it that what is pending is reported, or that a program is not kept waiting. A story
// about what a library's close does asks for this one.
type PlainCloser interface {
	// ClosePlainly is the library's own close as a program calls it, in the place of
	// Close. What it says of pending records, and whether it says anything, is the
	// library's affair: reports may come after it has returned, or never. The error
	// is one of Close.
	ClosePlainly() error
}

// TransactionalProducer is a producer whose records become visible to
// read_committed readers all together or not at all (KIP-98, KIP-890).
// Transaction calls come from one goroutine at a time.
type TransactionalProducer interface {
	Producer

	// Init gets a producer id and fences every older producer that has the same
	// transactional.id. It is called once, before Begin.
	Init(ctx context.Context) error

	// Begin starts a transaction. Records of Produce belong to it until Commit
	// or Abort returns.
	Begin(ctx context.Context) error

	// SendOffsets adds consumed positions to the transaction: Offset is the next
	// offset to read, group what Consumer.GroupMetadata said (KIP-447).
	SendOffsets(ctx context.Context, offsets []Position, group GroupMetadata) error

	// Commit flushes and then asks the library to commit, whatever happened to
	// single records before: whether a program looks at those is its own
	// business. The outcome is Unknown when the library cannot say; an error
	// with Committed does not occur.
	Commit(ctx context.Context) (TransactionOutcome, error)

	// Abort ends the transaction so that no record of it becomes visible.
	Abort(ctx context.Context) (TransactionOutcome, error)
}

// Consumer reads records. Methods are called from one goroutine, except Close,
// which may be called while Poll waits.
type Consumer interface {
	// Subscribe joins the group.id of the settings for these topics. Offsets
	// are never committed unless Commit is called, the settings say so, or they are
	// Bare and the library does so by default.
	Subscribe(ctx context.Context, topics []string) error

	// Assign reads exactly these partitions from these offsets, without a group
	// assignment. OffsetStart and OffsetEnd are accepted.
	Assign(ctx context.Context, from []Position) error

	// Poll waits until there is at least one record, or ctx ends, and returns
	// what is there in the order the library gives it. The end of ctx is no
	// error: the result is empty then.
	Poll(ctx context.Context) ([]Record, error)

	// Seek makes the next Poll of that partition start at the offset.
	Seek(ctx context.Context, to Position) error

	// Positions is the next offset to be returned by Poll for each assigned
	// partition from which something was returned or that was sought; sorted.
	Positions() ([]Position, error)

	// Commit stores offsets (the next to read) for the group.
	Commit(ctx context.Context, offsets []Position) error

	// Committed reads the group's stored offsets of these partitions; those
	// without one are left out. A transaction that is not yet decided is waited
	// for (KIP-447), until ctx ends.
	Committed(ctx context.Context, partitions []TopicPartition) ([]Position, error)

	// GroupMetadata is what SendOffsets needs of this consumer. Its zero value
	// means that there is no group.
	GroupMetadata() (GroupMetadata, error)

	// Close leaves the group and frees everything.
	Close() error
}
