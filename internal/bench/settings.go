package bench

import (
	"maps"

	"kcompare/drivers"
	"kcompare/internal/config"
	"kcompare/internal/evidence"
)

// clientID is the client.id of every contestant.
const clientID = "kcompare"

// Defaults are the settings that all contestants of a work are given where the user says
// nothing: everything that decides how fast a client is and differs between libraries by
// default. Keys are canonical. Run puts them under Options.Config.
func Defaults(w evidence.BenchWork) map[string]string {
	set := map[string]string{"allow.auto.create.topics": "false", "client.id": clientID}
	if w != evidence.BenchConsume {
		maps.Copy(set, producing(w))
	}
	if w == evidence.BenchConsume || w == evidence.BenchRPW {
		maps.Copy(set, consuming(w))
	}
	return set
}

// producing has limits of the queue that no producer reaches, unless its broker does not
// keep up at all: a library that waits for room would be measured at waiting.
func producing(w evidence.BenchWork) map[string]string {
	set := map[string]string{
		"acks":                                  "all",
		"batch.size":                            "131072",
		"compression.type":                      "none",
		"delivery.timeout.ms":                   "120000",
		"enable.idempotence":                    "true",
		"linger.ms":                             "5",
		"max.in.flight.requests.per.connection": "5",
		"partitioner":                           "murmur2_random",
		"queue.buffering.max.kbytes":            "262144",
		"queue.buffering.max.messages":          "1000000",
		"request.timeout.ms":                    "30000",
	}
	if w == evidence.BenchTransactions || w == evidence.BenchRPW {
		set["transaction.timeout.ms"] = "120000"
	}
	return set
}

func consuming(w evidence.BenchWork) map[string]string {
	set := map[string]string{
		"auto.offset.reset":         "earliest",
		"check.crcs":                "true",
		"enable.auto.commit":        "false",
		"fetch.max.bytes":           "52428800",
		"fetch.min.bytes":           "1",
		"fetch.wait.max.ms":         "500",
		"isolation.level":           "read_uncommitted",
		"max.partition.fetch.bytes": "1048576",
	}
	if w == evidence.BenchRPW {
		set["isolation.level"] = "read_committed"
		set["partition.assignment.strategy"] = "range"
	}
	return set
}

// roles are those of the clients that a work needs. The first is the one that it is
// about.
func roles(w evidence.BenchWork) []drivers.Role {
	switch w {
	case evidence.BenchConsume:
		return []drivers.Role{drivers.RoleConsumer}
	case evidence.BenchTransactions:
		return []drivers.Role{drivers.RoleTransactionalProducer}
	case evidence.BenchRPW:
		return []drivers.Role{drivers.RoleTransactionalProducer, drivers.RoleConsumer}
	}
	return []drivers.Role{drivers.RoleProducer}
}

// ofRole are those of the settings that a client in a role has.
func ofRole(set map[string]string, role drivers.Role) map[string]string {
	side := config.Producer
	if role == drivers.RoleConsumer {
		side = config.Consumer
	}
	own := map[string]string{}
	for key, value := range set {
		if s, known := config.Lookup(key); known && s.For(side) {
			own[key] = value
		}
	}
	return own
}

// settings are what a client in a role is built with.
func (s Stage) settings(role drivers.Role) drivers.Settings {
	set := ofRole(s.Config, role)
	set["bootstrap.servers"] = s.Servers
	switch {
	case role == drivers.RoleTransactionalProducer:
		set["transactional.id"] = s.ID
	case role == drivers.RoleConsumer && s.Work == evidence.BenchRPW:
		set["group.id"] = s.Group
	}
	return drivers.Settings{Config: set}
}

// loadOf is what a contestant's rounds are.
func (o Options) loadOf(c Contestant) evidence.BenchLoad {
	if c.Load != nil {
		return *c.Load
	}
	return o.Load
}

// common is what all contestants are given.
func (o Options) common() map[string]string {
	all := Defaults(o.Work)
	maps.Copy(all, o.Config)
	if fewer(o.Config) && !asks(o.Config) {
		all[idempotence] = "false"
	}
	return all
}

// own is what a contestant is given beside that.
func (o Options) own(c Contestant) map[string]string {
	own := maps.Clone(c.Config)
	if fewer(own) && !asks(own) && !asks(o.Config) {
		own[idempotence] = "false"
	}
	return own
}

const idempotence = "enable.idempotence"

// fewer says whether settings want fewer acks than idempotence needs. It is turned off
// then unless somebody asks for it: it is on only because Defaults says so.
func fewer(set map[string]string) bool { return set["acks"] == "0" || set["acks"] == "1" }

func asks(set map[string]string) bool { return set[idempotence] != "" }

// configOf is everything that a contestant is given.
func (o Options) configOf(c Contestant) map[string]string {
	all := o.common()
	maps.Copy(all, o.own(c))
	return all
}
