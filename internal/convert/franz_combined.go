package convert

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"kcompare/internal/source"
)

// Settings that become more than a conversion, most of them because several of them make
// one option (franz/combined.go).

// overhead: kgo waits the timeout that the request itself carries and this on top,
// librdkafka socket.timeout.ms in all.
func overhead(_ value, b block) ([]string, error) {
	ms := b.number("socket.timeout.ms", 0)
	if b.role == source.Producer {
		ms -= b.number("request.timeout.ms", 10000)
	}
	return option1("RequestTimeoutOverhead", duration(min(max(ms, 100), 15*60*1000))), nil
}

// connIdle: 0 never closes in librdkafka; 15 minutes is the most that kgo takes.
func connIdle(v value, b block) ([]string, error) {
	if !within15Minutes(b) {
		return option1("ConnIdleTimeout", duration(15*60*1000)), nil
	}
	return millis("ConnIdleTimeout", 100, 15*60*1000)(v, b)
}

func idleNote(b block) string {
	if within15Minutes(b) {
		return ""
	}
	return "kgo closes connections after 15 minutes at the latest"
}

func within15Minutes(b block) bool {
	n := b.number("connections.max.idle.ms", 0)
	return n > 0 && n <= 15*60*1000
}

// maxAge gives way to topic.metadata.refresh.interval.ms, which is what kgo's option
// really is.
func maxAge(v value, b block) ([]string, error) {
	if b.set("topic.metadata.refresh.interval.ms") {
		return nil, errors.New("kgo has one age, which topic.metadata.refresh.interval.ms is")
	}
	return millis("MetadataMaxAge", 10, hour)(v, b)
}

func minAge(_ value, b block) ([]string, error) {
	return option1("MetadataMinAge", duration(max(b.number("topic.metadata.refresh.fast.interval.ms", 0), 10))), nil
}

// unknownTopics turns kgo's count of look-ups off: a record then lives as long as
// delivery.timeout.ms and retries let it.
func unknownTopics(_ value, b block) ([]string, error) {
	if b.role != source.Producer || b.number("topic.metadata.propagation.max.ms", 0) == 0 {
		return nil, nil
	}
	return option1("UnknownTopicRetries", "-1"), nil
}

func backoff(_ value, b block) ([]string, error) {
	first := b.number("retry.backoff.ms", b.number("reconnect.backoff.ms", 250))
	most := b.number("retry.backoff.max.ms", b.number("reconnect.backoff.max.ms", 5000))
	return option1("RetryBackoffFn", fmt.Sprintf("doubling(%s, %s)", duration(first), duration(most))), nil
}

func acks(v value, _ block) ([]string, error) {
	switch v.text {
	case "all", "-1":
		return option1("RequiredAcks", "kgo.AllISRAcks()"), nil
	case "1":
		return option1("RequiredAcks", "kgo.LeaderAck()"), nil
	case "0":
		return option1("RequiredAcks", "kgo.NoAck()"), nil
	}
	return nil, errors.New("kgo takes 0, 1 and all")
}

// inFlight: an idempotent kgo producer has 5 requests in flight, always.
func inFlight(v value, b block) ([]string, error) {
	switch {
	case b.role != source.Producer:
		return nil, nil
	case !b.idempotent():
		return number("MaxProduceRequestsInflightPerBroker", 1, math.MaxInt32)(v, b)
	case v.text != "5":
		return nil, errors.New("kgo always has 5 requests in flight with idempotence, and keeps the order with them; leave it out")
	}
	return nil, nil
}

// deliveryTimeout: 0 is "no limit" in both libraries. librdkafka and Java give up a record
// in flight as well; kgo does so only where it is told, and never in a transaction.
func deliveryTimeout(v value, b block) ([]string, error) {
	if b.number("delivery.timeout.ms", 0) == 0 {
		return option1("RecordDeliveryTimeout", "0"), nil
	}
	all, err := millis("RecordDeliveryTimeout", 1000, forever)(v, b)
	if err == nil && b.client != "franz" && b.idempotent() && !b.set("transactional.id") {
		all = append(all, option0("AllowIdempotentProduceCancellation")...)
	}
	return all, err
}

func deliveryNote(b block) string {
	if !b.set("transactional.id") || b.number("delivery.timeout.ms", 0) == 0 {
		return ""
	}
	return "kgo never gives up a record in flight of a transaction"
}

// batchBytes is the smaller one of two settings, as in librdkafka.
func batchBytes(_ value, b block) ([]string, error) {
	if b.role != source.Producer {
		return nil, nil
	}
	const most = 1 << 30 // kgo's limit
	limit := min(b.number("batch.size", most), b.number("message.max.bytes", most))
	if limit < 512 {
		return nil, errors.New("kgo takes 512 or more")
	}
	return option1("ProducerBatchMaxBytes", whole(limit)), nil
}

func bufferedBytes(_ value, b block) ([]string, error) {
	return option1("MaxBufferedBytes", whole(b.number("queue.buffering.max.kbytes", 0)*1024)), nil
}

var goCodecs = map[string]string{
	"none": "NoCompression", "gzip": "GzipCompression", "snappy": "SnappyCompression",
	"lz4": "Lz4Compression", "zstd": "ZstdCompression",
}

func compression(_ value, b block) ([]string, error) {
	codec, ok := goCodecs[strings.ToLower(b.text("compression.type"))]
	if !ok {
		return nil, nil // a level alone changes nothing
	}
	call := "kgo." + codec + "()"
	if level := b.number("compression.level", -1); level != -1 {
		call += fmt.Sprintf(".WithLevel(%s)", whole(level))
	}
	return option1("ProducerBatchCompression", call), nil
}

var goBalancers = map[string]string{
	"range": "RangeBalancer", "roundrobin": "RoundRobinBalancer", "sticky": "StickyBalancer",
	"cooperative-sticky": "CooperativeStickyBalancer",
}

func balancers(v value, _ block) ([]string, error) {
	var all []string
	for _, name := range words(v.text) {
		balancer, ok := goBalancers[strings.ToLower(name)]
		if !ok {
			return nil, fmt.Errorf("kgo has no %s", name)
		}
		all = append(all, "kgo."+balancer+"()")
	}
	return option1("Balancers", strings.Join(all, ", ")), nil
}

// remoteAssignor: kgo names "range" for its range balancer and "uniform" for the sticky
// ones (KIP-848).
func remoteAssignor(v value, _ block) ([]string, error) {
	switch v.text {
	case "":
		return nil, nil
	case "range":
		return option1("Balancers", "kgo.RangeBalancer()"), nil
	case "uniform":
		return option1("Balancers", "kgo.StickyBalancer()"), nil
	}
	return nil, errors.New("kgo takes range and uniform")
}

// autoCommit: GreedyAutoCommit commits what the last poll returned, as librdkafka does;
// kgo's own way commits what the poll before it returned, as Java does. Offsets that a
// program stores itself are marks.
func autoCommit(v value, b block) ([]string, error) {
	switch {
	case v.text == "false", b.text("auto.commit.interval.ms") == "0", !b.set("group.id"):
		return option0("DisableAutoCommit"), nil
	case b.isFalse("enable.auto.offset.store"):
		return option0("AutoCommitMarks"), nil
	case !own[b.client]:
		return nil, nil
	}
	return option0("GreedyAutoCommit"), nil
}

func storedOffsets(_ value, b block) ([]string, error) {
	return autoCommit(b.given["enable.auto.commit"], b)
}

func commitInterval(v value, b block) ([]string, error) {
	if v.text == "0" {
		return autoCommit(b.given["enable.auto.commit"], b) // off
	}
	return millis("AutoCommitInterval", 100, forever)(v, b)
}

// resetOptions: kgo splits the setting, and its default for a lost offset is a third
// thing (one minute back).
func resetOptions(v value, _ block) ([]string, error) {
	start, reset := "kgo.NewOffset().AtEnd()", "kgo.NewOffset().AtEnd()"
	switch strings.ToLower(v.text) {
	case "smallest", "earliest", "beginning":
		start, reset = "kgo.NewOffset().AtStart()", "kgo.NewOffset().AtStart()"
	case "error":
		start, reset = "kgo.NewOffset().AtCommitted()", "kgo.NoResetOffset()"
	}
	return append(option1("ConsumeStartOffset", start), option1("ConsumeResetOffset", reset)...), nil
}

func isolation(v value, _ block) ([]string, error) {
	if v.text == "read_committed" {
		return option1("FetchIsolationLevel", "kgo.ReadCommitted()"), nil
	}
	return option1("FetchIsolationLevel", "kgo.ReadUncommitted()"), nil
}

// partitioner: Java's hash is kgo's own, but what becomes of records without a key is not
// the same as in librdkafka, see goPartitioner.
func partitioner(v value, _ block) ([]string, error) {
	how, ok := goPartitioners[v.text]
	if !ok {
		return nil, errors.New("kgo has no such partitioner; write a kgo.Partitioner")
	}
	return option1("RecordPartitioner", how), nil
}

func partitionerNote(b block) string {
	if name := b.text("partitioner"); name == "random" || strings.HasSuffix(name, "_random") {
		return "kgo changes the partition of records without a key by batch, librdkafka by time"
	}
	return ""
}
