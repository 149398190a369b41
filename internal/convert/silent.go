package convert

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// fill adds what the source's client does where the settings are silent, as far as the
// target's client would do otherwise.
func (b *block) fill(to Target) {
	from, target := b.defaults(b.client), b.defaults(string(to))
	for _, key := range slices.Sorted(maps.Keys(from)) {
		s, _ := config.Lookup(key)
		if _, given := b.given[key]; given || !b.has(s) || !b.matters(key, to) {
			continue
		}
		if other, known := target[key]; known && plain(s, other) == plain(s, from[key]) {
			continue
		}
		b.silent = append(b.silent, key)
	}
	for _, key := range b.silent {
		b.given[key] = value{text: from[key], key: key}
	}
}

// matters leaves out defaults that have no effect in such a block, and those that another
// client would take for something else.
func (b *block) matters(key string, to Target) bool {
	switch key {
	case "transaction.timeout.ms":
		return b.set("transactional.id")
	case "session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy":
		return b.set("group.id") && !strings.EqualFold(b.text("group.protocol"), "consumer")
	case "max.poll.interval.ms", "enable.auto.commit", "auto.commit.interval.ms":
		return b.set("group.id")
	case "reconnect.backoff.ms", "reconnect.backoff.max.ms", "socket.send.buffer.bytes", "socket.receive.buffer.bytes", "metadata.max.age.ms":
		return to != Franz // it has one backoff, and the other settings are not for it to choose
	case "message.max.bytes", "max.in.flight.requests.per.connection":
		if b.role != source.Producer {
			return false // only librdkafka gives them to consumers too
		}
		return key == "message.max.bytes" || to != Franz || !b.idempotent()
	case "batch.size":
		return to != Franz || own[b.client] // it would refuse records that are larger than Java's batches
	}
	return true
}

// idempotent is what the source's producer is, silent or not.
func (b *block) idempotent() bool {
	if b.set("enable.idempotence") {
		return b.isTrue("enable.idempotence")
	}
	switch b.client {
	case "java", "kafka-python": // silently off where another setting speaks against it (ProducerConfig.postProcessAndValidateIdempotenceConfigs)
		acks := b.text("acks")
		return b.set("transactional.id") || (acks == "" || acks == "all" || acks == "-1") &&
			b.number("retries", 1) > 0 && b.number("max.in.flight.requests.per.connection", 5) <= 5
	case "franz":
		return true
	}
	return b.set("transactional.id")
}

// defaults is what a client does where the settings of the block are silent, in
// canonical names. It has only what can be said in one word; it is empty for a client
// whose defaults nobody knows here.
func (b *block) defaults(client string) map[string]string {
	switch client {
	case "librdkafka", "python":
		return b.librdkafkaDefaults()
	case "java":
		return b.javaDefaults()
	case "franz":
		return b.franzDefaults()
	case "kafka-python", "aiokafka":
		return b.keywordDefaults()
	}
	return nil
}

// behaves leaves out what says who a program is or how it logs in, for that is never
// carried over from a default.
func behaves(s config.Setting) bool {
	switch s.Name {
	case "log_level", "compression.level", "enable.ssl.certificate.verification":
		return false
	}
	return s.Relation != config.NotApplicable && !strings.HasPrefix(s.Name, "sasl.") && !strings.HasPrefix(s.Name, "ssl.") &&
		!strings.HasPrefix(s.Name, "client.software.")
}

// table is the settings of the version that the source says it is built on, else of the
// newest one.
func (b *block) table(library string) config.Version {
	if v, has := config.Find(library, b.version); has && own[b.client] {
		return v
	}
	return config.Newest(library)
}

// said is a default that is a value; "(required)" and none are not.
func said(text string) bool { return text != "-" && text != "" && !strings.HasPrefix(text, "(") }

// librdkafkaDefaults: some of them follow other settings (rdkafka_conf.c,
// rd_kafka_conf_finalize).
func (b *block) librdkafkaDefaults() map[string]string {
	all, table := map[string]string{}, b.table("librdkafka")
	for _, s := range config.Settings() {
		if p, has := table.Of(s); has && said(p.Default) && behaves(s) {
			all[s.Name] = p.Default
		}
	}
	all["allow.auto.create.topics"] = strconv.FormatBool(b.role == source.Producer)
	if b.set("transactional.id") {
		timeout := b.number("transaction.timeout.ms", 60000)
		all["enable.idempotence"] = "true"
		all["delivery.timeout.ms"] = whole(timeout)
		all["socket.timeout.ms"] = whole(min(max(timeout-100, 900), 300000))
	}
	if b.idempotent() {
		all["max.in.flight.requests.per.connection"] = "5"
	}
	all["topic.metadata.refresh.fast.interval.ms"] = whole(min(b.number("retry.backoff.ms", 100), 60000))
	all["receive.message.max.bytes"] = whole(max(100000000, b.number("fetch.max.bytes", 0)+512))
	return all
}

// javaDefaults reads Java's own as if they had been given.
func (b *block) javaDefaults() map[string]string {
	all := map[string]string{
		"partitioner": "murmur2_random", // it has no name
		"topic.metadata.refresh.fast.interval.ms": whole(min(b.number("retry.backoff.ms", 100), 60000)),
		"topic.metadata.propagation.max.ms":       "60000", // max.block.ms
	}
	for _, p := range b.table("kafka-clients").Properties() {
		rule := javaRules[p.Name]
		if rule.canonical == nil {
			rule.canonical = []string{fromJava(p.Name)}
		}
		if !said(p.Default) || !b.takes(p) {
			continue
		}
		if rule.read != nil {
			var why error
			if p.Default, why = rule.read(p.Default); why != nil {
				continue
			}
		}
		for _, name := range rule.canonical {
			if s, known := config.Lookup(name); known && behaves(s) {
				all[name] = p.Default
			}
		}
	}
	if b.client == "java" {
		all["enable.idempotence"] = strconv.FormatBool(b.idempotent())
	}
	if b.role == source.Producer {
		all["allow.auto.create.topics"] = "true" // always
	}
	return all
}

// takes reports whether a property is for such a client.
func (b *block) takes(p config.Property) bool {
	letter := map[source.Role]string{source.Producer: "P", source.Consumer: "C", source.Admin: "A"}[b.role]
	return p.Applies == "*" || strings.Contains(p.Applies, letter)
}

// keywordDefaults is those of kafka-python and aiokafka. Some of them are objects, or
// None, which the tables do not have.
func (b *block) keywordDefaults() map[string]string {
	all := map[string]string{"compression.type": "none", "partitioner": "murmur2_random"}
	for _, p := range b.table(b.client).Properties() {
		if !said(p.Default) || p.Application || !b.takes(p) {
			continue
		}
		name, value := source.Keyword(b.client, p.Name, source.Value{Kind: source.Text, Text: p.Default})
		if s, known := config.Lookup(name); known && behaves(s) && value != "inf" {
			all[name] = value
		}
	}
	if b.client == "kafka-python" {
		all["enable.idempotence"] = strconv.FormatBool(b.idempotent())
	}
	return all
}

// franzDefaults is kgo's, in canonical names; a test builds a client from them and
// another from nothing.
func (b *block) franzDefaults() map[string]string {
	all := map[string]string{
		"client.id": "kgo", "socket.connection.setup.timeout.ms": "10000", "connections.max.idle.ms": "30000",
		"receive.message.max.bytes": "104857600", "topic.metadata.refresh.interval.ms": "300000",
		"topic.metadata.refresh.fast.interval.ms": "5000", "allow.auto.create.topics": "false",
		"retry.backoff.ms": "250", "retry.backoff.max.ms": "5000", "enable.metrics.push": "true",
		"security.protocol": "plaintext", "socket.nagle.disable": "true", "socket.keepalive.enable": "true",
		"broker.address.family": "any", "client.dns.lookup": "use_all_dns_ips", "metadata.recovery.strategy": "rebootstrap",
		"socket.timeout.ms": "10000",
	}
	if b.role == source.Producer {
		// The time that the broker gets is added to what kgo waits.
		all["socket.timeout.ms"] = whole(10000 + b.number("request.timeout.ms", 10000))
		maps.Copy(all, map[string]string{
			"acks": "all", "enable.idempotence": "true", "max.in.flight.requests.per.connection": "5",
			"retries": "2147483647", "delivery.timeout.ms": "0", "request.timeout.ms": "10000", "linger.ms": "10",
			"batch.size": "1000012", "message.max.bytes": "1000012", "compression.type": "snappy",
			"queue.buffering.max.messages": "50000", "partitioner": "murmur2_random", "transaction.timeout.ms": "40000",
		})
		if !b.idempotent() {
			all["max.in.flight.requests.per.connection"] = "1"
		}
		return all
	}
	maps.Copy(all, map[string]string{
		"auto.commit.interval.ms": "5000", "auto.offset.reset": "earliest", "check.crcs": "true",
		"fetch.max.bytes": "52428800", "fetch.min.bytes": "1", "fetch.wait.max.ms": "5000", "group.protocol": "classic",
		"group.protocol.type": "consumer", "heartbeat.interval.ms": "3000", "isolation.level": "read_uncommitted",
		"max.partition.fetch.bytes": "1048576", "max.poll.interval.ms": "60000",
		"partition.assignment.strategy": "cooperative-sticky", "session.timeout.ms": "45000",
	})
	if !own[b.client] {
		all["enable.auto.commit"] = "true" // not as librdkafka: what the poll before returned
	}
	return all
}

func whole(n float64) string { return strconv.FormatInt(int64(n), 10) }

// plain is a value in the one spelling that can be compared.
func plain(s config.Setting, text string) string {
	text = strings.ToLower(spelled(s, text))
	switch text {
	case "-1":
		if s.Name == "acks" {
			return "all"
		}
	case "smallest", "beginning":
		return "earliest"
	case "largest", "end":
		return "latest"
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return text
}
