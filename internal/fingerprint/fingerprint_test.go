package fingerprint

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
)

// TestKeys holds the names to the catalogue, each once.
func TestKeys(t *testing.T) {
	keys := Keys()
	for _, key := range keys {
		if s, known := config.Lookup(key); !known || s.Name != key {
			t.Errorf("%s is no canonical name of the catalogue", key)
		}
	}
	slices.Sort(keys)
	if len(slices.Compact(keys)) != len(Keys()) {
		t.Errorf("a key stands there twice: %q", keys)
	}
}

// sent is a request that was answered, and what it says of settings.
func sent(api string, fields ...string) evidence.Exchange {
	e := evidence.Exchange{API: api, Conn: 1, Forwarded: true, Answered: true, Delivered: true, Result: "ok", Fields: map[string]string{}}
	for i := 0; i < len(fields); i += 2 {
		e.Fields[fields[i]] = fields[i+1]
	}
	return e
}

// produced is a Produce with one batch.
func produced(b evidence.TraceBatch, fields ...string) evidence.Exchange {
	e := sent("Produce", fields...)
	b.Topic, b.Code = "orders", "ok"
	e.Batches = []evidence.TraceBatch{b}
	return e
}

func beats(micros ...int64) []evidence.Exchange {
	var all []evidence.Exchange
	for _, at := range micros {
		e := sent("Heartbeat")
		e.At = at
		all = append(all, e)
	}
	return all
}

// TestFind: each setting in what shows it, and in what does not.
func TestFind(t *testing.T) {
	one := func(e evidence.Exchange) []evidence.Exchange { return []evidence.Exchange{e} }
	idempotent, plain := evidence.TraceBatch{ProducerID: 7, Records: 3, Codec: "lz4"}, evidence.TraceBatch{ProducerID: -1, Records: 1}
	fetch := sent("Fetch", "isolation_level", "1", "max_wait_ms", "500", "min_bytes", "1", "max_bytes", "9000", "partition_max_bytes", "800", "rack_id", "a")
	join := sent("JoinGroup", "session_timeout_ms", "45000", "rebalance_timeout_ms", "300000", "protocols", "range,roundrobin",
		"group_id", "till", "group_instance_id", "desk-1", "protocol_type", "consumer")
	beat := sent("ConsumerGroupHeartbeat", "rebalance_timeout_ms", "-1", "group_id", "till", "server_assignor", "uniform")
	for _, tt := range []struct {
		key       string
		exchanges []evidence.Exchange
		want      string // value, precision and requests; "" for nothing
	}{
		{"acks", one(sent("Produce", "acks", "-1")), "all exact 1"},
		{"acks", one(sent("Produce", "acks", "1")), "1 exact 1"},
		{"acks", one(sent("Fetch")), ""},
		{"acks", []evidence.Exchange{sent("Produce", "acks", "0"), sent("Produce", "acks", "1"), sent("Produce", "acks", "0")}, "0 exact 2, and 1 in 1"},
		{"client.id", one(evidence.Exchange{API: "Fetch", Client: "shop"}), "shop exact 1"},
		{"client.software.name", one(sent("ApiVersions", "client_software_name", "kgo")), "kgo exact 1"},
		{"client.software.version", one(sent("ApiVersions", "client_software_version", "1.2")), "1.2 exact 1"},
		{"sasl.mechanism", one(sent("SaslHandshake", "mechanism", "PLAIN")), "PLAIN exact 1"},
		{"allow.auto.create.topics", one(sent("Metadata", "topics", "1", "allow_auto_topic_creation", "false")), "false exact 1"},
		{"allow.auto.create.topics", one(sent("Metadata", "topics", "0")), ""},
		{"enable.metrics.push", one(sent("GetTelemetrySubscriptions")), "true exact 1"},
		{"enable.idempotence", one(produced(idempotent)), "true exact 1"},
		{"enable.idempotence", one(produced(plain)), "false exact 1"},
		{"enable.idempotence", one(sent("InitProducerId")), ""},
		{"transactional.id", one(sent("InitProducerId", "transactional_id", "shop", "transaction_timeout_ms", "9")), "shop exact 1"},
		{"transaction.timeout.ms", one(sent("InitProducerId", "transactional_id", "shop", "transaction_timeout_ms", "9")), "9 exact 1"},
		{"transaction.timeout.ms", one(sent("InitProducerId")), ""},
		{"compression.type", one(produced(plain, "batch_bytes", "999")), "none hint 1"},
		{"compression.type", one(produced(plain, "batch_bytes", "1000")), "none exact 1"},
		{"compression.type", []evidence.Exchange{produced(plain), produced(idempotent)}, "lz4 exact 1, and none in 1"},
		{"request.timeout.ms", one(produced(plain, "timeout_ms", "30000")), "30000 exact 1"},
		{"batch.size", []evidence.Exchange{produced(plain, "batch_bytes", "90"), produced(plain, "batch_bytes", "70")}, "90 at-least 1"},
		{"batch.num.messages", []evidence.Exchange{produced(plain), produced(idempotent)}, "3 at-least 1"},
		{"batch.num.messages", one(fetch), ""},
		{"isolation.level", one(fetch), "read_committed exact 1"},
		{"fetch.wait.max.ms", one(fetch), "500 exact 1"},
		{"fetch.min.bytes", one(fetch), "1 exact 1"},
		{"fetch.max.bytes", one(fetch), "9000 exact 1"},
		{"max.partition.fetch.bytes", one(fetch), "800 exact 1"},
		{"max.partition.fetch.bytes", one(sent("Fetch", "max_bytes", "9000")), ""},
		{"client.rack", one(fetch), "a exact 1"},
		{"client.rack", one(sent("ConsumerGroupHeartbeat", "rack_id", "b")), "b exact 1"},
		{"auto.offset.reset", []evidence.Exchange{sent("ListOffsets", "timestamp", "-2"), fetch}, "earliest exact 1"},
		{"auto.offset.reset", []evidence.Exchange{sent("ListOffsets", "timestamp", "-1"), fetch}, "latest exact 1"},
		{"auto.offset.reset", []evidence.Exchange{sent("ListOffsets", "timestamp", "1700000000000"), fetch}, ""},
		{"auto.offset.reset", one(sent("ListOffsets", "timestamp", "-2")), ""}, // somebody looks, nobody reads
		{"group.id", one(join), "till exact 1"},
		{"group.protocol", one(join), "classic exact 1"},
		{"group.protocol", one(beat), "consumer exact 1"},
		{"group.protocol", one(sent("JoinGroup", "protocol_type", "connect")), ""},
		{"group.instance.id", one(join), "desk-1 exact 1"},
		{"group.remote.assignor", one(beat), "uniform exact 1"},
		{"partition.assignment.strategy", one(join), "range,roundrobin exact 1"},
		{"session.timeout.ms", one(join), "45000 exact 1"},
		{"max.poll.interval.ms", one(join), "300000 exact 1"},
		{"max.poll.interval.ms", one(beat), ""},
		{"heartbeat.interval.ms", beats(0, 3_000_000, 6_001_000, 9_002_000), "3001 about 3"},
		{"heartbeat.interval.ms", beats(0, 3_000_000, 6_001_000), ""},
		{"linger.ms", one(produced(plain)), ""},
	} {
		if diff := cmp.Diff(tt.want, told(tt.key, tt.exchanges)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.key, diff)
		}
	}
}

// told is a trait in a line.
func told(key string, exchanges []evidence.Exchange) string {
	found, seen := Find(key, exchanges)
	if !seen {
		return ""
	}
	text := fmt.Sprintf("%s %s %d", found.Value, found.Precision, found.Requests)
	for _, o := range found.Others {
		text += fmt.Sprintf(", and %s in %d", o.Value, o.Requests)
	}
	return text
}

// waiting is a Produce that came and was answered then, on a connection.
func waiting(conn, from, to int64) evidence.Exchange {
	e := produced(evidence.TraceBatch{ProducerID: -1, Records: 1}, "acks", "-1")
	e.Conn, e.At, e.AnsweredAt = conn, from, to
	return e
}

// TestInFlight: what waits at once, on one connection.
func TestInFlight(t *testing.T) {
	lost := waiting(1, 5, 0)
	lost.Answered, lost.Delivered = false, false
	made := waiting(1, 5, 0) // an answer that the proxy made
	made.Answered = false
	silent := waiting(1, 5, 0)
	silent.Answered, silent.Fields["acks"] = false, "0"
	for name, tt := range map[string]struct {
		exchanges []evidence.Exchange
		want      int
	}{
		"one after the other":             {[]evidence.Exchange{waiting(1, 1, 5), waiting(1, 6, 9)}, 1},
		"the next one comes at an answer": {[]evidence.Exchange{waiting(1, 1, 5), waiting(1, 5, 9)}, 1},
		"two at once":                     {[]evidence.Exchange{waiting(1, 1, 7), waiting(1, 5, 9), waiting(1, 8, 9)}, 2},
		"on two connections":              {[]evidence.Exchange{waiting(1, 1, 7), waiting(2, 5, 9)}, 1},
		"never answered":                  {[]evidence.Exchange{lost, waiting(1, 6, 9)}, 2},
		"answered by the proxy":           {[]evidence.Exchange{made, waiting(1, 7, 9)}, 1},
		"acks=0 waits for nothing":        {[]evidence.Exchange{silent, waiting(1, 6, 9)}, 1},
		"none":                            {nil, 0},
	} {
		if got := inFlight(tt.exchanges); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
