package sarama

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/IBM/sarama"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// translation is what settings become.
type translation struct {
	conf        *sarama.Config
	seeds       []string
	differences []string
}

// given is the settings of one client, by canonical name.
type given map[string]string

// translate looks every setting up in the table of rules.go.
func translate(role drivers.Role, s drivers.Settings) (translation, error) {
	if err := check(role, s.Config); err != nil {
		return translation{}, err
	}
	t := translation{conf: sarama.NewConfig(), seeds: words(s.Config["bootstrap.servers"])}
	for _, key := range slices.Sorted(maps.Keys(s.Config)) {
		if err := t.add(configRole(role), key, s.Config); err != nil {
			return translation{}, err
		}
	}
	if err := t.addOwn(role, s); err != nil {
		return translation{}, err
	}
	slices.Sort(t.differences)
	return t, nil
}

// check refuses what is wrong for every library.
func check(role drivers.Role, canonical map[string]string) error {
	var wrong *config.Error
	if err := config.Check(canonical, configRole(role)); errors.As(err, &wrong) {
		return &drivers.ConfigError{Keys: wrong.Keys, Reason: wrong.Reason}
	}
	if role == drivers.RoleTransactionalProducer && canonical["transactional.id"] == "" {
		return &drivers.ConfigError{Keys: []string{"transactional.id"}, Reason: "a transactional producer needs one"}
	}
	return nil
}

func configRole(role drivers.Role) config.Role {
	if role == drivers.RoleConsumer {
		return config.Consumer
	}
	return config.Producer
}

// add translates one setting. Those of the other role, and those that mean
// nothing outside of librdkafka, are passed over.
func (t *translation) add(role config.Role, key string, all given) error {
	setting, _ := config.Lookup(key)
	if !setting.For(role) || setting.Relation == config.NotApplicable {
		return nil
	}
	value := all[key]
	rule, known := rules[key]
	if !known {
		if harmless[key] == value {
			return nil
		}
		return unsupported(setting, value, "sarama has nothing like it")
	}
	if err := rule.apply(t.conf, value, all, role); err != nil {
		return asDriverError(setting, value, err)
	}
	if rule.note != nil {
		if text := rule.note(value, all); text != "" {
			t.differences = append(t.differences, key+": "+text)
		}
	}
	return nil
}

// addOwn adds what the package comment lists.
func (t *translation) addOwn(role drivers.Role, s drivers.Settings) error {
	g := given(s.Config)
	if !s.Bare {
		t.conf.Version = sarama.MaxVersion
		t.differences = append(t.differences, "Config.Version: it is set to "+sarama.MaxVersion.String()+
			", the newest protocol that sarama knows; its default is "+sarama.DefaultVersion.String())
	}
	if role == drivers.RoleConsumer {
		t.addOwnOfConsumers(s)
		return nil
	}
	t.conf.Producer.Return.Successes, t.conf.Producer.Return.Errors = true, true
	if _, set := g["partitioner"]; set || !s.Bare {
		t.conf.Producer.Partitioner = explicitly(partitioner(g["partitioner"]))
	}
	if s.OneRecordPerBatch {
		t.conf.Producer.Flush.MaxMessages = 1
	}
	return t.idempotent(role, s)
}

// idempotent sets what sarama demands of an idempotent producer, which it refuses
// otherwise: a bare one, too.
func (t *translation) idempotent(role drivers.Role, s drivers.Settings) error {
	g, conf := given(s.Config), t.conf
	if role == drivers.RoleTransactionalProducer {
		conf.Producer.Idempotent = true
		if g["enable.idempotence"] == "" {
			t.differences = append(t.differences, "transactional.id: sarama refuses it alone, so Producer.Idempotent and RequiredAcks=WaitForAll are set as well")
		}
	}
	if !conf.Producer.Idempotent {
		return nil
	}
	if conf.Producer.Retry.Max == 0 {
		return unsupportedKey("retries", "0", "sarama wants one or more with enable.idempotence=true")
	}
	conf.Producer.RequiredAcks, conf.Net.MaxOpenRequests = sarama.WaitForAll, 1
	if g["max.in.flight.requests.per.connection"] != "1" {
		t.differences = append(t.differences, "max.in.flight.requests.per.connection: sarama takes enable.idempotence=true with one request in flight only, so it is 1")
	}
	return nil
}

func (t *translation) addOwnOfConsumers(s drivers.Settings) {
	t.conf.Consumer.Return.Errors = true
	if _, set := s.Config["enable.auto.commit"]; !set && !s.Bare {
		t.conf.Consumer.Offsets.AutoCommit.Enable = false
	}
}

// asDriverError leaves errors alone that already name their keys.
func asDriverError(setting config.Setting, value string, err error) error {
	var wrong *drivers.ConfigError
	var other *drivers.UnsupportedError
	if errors.As(err, &wrong) || errors.As(err, &other) {
		return err
	}
	return unsupported(setting, value, err.Error())
}

func unsupported(setting config.Setting, value, reason string) error {
	if setting.Secret() {
		value = "(secret)"
	}
	return unsupportedKey(setting.Name, value, reason)
}

func unsupportedKey(key, value, reason string) error {
	return &drivers.UnsupportedError{Client: client, Key: key, Value: value, Reason: reason}
}

// number is a setting as a number, or the second value where it is not given.
func (g given) number(key string, otherwise float64) float64 {
	n, err := strconv.ParseFloat(g[key], 64)
	if err != nil {
		return otherwise
	}
	return n
}

func (g given) millis(key string, otherwise time.Duration) time.Duration {
	return time.Duration(g.number(key, float64(otherwise/time.Millisecond)) * float64(time.Millisecond))
}
