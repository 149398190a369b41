package convert

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// Java's keys and canonical ones, both ways. Where a key is a name of the setting in the
// catalogue, and no rule below says otherwise, it is the same setting.

// javaRule is one Java key that is not simply a name of a setting.
type javaRule struct {
	// canonical are the settings it is read as; empty: none, for the reason that read gives.
	canonical []string
	// read turns Java's value into the canonical one; nil leaves it alone.
	read func(value string) (string, error)
	// write turns it back; nil leaves it alone.
	write func(value string, b block) (string, error)
}

// javaRules has the names that Java shares with librdkafka and means otherwise, those
// that it does not share, and values that are spelled otherwise.
var javaRules = map[string]javaRule{
	// Java waits that long for an answer, and tells the broker the same (Sender.java);
	// librdkafka has a setting for each.
	"request.timeout.ms":  {canonical: []string{"socket.timeout.ms", "request.timeout.ms"}, write: javaRequestTimeout},
	"metadata.max.age.ms": {canonical: []string{"topic.metadata.refresh.interval.ms"}},
	"max.request.size":    {canonical: []string{"message.max.bytes"}},
	"buffer.memory":       {canonical: []string{"queue.buffering.max.kbytes"}, read: kbytes, write: bytes},
	"fetch.max.wait.ms":   {canonical: []string{"fetch.wait.max.ms"}},
	"send.buffer.bytes":   {canonical: []string{"socket.send.buffer.bytes"}, read: systemBuffer, write: javaSystemBuffer},
	"receive.buffer.bytes": {canonical: []string{"socket.receive.buffer.bytes"},
		read: systemBuffer, write: javaSystemBuffer},
	"connections.max.idle.ms":       {canonical: []string{"connections.max.idle.ms"}, read: idle, write: javaIdle},
	"auto.offset.reset":             {canonical: []string{"auto.offset.reset"}, read: offsetReset, write: javaOffsetReset},
	"partition.assignment.strategy": {canonical: []string{"partition.assignment.strategy"}, read: assignors, write: javaAssignors},
	"partitioner.class":             {canonical: []string{"partitioner"}, read: partitionerClass, write: javaPartitioner},
	"security.protocol":             {canonical: []string{"security.protocol"}, read: lower, write: upper},
	"ssl.endpoint.identification.algorithm": {canonical: []string{"ssl.endpoint.identification.algorithm"},
		read: endpoint, write: javaEndpoint},
	"acks":                     {canonical: []string{"acks"}, write: javaAcks},
	"linger.ms":                {canonical: []string{"linger.ms"}, write: wholeMillis},
	"compression.lz4.level":    {canonical: []string{"compression.level"}},
	"compression.zstd.level":   {canonical: []string{"compression.level"}},
	"compression.gzip.level":   {canonical: []string{"compression.level"}},
	"allow.auto.create.topics": {canonical: []string{"allow.auto.create.topics"}, write: javaAutoCreate},

	"ssl.truststore.type":     {read: partOf("ssl.truststore.location")},
	"ssl.keystore.type":       {read: partOf("ssl.keystore.location")},
	"ssl.truststore.password": {read: because("certificates in PEM need no password")},
	"key.serializer":          {read: because(bytesAlone)},
	"value.serializer":        {read: because(bytesAlone)},
	"key.deserializer":        {read: because(bytesAlone)},
	"value.deserializer":      {read: because(bytesAlone)},
	"max.block.ms":            {read: because("no other client blocks for a time of its own; give the call a deadline")},
	"max.poll.records":        {read: because("how much a poll returns is an argument of the call elsewhere")},
	"default.api.timeout.ms":  {read: because("it is an argument of each call elsewhere")},
	"interceptor.classes":     {read: because("it is code of the application")},
	"metric.reporters":        {read: because("it is code of the application")},
}

const bytesAlone = "the other clients take bytes; encode in the program"

func because(reason string) func(string) (string, error) {
	return func(string) (string, error) { return "", errors.New(reason) }
}

// partOf marks keys that are read together with another one.
func partOf(key string) func(string) (string, error) { return because("goes with " + key) }

// isJava reports whether kafka-clients has such a key.
func isJava(key string) bool {
	if _, ok := javaRules[key]; ok {
		return true
	}
	return knownTo("kafka-clients", key)
}

// fromJava is the first canonical setting that a Java key is read as, "" for none.
func fromJava(key string) string {
	if rule, ok := javaRules[key]; ok {
		if len(rule.canonical) == 0 {
			return ""
		}
		return rule.canonical[0]
	}
	if s, ok := config.Lookup(key); ok && s.JavaKey == key && s.Type != config.Refused {
		return s.Name
	}
	return ""
}

// toJava is Java's key for a canonical setting, "" for none.
func toJava(s config.Setting, b block) string {
	switch s.Name {
	case "request.timeout.ms", "sticky.partitioning.linger.ms":
		return ""
	case "socket.timeout.ms":
		return "request.timeout.ms"
	case "topic.metadata.refresh.interval.ms":
		return "metadata.max.age.ms"
	case "compression.level":
		switch codec := b.text("compression.type"); codec {
		case "gzip", "lz4", "zstd":
			return "compression." + codec + ".level"
		}
		return ""
	}
	for key, rule := range javaRules {
		for _, name := range rule.canonical {
			if name == s.Name {
				return key
			}
		}
	}
	if fromJava(s.JavaKey) == s.Name {
		return s.JavaKey
	}
	return ""
}

// addJava takes a Java key in.
func (b *block) addJava(e source.Entry) *Error {
	rule, special := javaRules[e.Key]
	switch name := fromJava(e.Key); {
	case b.javaSecurity(e):
		return nil
	case special && len(rule.canonical) == 0:
		_, why := rule.read(e.Value.Text)
		b.lose(e, why.Error())
		return nil
	case !special && name == "":
		b.lose(e, "no other client has it as a setting")
		return nil
	case !special:
		return b.put(name, e.Value.Text, e)
	case strings.HasPrefix(e.Key, "compression.") && e.Key != "compression."+b.raw["compression.type"]+".level":
		b.lose(e, "it is for another codec than compression.type")
		return nil
	}
	return b.putJava(rule, e)
}

// putJava takes a key with a rule in.
func (b *block) putJava(rule javaRule, e source.Entry) *Error {
	text := e.Value.Text
	if rule.read != nil && e.Value.Kind != source.Computed {
		var why error
		if text, why = rule.read(strings.TrimSpace(text)); why != nil {
			b.lose(e, why.Error())
			return nil
		}
	}
	for _, name := range rule.canonical {
		if s, _ := config.Lookup(name); !b.has(s) {
			continue
		}
		if err := b.put(name, text, e); err != nil {
			return err
		}
	}
	return nil
}

func lower(value string) (string, error)          { return strings.ToLower(value), nil }
func upper(value string, _ block) (string, error) { return strings.ToUpper(value), nil }

func kbytes(value string) (string, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1024 {
		return "", errors.New("expected a number of bytes from 1024 on")
	}
	return fmt.Sprint(n / 1024), nil
}

func bytes(value string, _ block) (string, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return "", errors.New("expected a number of kilobytes")
	}
	return fmt.Sprint(n * 1024), nil
}

// systemBuffer: what the operating system chooses is -1 in Java and 0 in librdkafka.
func systemBuffer(value string) (string, error) {
	if value == "-1" {
		return "0", nil
	}
	return value, nil
}

func javaSystemBuffer(value string, _ block) (string, error) {
	if value == "0" {
		return "-1", nil
	}
	return value, nil
}

// idle: never is any negative number in Java, where 0 closes at once, and 0 in librdkafka.
func idle(value string) (string, error) {
	switch {
	case strings.HasPrefix(value, "-"):
		return "0", nil
	case value == "0":
		return "", errors.New("no other client closes idle connections at once")
	}
	return value, nil
}

func javaIdle(value string, _ block) (string, error) {
	if value == "0" {
		return "-1", nil
	}
	return value, nil
}

func offsetReset(value string) (string, error) {
	switch strings.ToLower(value) {
	case "none":
		return "error", nil
	case "earliest", "latest":
		return strings.ToLower(value), nil
	}
	return "", errors.New("only Java goes back by a duration")
}

func javaOffsetReset(value string, _ block) (string, error) {
	switch value {
	case "error":
		return "none", nil
	case "smallest", "beginning":
		return "earliest", nil
	case "largest", "end":
		return "latest", nil
	}
	return value, nil
}

const assignorPackage = "org.apache.kafka.clients.consumer."

// assignorClasses are Java's, by the names that librdkafka and the protocol have.
var assignorClasses = map[string]string{
	"range": "RangeAssignor", "roundrobin": "RoundRobinAssignor",
	"sticky": "StickyAssignor", "cooperative-sticky": "CooperativeStickyAssignor",
}

func assignors(value string) (string, error) {
	var all []string
	for _, class := range words(value) {
		found := ""
		for name, known := range assignorClasses {
			if class == assignorPackage+known || class == known || strings.EqualFold(class, name) {
				found = name
			}
		}
		if found == "" {
			return "", fmt.Errorf("the assignor %s is code of the application", class)
		}
		all = append(all, found)
	}
	return strings.Join(all, ","), nil
}

func javaAssignors(value string, _ block) (string, error) {
	var all []string
	for _, name := range words(value) {
		class, ok := assignorClasses[strings.ToLower(name)]
		if !ok {
			return "", fmt.Errorf("no assignor %s is in Java", name)
		}
		all = append(all, assignorPackage+class)
	}
	return strings.Join(all, ","), nil
}

func words(value string) []string {
	var all []string
	for word := range strings.SplitSeq(value, ",") {
		all = append(all, strings.TrimSpace(word))
	}
	return all
}

func partitionerClass(value string) (string, error) {
	if value == "" || value == "org.apache.kafka.clients.producer.internals.DefaultPartitioner" {
		return "murmur2_random", nil
	}
	return "", errors.New("a partitioner of a program's own has to be written again in the other client's language")
}

// javaPartitioner: Java's own has no name, it is what a producer without one has.
func javaPartitioner(value string, _ block) (string, error) {
	if value == "murmur2_random" {
		return "", nil
	}
	return "", fmt.Errorf("only murmur2 is in Java: write a Partitioner that does as %s, or the same keys go to other partitions", value)
}

func endpoint(value string) (string, error) {
	if value == "" {
		return "none", nil
	}
	return strings.ToLower(value), nil
}

func javaEndpoint(value string, _ block) (string, error) {
	if value == "none" {
		return "", nil
	}
	return value, nil
}

func javaAcks(value string, _ block) (string, error) {
	switch value {
	case "-1", "all":
		return "all", nil
	case "0", "1":
		return value, nil
	}
	return "", errors.New("only 0, 1 and all are in Java")
}

// wholeMillis: Java's linger.ms is a whole number.
func wholeMillis(value string, _ block) (string, error) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || n != math.Trunc(n) {
		return "", errors.New("only whole milliseconds are in Java")
	}
	return strconv.FormatInt(int64(n), 10), nil
}

// javaRequestTimeout: Java refuses a delivery timeout below linger.ms and
// request.timeout.ms together (KafkaProducer.configureDeliveryTimeout).
func javaRequestTimeout(_ string, b block) (string, error) {
	wait := b.number("socket.timeout.ms", 60000)
	deliver := b.number("delivery.timeout.ms", 0)
	if b.role == source.Producer && deliver > 0 {
		wait = min(wait, max(deliver-b.number("linger.ms", 5), 1))
	}
	return strconv.FormatInt(int64(wait), 10), nil
}

func javaAutoCreate(value string, b block) (string, error) {
	if b.role == source.Producer {
		return "", errors.New("producers of Java always ask for the topic to be created; auto.create.topics.enable of the broker decides")
	}
	return value, nil
}
