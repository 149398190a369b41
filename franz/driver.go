// Package franz is the driver for franz-go (github.com/twmb/franz-go).
//
// What it adds to the settings it is given, because the contract in package
// drivers asks for it, and nothing else:
//   - a partitioner that lets a record name its partition, around the one that
//     is configured or kgo's default;
//   - no automatic commits unless enable.auto.commit=true (kgo's default is on);
//   - with OneRecordPerBatch, the padding of padding.go.
//
// The first two are left out of bare clients.
package franz

import (
	"runtime/debug"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

const client = "franz"

// New is the driver.
func New() drivers.Driver { return driver{} }

type driver struct{}

func (driver) Client() string { return client }

func (driver) Library() drivers.Library {
	info, _ := debug.ReadBuildInfo()
	return drivers.Library{Name: "franz-go", Version: version(info)}
}

const module = "github.com/twmb/franz-go"

// fallback is the version in go.mod, for a binary without build information.
const fallback = "v1.22.3"

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
	return drivers.All()
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
	return p, nil
}

func (driver) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := newProducer(drivers.RoleTransactionalProducer, s)
	if err != nil {
		return nil, err
	}
	t := &transactional{producer: p, id: s.Config["transactional.id"]}
	p.acked = &t.offsets.acked
	return t, nil
}

func (driver) NewConsumer(s drivers.Settings) (drivers.Consumer, error) {
	return newConsumer(s)
}

// validate lets kgo refuse the options, as it would when the client is made.
func validate(opts []kgo.Opt) error {
	if err := kgo.ValidateOpts(opts...); err != nil {
		return &drivers.Error{Call: "new client", Class: drivers.Application, Code: "INVALID_CONFIG", Text: err.Error(), Cause: err}
	}
	return nil
}
