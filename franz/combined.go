package franz

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/config"
)

// This file has the settings whose translation is more than a conversion, most
// of them because several settings make one option.

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

// idempotent is kgo's default as well.
func (g given) idempotent() bool {
	value, set := g["enable.idempotence"]
	return !set || equal(value, "true")
}

// socketTimeout: kgo waits the timeout that the request itself carries plus an
// overhead, librdkafka socket.timeout.ms in all.
func socketTimeout(_ string, g given, role config.Role) ([]kgo.Opt, error) {
	overhead := g.millis("socket.timeout.ms", 0)
	if role == config.Producer {
		overhead -= g.millis("request.timeout.ms", 10*time.Second) // kgo's default ProduceRequestTimeout
	}
	overhead = min(max(overhead, 100*time.Millisecond), 15*time.Minute) // kgo's limits
	return []kgo.Opt{kgo.RequestTimeoutOverhead(overhead)}, nil
}

func socketTimeoutNote(string, given) string {
	return "franz-go waits request.timeout.ms (of a fetch: fetch.wait.max.ms) and at least 100 ms more"
}

// idle: 0 never closes in librdkafka; 15 minutes is the most that kgo takes.
func idle(value string, g given, role config.Role) ([]kgo.Opt, error) {
	if n := g.number("connections.max.idle.ms", 0); n == 0 || n > 15*60*1000 {
		return []kgo.Opt{kgo.ConnIdleTimeout(15 * time.Minute)}, nil
	}
	return millis(kgo.ConnIdleTimeout, 100*time.Millisecond, 15*time.Minute)(value, g, role)
}

func idleNote(_ string, g given) string {
	if n := g.number("connections.max.idle.ms", 0); n == 0 || n > 15*60*1000 {
		return "franz-go closes connections after 15 minutes at the latest"
	}
	return ""
}

// maxAge gives way to topic.metadata.refresh.interval.ms, which is what kgo's
// option really is.
func maxAge(value string, g given, role config.Role) ([]kgo.Opt, error) {
	if _, set := g["topic.metadata.refresh.interval.ms"]; set {
		return nil, nil
	}
	return millis(kgo.MetadataMaxAge, 10*time.Millisecond, time.Hour)(value, g, role)
}

func minAge(_ string, g given, _ config.Role) ([]kgo.Opt, error) {
	age := g.millis("topic.metadata.refresh.fast.interval.ms", 0)
	return []kgo.Opt{kgo.MetadataMinAge(max(age, 10*time.Millisecond))}, nil
}

// unknownTopics turns kgo's count of look-ups off: a record then lives as long
// as delivery.timeout.ms and retries let it.
func unknownTopics(_ string, g given, role config.Role) ([]kgo.Opt, error) {
	if role == config.Consumer || g.number("topic.metadata.propagation.max.ms", 0) == 0 {
		return nil, nil
	}
	return []kgo.Opt{kgo.UnknownTopicRetries(-1)}, nil
}

// backoff doubles from the first to the greatest, without jitter, so that runs
// can be compared. Retry settings win over those for connections; what is not
// given at all is as in kgo, 250 ms and 5 s.
func backoff(_ string, g given, _ config.Role) ([]kgo.Opt, error) {
	first := g.millis("retry.backoff.ms", g.millis("reconnect.backoff.ms", 250*time.Millisecond))
	most := g.millis("retry.backoff.max.ms", g.millis("reconnect.backoff.max.ms", 5*time.Second))
	return []kgo.Opt{kgo.RetryBackoffFn(doubling(first, most))}, nil
}

func doubling(first, most time.Duration) func(int) time.Duration {
	return func(fails int) time.Duration {
		d := first
		for ; fails > 1 && d < most; fails-- {
			d *= 2
		}
		return min(d, most)
	}
}

func acks(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
	switch value {
	case "all", "-1":
		return []kgo.Opt{kgo.RequiredAcks(kgo.AllISRAcks())}, nil
	case "1":
		return []kgo.Opt{kgo.RequiredAcks(kgo.LeaderAck())}, nil
	case "0":
		return []kgo.Opt{kgo.RequiredAcks(kgo.NoAck())}, nil
	}
	return nil, errors.New("franz-go takes 0, 1 and all")
}

// inFlight: an idempotent kgo producer has 5 requests in flight, always.
func inFlight(value string, g given, role config.Role) ([]kgo.Opt, error) {
	switch {
	case role == config.Consumer:
		return nil, nil
	case !g.idempotent():
		return number(kgo.MaxProduceRequestsInflightPerBroker, 1, math.MaxInt32)(value, g, role)
	case value != "5":
		return nil, errors.New("franz-go always has 5 requests in flight with enable.idempotence=true")
	}
	return nil, nil
}

// What kgo does unless it is told to give up records in flight.
const (
	keepsRetrying = "franz-go goes on retrying an idempotent record while it may already be in the log"
	keepsInFlight = "franz-go never gives up an idempotent record that was sent and not answered"
)

func retriesNote(value string, g given) string {
	if !g.idempotent() || value == strconv.Itoa(math.MaxInt32) {
		return ""
	}
	return keepsRetrying
}

// deliveryTimeout: 0 is "no limit" in both libraries.
func deliveryTimeout(value string, g given, role config.Role) ([]kgo.Opt, error) {
	if g.number("delivery.timeout.ms", 0) == 0 {
		return []kgo.Opt{kgo.RecordDeliveryTimeout(0)}, nil
	}
	return millis(kgo.RecordDeliveryTimeout, time.Second, forever)(value, g, role)
}

func deliveryTimeoutNote(_ string, g given) string {
	if !g.idempotent() || g.number("delivery.timeout.ms", 0) == 0 {
		return ""
	}
	return keepsInFlight
}

func batchBytes(_ string, g given, role config.Role) ([]kgo.Opt, error) {
	if role == config.Consumer {
		return nil, nil // message.max.bytes: a consumer of kgo has only fetch.max.bytes
	}
	limit := batchLimit(g)
	if limit < 512 {
		return nil, errors.New("franz-go takes 512 or more")
	}
	return []kgo.Opt{kgo.ProducerBatchMaxBytes(limit)}, nil
}

// batchLimit is the smaller one of the two settings, as in librdkafka. Where
// neither is given it is kgo's default.
func batchLimit(g given) int32 {
	const most = 1 << 30 // kgo's limit
	limit := min(g.number("batch.size", most), g.number("message.max.bytes", most))
	_, sized := g["batch.size"]
	_, limited := g["message.max.bytes"]
	if !sized && !limited {
		limit = 1000012
	}
	return int32(limit)
}

func bufferedBytes(_ string, g given, _ config.Role) ([]kgo.Opt, error) {
	return []kgo.Opt{kgo.MaxBufferedBytes(int(g.number("queue.buffering.max.kbytes", 0)) * 1024)}, nil
}

func compression(_ string, g given, _ config.Role) ([]kgo.Opt, error) {
	codec, set := codecs[strings.ToLower(g["compression.type"])]
	if !set {
		return nil, nil // a level alone changes nothing in librdkafka
	}
	c := codec()
	if level := g.number("compression.level", -1); level != -1 {
		c = c.WithLevel(int(level))
	}
	return []kgo.Opt{kgo.ProducerBatchCompression(c)}, nil
}

var codecs = map[string]func() kgo.CompressionCodec{
	"none": kgo.NoCompression, "gzip": kgo.GzipCompression, "snappy": kgo.SnappyCompression,
	"lz4": kgo.Lz4Compression, "zstd": kgo.ZstdCompression,
}

func balancers(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
	known := map[string]func() kgo.GroupBalancer{
		"range": kgo.RangeBalancer, "roundrobin": kgo.RoundRobinBalancer, "cooperative-sticky": kgo.CooperativeStickyBalancer,
	}
	var all []kgo.GroupBalancer
	for _, name := range words(value) {
		balancer, ok := known[strings.ToLower(name)]
		if !ok {
			return nil, fmt.Errorf("franz-go has no %s", name)
		}
		all = append(all, balancer())
	}
	return []kgo.Opt{kgo.Balancers(all...)}, nil
}

// remoteAssignor: kgo names "range" for its range balancer and "uniform" for
// the sticky ones (KIP-848).
func remoteAssignor(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
	switch value {
	case "":
		return nil, nil
	case "range":
		return []kgo.Opt{kgo.Balancers(kgo.RangeBalancer())}, nil
	case "uniform":
		return []kgo.Opt{kgo.Balancers(kgo.StickyBalancer())}, nil
	}
	return nil, errors.New("franz-go takes range and uniform")
}

// autoCommit: GreedyAutoCommit commits what the last poll returned, as
// librdkafka does; kgo's own way commits what the poll before it returned. Where the
// program stores offsets itself, kgo calls them marks.
func autoCommit(value string, g given, _ config.Role) ([]kgo.Opt, error) {
	if equal(value, "false") || g["auto.commit.interval.ms"] == "0" || g["group.id"] == "" {
		return []kgo.Opt{kgo.DisableAutoCommit()}, nil
	}
	if stores, set := g["enable.auto.offset.store"]; set && equal(stores, "false") {
		return []kgo.Opt{kgo.AutoCommitMarks()}, nil
	}
	return []kgo.Opt{kgo.GreedyAutoCommit()}, nil
}

func commitInterval(value string, g given, role config.Role) ([]kgo.Opt, error) {
	if value == "0" {
		return nil, nil // autoCommit turns it off
	}
	return millis(kgo.AutoCommitInterval, 100*time.Millisecond, forever)(value, g, role)
}

// offsetReset: kgo splits the setting, and its default for a lost offset is a
// third thing (one minute back).
func offsetReset(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
	start, reset := kgo.NewOffset().AtEnd(), kgo.NewOffset().AtEnd()
	switch strings.ToLower(value) {
	case "smallest", "earliest", "beginning":
		start, reset = kgo.NewOffset().AtStart(), kgo.NewOffset().AtStart()
	case "error":
		start, reset = kgo.NewOffset().AtCommitted(), kgo.NoResetOffset()
	}
	return []kgo.Opt{kgo.ConsumeStartOffset(start), kgo.ConsumeResetOffset(reset)}, nil
}

func isolation(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
	if equal(value, "read_committed") {
		return []kgo.Opt{kgo.FetchIsolationLevel(kgo.ReadCommitted())}, nil
	}
	return []kgo.Opt{kgo.FetchIsolationLevel(kgo.ReadUncommitted())}, nil
}
