package memory

import (
	"cmp"
	"slices"
	"sync"

	"kcompare/drivers"
)

// Broker is the log that a driver writes to: topics, transactions, groups. It
// has no control records: the end of a transaction takes up no offset. Methods
// may be called concurrently.
type Broker struct {
	mu      sync.Mutex
	changed chan struct{}         // closed, and replaced, when there may be something new to read
	topics  map[string][][]*Entry // by topic and partition
	epochs  map[string]int        // by transactional.id
	open    map[string]*transaction
	groups  map[string]*group
	deaf    map[string]bool // transactional ids whose EndTxn is lost
}

// Entry is a record as it stands in the log.
type Entry struct {
	drivers.Record
	State        State
	BatchRecords int // records in its batch, this one included
}

// State says what a read_committed reader makes of a record.
type State int

// The states of a record. A record of an open transaction, and everything
// behind it, is Pending.
const (
	Pending State = iota
	Visible
	Aborted
)

// transaction is what an open transaction wrote, and the offsets it was sent.
type transaction struct {
	entries []*Entry
	offsets []groupOffset
}

type groupOffset struct {
	group string
	drivers.Position
}

// group has its members in the order in which they joined.
type group struct {
	members []*consumer
	offsets map[drivers.TopicPartition]int64
}

func newBroker() *Broker {
	return &Broker{
		changed: make(chan struct{}), topics: map[string][][]*Entry{}, epochs: map[string]int{},
		open: map[string]*transaction{}, groups: map[string]*group{}, deaf: map[string]bool{},
	}
}

// CreateTopic makes an empty topic, in place of one of that name.
func (b *Broker) CreateTopic(topic string, partitions int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.topics[topic] = make([][]*Entry, partitions)
	b.announce()
}

// Log is every record of a topic, ordered by partition and offset.
func (b *Broker) Log(topic string) []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	var log []Entry
	for i := range b.topics[topic] {
		log = append(log, b.read(drivers.TopicPartition{Topic: topic, Partition: int32(i)}, 0)...)
	}
	return log
}

// Offsets is what is stored for a group, ordered by topic and partition.
func (b *Broker) Offsets(name string) []drivers.Position {
	b.mu.Lock()
	defer b.mu.Unlock()
	var stored []drivers.Position
	for tp, offset := range b.group(name).offsets {
		stored = append(stored, drivers.Position{TopicPartition: tp, Offset: offset})
	}
	slices.SortFunc(stored, comparePositions)
	return stored
}

// Undecided says whether an open transaction has offsets for the group.
func (b *Broker) Undecided(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.undecided(name)
}

// LoseEndTxn loses every later request to end a transaction of this id.
func (b *Broker) LoseEndTxn(transactionalID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deaf[transactionalID] = true
}

// TimeOut aborts every open transaction and fences its producer, as brokers do when
// transaction.timeout.ms has passed.
func (b *Broker) TimeOut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.open {
		b.takeOver(id, honest())
	}
}

// Expel takes the members that have this client.id out of their groups, as the end of
// their session does, and says how many there were.
func (b *Broker) Expel(clientID string) (expelled int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, g := range b.groups {
		before := len(g.members)
		g.members = slices.DeleteFunc(g.members, func(m *consumer) bool { return m.clientID == clientID })
		expelled += before - len(g.members)
	}
	b.announce()
	return expelled
}

func comparePositions(p, q drivers.Position) int {
	return cmp.Or(p.Compare(q.TopicPartition), cmp.Compare(p.Offset, q.Offset))
}

// The rest of the methods are called with the lock held.

func (b *Broker) announce() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *Broker) group(name string) *group {
	if b.groups[name] == nil {
		b.groups[name] = &group{offsets: map[drivers.TopicPartition]int64{}}
	}
	return b.groups[name]
}

func (b *Broker) has(tp drivers.TopicPartition) bool {
	return tp.Partition >= 0 && int(tp.Partition) < len(b.topics[tp.Topic])
}

func (b *Broker) end(tp drivers.TopicPartition) int64 {
	return int64(len(b.topics[tp.Topic][tp.Partition]))
}

// read copies a partition from an offset on. Behind the first pending record
// everything is pending: that is the last stable offset.
func (b *Broker) read(tp drivers.TopicPartition, from int64) []Entry {
	var read []Entry
	stable := true
	for _, e := range b.topics[tp.Topic][tp.Partition] {
		stable = stable && e.State != Pending
		copied := *e
		if !stable && copied.State == Visible {
			copied.State = Pending
		}
		if e.Offset >= from {
			read = append(read, copied)
		}
	}
	return read
}

// append writes a record of a batch of so many, and returns its entry.
func (b *Broker) append(r drivers.Record, state State, batchRecords int) *Entry {
	partitions := b.topics[r.Topic]
	r.Offset = int64(len(partitions[r.Partition]))
	e := &Entry{Record: r, State: state, BatchRecords: batchRecords}
	partitions[r.Partition] = append(partitions[r.Partition], e)
	b.announce()
	return e
}

// takeOver gives out the next epoch of a transactional.id and aborts what an
// older producer left open.
func (b *Broker) takeOver(id string, as conduct) int {
	b.epochs[id]++
	if t := b.open[id]; t != nil {
		b.endTransaction(id, t, false, as)
	}
	return b.epochs[id]
}

// endTransaction decides the fate of every record, and stores the offsets.
func (b *Broker) endTransaction(id string, t *transaction, commit bool, as conduct) {
	delete(b.open, id)
	for i, e := range t.entries {
		e.State = as.fate(commit, i)
	}
	if as.storesOffsets(commit) {
		for _, o := range t.offsets {
			b.group(o.group).offsets[o.TopicPartition] = o.Offset
		}
	}
	b.announce()
}

// undecided says whether an open transaction has offsets for the group.
func (b *Broker) undecided(name string) bool {
	for _, t := range b.open {
		if slices.ContainsFunc(t.offsets, func(o groupOffset) bool { return o.group == name }) {
			return true
		}
	}
	return false
}
