// Package memory is a driver without a library and without a network, for
// tests. It writes to a log of its own, and can be told one lie at a time:
//
//	driver := memory.New(memory.LoseAcked)
//	driver.Broker().CreateTopic("payments", 3)
//
// The suite in drivertest passes it when it is honest and catches every lie.
package memory

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"kcompare/drivers"
)

// Address is the bootstrap.servers of the broker inside. At every other address
// nobody listens.
const Address = "memory:9092"

// Driver is a drivers.Driver that tells one lie.
type Driver struct {
	broker  *Broker
	conduct conduct
}

// New makes a driver with an empty broker. It panics when there is no such lie.
func New(lie Lie) *Driver {
	return &Driver{broker: newBroker(), conduct: lie.conduct()}
}

// Broker is the log behind the driver; it never lies.
func (d *Driver) Broker() *Broker { return d.broker }

// Client is "memory".
func (d *Driver) Client() string { return "memory" }

// Library is the driver itself.
func (d *Driver) Library() drivers.Library {
	return drivers.Library{Name: "memory", Version: d.conduct.version}
}

// Abilities is everything but batches made by hand: the log knows no sequences.
func (d *Driver) Abilities() drivers.Abilities {
	all := drivers.All()
	all.Idempotence, all.Raw = d.conduct.idempotence, d.conduct.raw
	return all
}

// keys is the settings that the driver knows.
func keys() []string {
	return append(ignored(),
		"acks", "auto.offset.reset", "bootstrap.servers", "group.id", "isolation.level", "linger.ms", "transactional.id")
}

// ignored is the settings that mean nothing to a log in memory.
func ignored() []string {
	return []string{
		"auto.commit.interval.ms", "client.id", "compression.type", "delivery.timeout.ms", "enable.auto.commit", "enable.auto.offset.store", "enable.idempotence", "fetch.wait.max.ms",
		"message.max.bytes", "partitioner", "reconnect.backoff.ms", "reconnect.backoff.max.ms", "request.timeout.ms", "retries",
		"retry.backoff.ms", "retry.backoff.max.ms", "session.timeout.ms", "transaction.timeout.ms",
	}
}

// Differences lists the settings that are ignored.
func (d *Driver) Differences(_ drivers.Role, s drivers.Settings) ([]string, error) {
	if err := d.check(s); err != nil {
		return nil, err
	}
	var differences []string
	for _, key := range ignored() {
		if _, set := s.Config[key]; set {
			differences = append(differences, key+": means nothing to a log in memory")
		}
	}
	d.conduct.differences(differences)
	return differences, nil
}

// check finds the first key, in order, that nobody knows.
func (d *Driver) check(s drivers.Settings) error {
	for _, key := range slices.Sorted(maps.Keys(s.Config)) {
		if !d.conduct.knows(key) {
			return &drivers.ConfigError{Keys: []string{key}, Reason: "no such setting"}
		}
	}
	return nil
}

// NewProducer makes a producer.
func (d *Driver) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	p, err := d.newProducer(s)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d *Driver) newProducer(s drivers.Settings) (*producer, error) {
	if err := d.check(s); err != nil {
		return nil, err
	}
	linger, err := strconv.Atoi(s.Config["linger.ms"])
	if s.Config["linger.ms"] != "" && (err != nil || linger < 0) {
		return nil, &drivers.ConfigError{Keys: []string{"linger.ms"}, Reason: "expected milliseconds, 0 or more"}
	}
	return &producer{
		broker: d.broker, conduct: d.conduct, linger: time.Duration(linger) * time.Millisecond,
		reachable: s.Config["bootstrap.servers"] == Address, noAcks: s.Config["acks"] == "0",
		ownBatch: d.conduct.ownBatch(s.OneRecordPerBatch), state: Visible,
	}, nil
}

// NewTransactionalProducer makes a producer that waits for Init.
func (d *Driver) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := d.newProducer(s)
	if err != nil {
		return nil, err
	}
	p.state, p.transaction = d.conduct.enters, &session{}
	return &transactionalProducer{producer: p, id: s.Config["transactional.id"]}, nil
}

// NewConsumer makes a consumer without an assignment.
func (d *Driver) NewConsumer(s drivers.Settings) (drivers.Consumer, error) {
	if err := d.check(s); err != nil {
		return nil, err
	}
	return &consumer{
		broker: d.broker, conduct: d.conduct, clientID: s.Config["client.id"], groupID: s.Config["group.id"],
		committedOnly: d.conduct.committedOnly(s.Config["isolation.level"] == "read_committed"),
		fromStart:     s.Config["auto.offset.reset"] == "earliest",
		closed:        make(chan struct{}), cursors: map[drivers.TopicPartition]*cursor{},
	}, nil
}

// failure is an error of this driver's own.
func failure(call string, class drivers.Class, code, text string) *drivers.Error {
	return &drivers.Error{Call: call, Class: class, Code: code, Text: text}
}
