package franz

import (
	"errors"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// translation is what settings become.
type translation struct {
	opts        []kgo.Opt
	group       []kgo.Opt // options that kgo accepts from members of a group only
	differences []string
	padding     *padding  // nil without OneRecordPerBatch
	counters    *counters // nil without Figures
}

// given is the settings of one client, by canonical name.
type given map[string]string

// translate looks every setting up in the table of options.go.
func translate(role drivers.Role, s drivers.Settings) (translation, error) {
	var t translation
	if err := check(role, s.Config); err != nil {
		return t, err
	}
	for _, key := range slices.Sorted(maps.Keys(s.Config)) {
		if err := t.add(configRole(role), key, s.Config); err != nil {
			return translation{}, err
		}
	}
	t.addOwn(role, s)
	if s.Log != nil {
		t.opts = append(t.opts, kgo.WithLogger(logger(s.Log)))
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
		return unsupported(setting, value, "franz-go has nothing like it")
	}
	opts, err := rule.options(value, all, role)
	if err != nil {
		return asDriverError(setting, value, err)
	}
	if rule.group {
		t.group = append(t.group, opts...)
	} else {
		t.opts = append(t.opts, opts...)
	}
	if rule.note != nil {
		if text := rule.note(value, all); text != "" {
			t.differences = append(t.differences, key+": "+text)
		}
	}
	return nil
}

// addOwn adds what the package comment lists.
func (t *translation) addOwn(role drivers.Role, s drivers.Settings) {
	if role == drivers.RoleConsumer {
		if _, set := s.Config["enable.auto.commit"]; !set && !s.Bare {
			t.group = append(t.group, kgo.DisableAutoCommit())
		}
		return
	}
	if _, set := s.Config["partitioner"]; set || !s.Bare {
		t.opts = append(t.opts, kgo.RecordPartitioner(explicit{inner: partitioner(s.Config["partitioner"])}))
	}
	if s.GiveUpInFlight && given(s.Config).idempotent() && role == drivers.RoleProducer {
		t.giveUpInFlight()
	}
	if s.OneRecordPerBatch {
		t.padding = newPadding(batchLimit(s.Config))
		t.opts = append(t.opts, t.padding.options()...)
	}
	if s.Figures {
		t.counters = &counters{}
		t.opts = append(t.opts, kgo.WithHooks(t.counters))
	}
}

// giveUpInFlight lets kgo do what librdkafka does by itself. What is noted of the two
// settings that it never keeps otherwise is true no more.
func (t *translation) giveUpInFlight() {
	t.opts = append(t.opts, kgo.AllowIdempotentProduceCancellation())
	t.differences = slices.DeleteFunc(t.differences, func(d string) bool {
		return d == "delivery.timeout.ms: "+keepsInFlight || d == "retries: "+keepsRetrying
	})
	t.differences = append(t.differences, "delivery.timeout.ms: franz-go gives up an idempotent record in flight only with AllowIdempotentProduceCancellation, which is set")
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
	return &drivers.UnsupportedError{Client: client, Key: setting.Name, Value: value, Reason: reason}
}

// Options is what a client of these settings is made with, as a program would have to
// set it: without the driver's own partitioner and hooks where s is Bare. It is for those
// that compare kgo's options (package convert's test).
func Options(role drivers.Role, s drivers.Settings) ([]kgo.Opt, error) {
	t, err := translate(role, s)
	if err != nil {
		return nil, err
	}
	if s.Config["group.id"] == "" {
		return t.opts, nil
	}
	return append(t.opts, t.group...), nil
}
