package sarama

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/IBM/sarama"

	"kcompare/internal/config"
)

// This file has the settings whose translation is more than a conversion, most
// of them because several settings make one field.

func socketTimeout(c *sarama.Config, _ string, g given, _ config.Role) error {
	timeout := g.millis("socket.timeout.ms", 0)
	c.Net.ReadTimeout, c.Net.WriteTimeout = timeout, timeout
	return nil
}

// keepalive: 0 is Go's default, which is on.
func keepalive(c *sarama.Config, value string, _ given, _ config.Role) error {
	if !equal(value, "true") {
		c.Net.KeepAlive = -1
	}
	return nil
}

func canonicalNames(c *sarama.Config, value string, _ given, _ config.Role) error {
	c.Net.ResolveCanonicalBootstrapServers = equal(value, "resolve_canonical_bootstrap_servers_only")
	return nil
}

// refresh: topic.metadata.refresh.interval.ms is what sarama's field really is, so
// metadata.max.age.ms gives way to it. Below 0 librdkafka never refreshes, as sarama
// does at 0.
func refresh(c *sarama.Config, _ string, g given, _ config.Role) error {
	every := g.millis("topic.metadata.refresh.interval.ms", g.millis("metadata.max.age.ms", 0))
	c.Metadata.RefreshFrequency = max(every, 0)
	return nil
}

// backoff doubles from the first to the greatest, without jitter, so that runs
// can be compared. Retry settings win over those for connections; without a greatest
// one it stays as it is, as sarama's own does.
//
// sarama counts attempts where others have a time limit, so shorter pauses would make
// it give up sooner; the counts make up for that.
func backoff(c *sarama.Config, _ string, g given, _ config.Role) error {
	first, most := pauses(g)
	counted := func(retries, _ int) time.Duration { return doubled(first, most, retries) }
	own := sarama.NewConfig()

	c.Producer.Retry.Backoff, c.Producer.Retry.BackoffFunc = first, counted
	c.Metadata.Retry.Backoff, c.Metadata.Retry.BackoffFunc = first, counted
	c.Metadata.Retry.Max = attempts(own.Metadata.Retry.Max, own.Metadata.Retry.Backoff, most)
	c.Producer.Transaction.Retry.Backoff, c.Producer.Transaction.Retry.BackoffFunc = first, counted
	c.Producer.Transaction.Retry.Max = attempts(own.Producer.Transaction.Retry.Max, own.Producer.Transaction.Retry.Backoff, most)
	c.Consumer.Retry.Backoff = first
	c.Consumer.Retry.BackoffFunc = func(retries int) time.Duration { return doubled(first, most, retries) }
	c.Consumer.Group.Rebalance.Retry.Backoff = most
	c.Consumer.Group.Rebalance.Retry.Max = attempts(own.Consumer.Group.Rebalance.Retry.Max, own.Consumer.Group.Rebalance.Retry.Backoff, most)
	return nil
}

// pauses are the first one and the longest one.
func pauses(g given) (first, most time.Duration) {
	own := sarama.NewConfig().Producer.Retry.Backoff
	first = g.millis("retry.backoff.ms", g.millis("reconnect.backoff.ms", own))
	return first, max(first, g.millis("retry.backoff.max.ms", g.millis("reconnect.backoff.max.ms", first)))
}

func doubled(first, most time.Duration, retries int) time.Duration {
	d := first
	for ; retries > 1 && d < most; retries-- {
		d *= 2
	}
	return min(d, most)
}

// attempts is how many pauses of that length take as long as those of sarama's default.
func attempts(count int, pause, most time.Duration) int {
	if most <= 0 {
		return count
	}
	return max(count, int(time.Duration(count)*pause/most))
}

func acks(c *sarama.Config, value string, _ given, _ config.Role) error {
	known := map[string]sarama.RequiredAcks{
		"all": sarama.WaitForAll, "-1": sarama.WaitForAll, "1": sarama.WaitForLocal, "0": sarama.NoResponse,
	}
	required, ok := known[strings.ToLower(value)]
	if !ok {
		return errors.New("sarama takes 0, 1 and all")
	}
	c.Producer.RequiredAcks = required
	return nil
}

func idempotence(c *sarama.Config, value string, _ given, _ config.Role) error {
	c.Producer.Idempotent = equal(value, "true")
	return nil
}

func inFlight(c *sarama.Config, _ string, g given, _ config.Role) error {
	c.Net.MaxOpenRequests = int(g.number("max.in.flight.requests.per.connection", 0))
	return nil
}

// inFlightNote: of an idempotent producer translate says more.
func inFlightNote(value string, g given) string {
	if value == "1" || g["transactional.id"] != "" || equal(g["enable.idempotence"], "true") {
		return ""
	}
	return "sarama counts requests of any kind, and has one batch of a partition in flight, whatever is set"
}

// mostRetries bounds Producer.Retry.Max: sarama reserves 32 bytes for each retry it may
// make, in every partition (async_producer.go, newPartitionProducer). 2147483647 would
// be 64 GiB.
const mostRetries = 10_000

// retries: who asks for more than sarama can have means "until delivery.timeout.ms", and
// gets as many as their pauses take that long.
func retries(c *sarama.Config, _ string, g given, _ config.Role) error {
	n := g.number("retries", 0)
	if n > mostRetries {
		n = mostRetries
		_, most := pauses(g)
		if limit := g.millis("delivery.timeout.ms", 0); limit > 0 && most > 0 {
			n = max(1, min(n, float64(limit/most)))
		}
	}
	c.Producer.Retry.Max = int(n)
	return nil
}

func retriesNote(_ string, g given) string {
	note := "sarama counts the failures of the records before it against a record as well"
	if g.number("retries", 0) <= mostRetries {
		return note
	}
	return fmt.Sprintf("%s; it reserves memory for each retry, so there are as many as their pauses take delivery.timeout.ms, %d at most", note, mostRetries)
}

// batchBytes: with linger.ms=0 sarama sends at once. With a trigger of bytes and no time
// it would wait for those bytes for ever.
func batchBytes(c *sarama.Config, _ string, g given, _ config.Role) error {
	if g.number("linger.ms", 0) > 0 {
		c.Producer.Flush.Bytes = int(g.number("batch.size", 0))
	}
	return nil
}

// largest: a consumer of sarama takes records of any size.
func largest(c *sarama.Config, _ string, g given, role config.Role) error {
	if role == config.Producer {
		c.Producer.MaxMessageBytes = int(g.number("message.max.bytes", 0))
	}
	return nil
}

func compression(c *sarama.Config, _ string, g given, _ config.Role) error {
	codecs := map[string]sarama.CompressionCodec{
		"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP, "snappy": sarama.CompressionSnappy,
		"lz4": sarama.CompressionLZ4, "zstd": sarama.CompressionZSTD,
	}
	codec, set := codecs[strings.ToLower(g["compression.type"])]
	if !set {
		return nil // a level alone changes nothing
	}
	c.Producer.Compression = codec
	if level := g.number("compression.level", -1); level != -1 {
		c.Producer.CompressionLevel = int(level)
	}
	return nil
}

func strategies(c *sarama.Config, value string, _ given, _ config.Role) error {
	known := map[string]func() sarama.BalanceStrategy{
		"range": sarama.NewBalanceStrategyRange, "roundrobin": sarama.NewBalanceStrategyRoundRobin,
		"cooperative-sticky": sarama.NewBalanceStrategyCooperativeSticky,
	}
	var all []sarama.BalanceStrategy
	for _, name := range words(value) {
		strategy, ok := known[strings.ToLower(name)]
		if !ok {
			return fmt.Errorf("sarama has no %s", name)
		}
		all = append(all, strategy())
	}
	c.Consumer.Group.Rebalance.GroupStrategies = all
	return nil
}

// autoCommit: an interval of 0 turns it off in librdkafka.
func autoCommit(c *sarama.Config, value string, g given, _ config.Role) error {
	c.Consumer.Offsets.AutoCommit.Enable = equal(value, "true") && g["auto.commit.interval.ms"] != "0"
	return nil
}

func commitInterval(c *sarama.Config, value string, g given, _ config.Role) error {
	if value != "0" {
		c.Consumer.Offsets.AutoCommit.Interval = g.millis("auto.commit.interval.ms", 0)
	}
	return nil
}

func offsetReset(c *sarama.Config, value string, _ given, _ config.Role) error {
	switch strings.ToLower(value) {
	case "smallest", "earliest", "beginning":
		c.Consumer.Offsets.Initial = sarama.OffsetOldest
	case "error":
		return errors.New("sarama always begins at one end or the other")
	default:
		c.Consumer.Offsets.Initial = sarama.OffsetNewest
	}
	return nil
}

func isolation(c *sarama.Config, value string, _ given, _ config.Role) error {
	if equal(value, "read_committed") {
		c.Consumer.IsolationLevel = sarama.ReadCommitted
	}
	return nil
}
