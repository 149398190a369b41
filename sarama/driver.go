// Package sarama is the driver for sarama (github.com/IBM/sarama).
//
// What it adds to the settings it is given, because the contract in package
// drivers asks for it, and nothing else:
//   - a partitioner that lets a record name its partition, around the one that
//     is configured or sarama's default;
//   - no automatic commits unless enable.auto.commit=true (sarama's default is on);
//   - Config.Version, the newest protocol that sarama knows (its default is that of
//     Kafka 2.8);
//   - with OneRecordPerBatch, Producer.Flush.MaxMessages=1;
//   - a dialer that Close can cut off, and reports of every success and error.
//
// The first three are left out of bare clients.
//
// sarama has one logger for the whole program (sarama.Logger), which cannot be given
// to one client, so it stays unset: Settings.Log gets what sarama tells on its channels
// of errors, no more.
package sarama

import (
	"errors"
	"runtime/debug"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

const client = "sarama"

// New is the driver.
func New() drivers.Driver { return driver{} }

type driver struct{}

func (driver) Client() string { return client }

func (driver) Library() drivers.Library {
	info, _ := debug.ReadBuildInfo()
	return drivers.Library{Name: "sarama", Version: version(info)}
}

const module = "github.com/IBM/sarama"

// fallback is the version in go.mod, for a binary without build information.
const fallback = "v1.61.1"

func version(info *debug.BuildInfo) string {
	if info == nil {
		return fallback
	}
	for _, dep := range info.Deps {
		if dep.Path != module {
			continue
		}
		if dep.Replace != nil {
			dep = dep.Replace
		}
		return dep.Version
	}
	return fallback
}

func (driver) Abilities() drivers.Abilities {
	return drivers.Abilities{
		Idempotence: true, Transactions: true, Groups: true, PlainClose: true, Rebalances: true, Store: true,
	}
}

func (driver) Differences(role drivers.Role, s drivers.Settings) ([]string, error) {
	t, err := translate(role, s)
	return t.differences, err
}

func (driver) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	p, err := newProducer(drivers.RoleProducer, s)
	if err != nil {
		return nil, err // and not a nil *producer in an interface
	}
	p.open()
	return p, nil
}

func (driver) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := newProducer(drivers.RoleTransactionalProducer, s)
	if err != nil {
		return nil, err
	}
	return &transactional{p}, nil
}

func (driver) NewConsumer(s drivers.Settings) (drivers.Consumer, error) {
	c, err := newConsumer(s)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// validate lets sarama refuse the settings, as it would when the client is made.
func validate(t translation) error {
	err := t.conf.Validate()
	if err == nil && len(t.seeds) == 0 {
		err = errors.New("expected bootstrap.servers")
	}
	if err != nil {
		return &drivers.Error{Call: "new client", Class: drivers.Application, Code: "INVALID_CONFIG", Text: err.Error(), Cause: err}
	}
	return nil
}

// newClient asks the cluster for its metadata, which sarama does before it makes a
// producer or a consumer.
func newClient(t translation) (sarama.Client, error) { return sarama.NewClient(t.seeds, t.conf) }
