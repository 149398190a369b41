//go:build cgo

package librdkafka

import (
	"runtime/debug"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers"
)

// client is the name that users give.
const client = "librdkafka"

// New makes the driver. It never fails; the build without cgo always does.
func New() (drivers.Driver, error) { return driver{}, nil }

type driver struct{}

// Client is "librdkafka".
func (driver) Client() string { return client }

// Library asks the C library for its version; the binding's is what this
// program was linked with.
func (driver) Library() drivers.Library {
	_, version := kafka.LibraryVersion()
	return drivers.Library{Name: client, Version: version, Via: via(debug.ReadBuildInfo())}
}

// via finds the binding's version. A program that was not built from modules
// does not know it.
func via(build *debug.BuildInfo, ok bool) string {
	const binding, module = "confluent-kafka-go", "github.com/confluentinc/confluent-kafka-go/v2"
	if !ok {
		return binding
	}
	for _, dep := range build.Deps {
		if dep.Path != module {
			continue
		}
		if dep.Replace != nil {
			dep = dep.Replace
		}
		return binding + " " + dep.Version
	}
	return binding
}

// Abilities is everything but batches made by hand, and a call that gives up one record.
func (driver) Abilities() drivers.Abilities {
	all := drivers.All()
	all.Raw, all.Cancellation = false, false
	return all
}

// Differences is always empty: canonical settings are librdkafka's own.
func (driver) Differences(role drivers.Role, s drivers.Settings) ([]string, error) {
	_, err := translate(role, s)
	return nil, err
}

// NewProducer makes a producer; see producer.go.
func (driver) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	p, err := newProducer(drivers.RoleProducer, s)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// NewTransactionalProducer makes a transactional producer; see transactions.go.
func (driver) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := newProducer(drivers.RoleTransactionalProducer, s)
	if err != nil {
		return nil, err
	}
	return &transactionalProducer{p}, nil
}

// NewConsumer makes a consumer; see consumer.go.
func (driver) NewConsumer(s drivers.Settings) (drivers.Consumer, error) {
	c, err := newConsumer(s)
	if err != nil {
		return nil, err
	}
	return c, nil
}
