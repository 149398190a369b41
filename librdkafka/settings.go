//go:build cgo

package librdkafka

import (
	"errors"
	"maps"
	"slices"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// placeholderGroup stands in where the settings name no group: the binding
// makes no consumer without one. Nothing is ever committed to it, and Subscribe
// refuses it. What stays visible is that librdkafka looks for its coordinator.
const placeholderGroup = "kcompare-no-group"

// translate checks settings and turns them into librdkafka's. It knows every
// canonical name, so keys and values pass through as they are.
func translate(role drivers.Role, s drivers.Settings) (kafka.ConfigMap, error) {
	canonical, err := config.Canonical(s.Config)
	if err == nil {
		err = config.Check(canonical, configRole(role))
	}
	if err != nil {
		return nil, configError(err)
	}
	if err := check(role, canonical, s); err != nil {
		return nil, err
	}
	conf := kafka.ConfigMap{}
	for _, key := range slices.Sorted(maps.Keys(canonical)) {
		if err := known(key, canonical[key]); err != nil {
			return nil, err
		}
		conf[key] = canonical[key]
	}
	if s.OneRecordPerBatch {
		conf["batch.num.messages"] = "1"
	}
	return conf, nil
}

// known refuses settings that came with a later version than the one built in.
func known(key, value string) error {
	_, built := kafka.LibraryVersion()
	version, there := config.Find("librdkafka", built)
	setting, _ := config.Lookup(key)
	if _, has := version.Of(setting); has || !there {
		return nil
	}
	if setting.Secret() {
		value = "(secret)"
	}
	return &drivers.UnsupportedError{Client: client, Key: key, Value: value, Reason: "librdkafka " + built + " does not know it"}
}

func configRole(role drivers.Role) config.Role {
	if role == drivers.RoleConsumer {
		return config.Consumer
	}
	return config.Producer
}

func configError(err error) error {
	var bad *config.Error
	if errors.As(err, &bad) {
		return &drivers.ConfigError{Keys: bad.Keys, Reason: bad.Reason}
	}
	return err
}

// check refuses what the catalogue cannot know: what the role, the binding or
// this driver do not go together with.
func check(role drivers.Role, conf map[string]string, s drivers.Settings) error {
	transactional := conf["transactional.id"] != ""
	autoCommit, _ := config.Bool(conf["enable.auto.commit"])
	errorsOnly, _ := config.Bool(conf["delivery.report.only.error"])
	switch {
	case role == drivers.RoleTransactionalProducer && !transactional:
		return &drivers.ConfigError{Keys: []string{"transactional.id"}, Reason: "a transactional producer needs one"}
	case role == drivers.RoleProducer && transactional:
		return &drivers.ConfigError{Keys: []string{"transactional.id"}, Reason: "only a transactional producer has one"}
	case role == drivers.RoleConsumer && autoCommit && conf["group.id"] == "":
		return &drivers.ConfigError{Keys: []string{"enable.auto.commit", "group.id"},
			Reason: "offsets are committed for a group; name it, or leave enable.auto.commit out"}
	case role != drivers.RoleConsumer && errorsOnly:
		return &drivers.UnsupportedError{Client: client, Key: "delivery.report.only.error",
			Value: conf["delivery.report.only.error"], Reason: "confluent-kafka-go refuses it"}
	case s.OneRecordPerBatch && conf["batch.num.messages"] != "" && conf["batch.num.messages"] != "1":
		return &drivers.ConfigError{Keys: []string{"batch.num.messages"},
			Reason: "one record a batch is asked for; set it to 1 or leave it out"}
	}
	return nil
}

// producerConfig adds what the driver needs to see of a producer:
//   - go.delivery.report.fields: a report without key, value and headers, which
//     the binding would copy out of C for each record
//   - go.events.channel.size: reports are taken at once; the default reserves
//     room for a million
//   - go.produce.channel.size: that channel is not used
//   - go.logs.*: the log, which would go to stderr
//   - statistics.interval.ms, where figures are asked for
//
// None of them changes anything on the wire.
func producerConfig(role drivers.Role, s drivers.Settings, lines chan kafka.LogEvent) (kafka.ConfigMap, error) {
	conf, err := translate(role, s)
	if err != nil {
		return nil, err
	}
	conf["go.delivery.report.fields"] = "none"
	conf["go.events.channel.size"] = 1000
	conf["go.produce.channel.size"] = 0
	if s.Figures {
		conf["statistics.interval.ms"] = statisticsInterval
	}
	return withLogs(conf, lines), nil
}

// consumerConfig adds what the contract asks of a consumer:
//   - enable.auto.commit=false where the settings are silent, because a
//     consumer commits nothing that it was not told to; librdkafka would, and
//     a bare one does in the group of its settings
//   - group.id where there is none, see placeholderGroup
//   - go.logs.*: the log, which would go to stderr
func consumerConfig(s drivers.Settings, lines chan kafka.LogEvent) (kafka.ConfigMap, error) {
	conf, err := translate(drivers.RoleConsumer, s)
	if err != nil {
		return nil, err
	}
	group, _ := conf["group.id"].(string)
	if _, told := conf["enable.auto.commit"]; !told && (!s.Bare || group == "") {
		conf["enable.auto.commit"] = "false"
	}
	if group == "" {
		conf["group.id"] = placeholderGroup
	}
	return withLogs(conf, lines), nil
}

func withLogs(conf kafka.ConfigMap, lines chan kafka.LogEvent) kafka.ConfigMap {
	conf["go.logs.channel.enable"] = true
	conf["go.logs.channel"] = lines
	return conf
}
