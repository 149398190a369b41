package source

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"kcompare/internal/config"
)

// tables is which libraries have a setting, by name.
var tables = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, v := range config.Versions() {
		for _, p := range v.Properties() {
			if p.Type != config.Refused && strings.Contains(p.Name, ".") {
				all[p.Name] = append(all[p.Name], v.Library)
			}
		}
	}
	return all
})

// javaOnly is a setting that Java's clients have, and neither librdkafka nor brokers.
func javaOnly(key string) bool {
	libraries := tables()[key]
	return slices.Contains(libraries, "kafka-clients") && !slices.Contains(libraries, "librdkafka") &&
		(!slices.Contains(libraries, "kafka-broker") || strings.HasPrefix(key, "ssl.") || strings.HasPrefix(key, "sasl.")) ||
		slices.Contains([]string{"default.key.serde", "default.value.serde", "processing.guarantee", "application.server"}, key)
}

// brokerNames are settings of brokers alone that every server.properties has one of.
func brokerNames() []string {
	return []string{
		"process.roles", "broker.id", "node.id", "log.dirs", "advertised.listeners", "zookeeper.connect",
		"controller.quorum.voters", "controller.quorum.bootstrap.servers", "controller.listener.names", "inter.broker.listener.name",
		"listener.security.protocol.map", "offsets.topic.replication.factor", "transaction.state.log.replication.factor",
		"transaction.state.log.min.isr", "default.replication.factor", "auto.create.topics.enable",
	}
}

// connectNames are settings of Kafka Connect's workers and connectors.
func connectNames() []string {
	return []string{
		"key.converter", "value.converter", "config.storage.topic", "offset.storage.topic", "status.storage.topic",
		"offset.storage.file.filename", "connector.class", "plugin.path", "tasks.max",
	}
}

// whose says whom a group of settings is for. root is where it stands in the file.
func whose(entries []Entry, root string, h hints) (client string, role Role) {
	words := append(strings.FieldsFunc(strings.ToLower(root), notLetter), h.words()...)
	return clientOf(entries, words), roleOf(entries, words)
}

// words are those of the file's name and of the comments before its settings.
func (h hints) words() []string {
	text := filepath.Base(h.path) + " " + strings.Join(h.remarks, " ")
	return strings.FieldsFunc(strings.ToLower(text), notLetter)
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// clientOf goes by keys that only one library has, then by what the file says of itself.
// "connect" is a worker or connector, whose own settings are nobody's here.
func clientOf(entries []Entry, words []string) string {
	var java, librdkafka, broker, connect bool
	for _, e := range entries {
		java = java || javaOnly(e.Key) || strings.HasPrefix(e.Value.Text, "org.apache.kafka.")
		librdkafka = librdkafka || librdkafkaOnly(e.Key)
		broker = broker || slices.Contains(brokerNames(), e.Key)
		connect = connect || slices.Contains(connectNames(), e.Key)
	}
	says := func(any ...string) bool {
		return slices.ContainsFunc(any, func(w string) bool { return slices.Contains(words, w) })
	}
	// A file that speaks of both, such as one that was converted, is known by its keys.
	ofC, ofJava := says("librdkafka", "rdkafka", "confluent"), says("java", "spring")
	switch {
	case connect:
		return "connect"
	case broker:
		return "broker"
	case ofC && !ofJava:
		return "librdkafka"
	case ofJava && !ofC, java && !librdkafka:
		return "java"
	case librdkafka && !java:
		return "librdkafka"
	}
	return ""
}

// librdkafkaOnly is a key of librdkafka that Java has no setting of the same name for.
func librdkafkaOnly(key string) bool {
	s, ok := config.Lookup(key)
	return ok && s.Type != config.Refused && s.JavaKey != key && !strings.Contains(s.JavaKey, key) && s.Name != "message.max.bytes"
}

// roleOf goes by the word producer or consumer, if only one of them is there, then by
// what all keys that are only for one are for.
func roleOf(entries []Entry, words []string) Role {
	if role := oneRole(slices.Contains(words, "producer"), slices.Contains(words, "consumer")); role != AnyRole {
		return role
	}
	var producer, consumer bool
	for _, e := range entries {
		s, ok := config.Lookup(e.Key)
		producer = producer || ok && s.Applies == "P" || e.Key == "key.serializer" || e.Key == "buffer.memory"
		consumer = consumer || ok && s.Applies == "C" || e.Key == "key.deserializer"
	}
	return oneRole(producer, consumer)
}

func oneRole(producer, consumer bool) Role {
	switch {
	case producer && !consumer:
		return Producer
	case consumer && !producer:
		return Consumer
	}
	return AnyRole
}
