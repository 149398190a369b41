package fingerprint

import (
	"fmt"

	"kcompare/internal/evidence"
)

// rows are all settings that show: of every client, of producers, of consumers.
func rows() []row {
	isolation := map[string]string{"0": "read_uncommitted", "1": "read_committed"}
	return []row{
		{"client.id", each(clientID)},
		{"client.software.name", each(field("ApiVersions", "client_software_name"))},
		{"client.software.version", each(field("ApiVersions", "client_software_version"))},
		{"sasl.mechanism", each(field("SaslHandshake", "mechanism"))},
		{"allow.auto.create.topics", each(field("Metadata", "allow_auto_topic_creation"))},
		{"enable.metrics.push", each(metrics)},

		{"acks", each(spelled("Produce", "acks", map[string]string{"-1": "all"}))},
		{"enable.idempotence", each(idempotence)},
		{"transactional.id", each(field("InitProducerId", "transactional_id"))},
		{"transaction.timeout.ms", each(field("InitProducerId", "transaction_timeout_ms"))},
		{"compression.type", compression},
		{"request.timeout.ms", each(field("Produce", "timeout_ms"))},
		{"max.in.flight.requests.per.connection", mostInFlight},
		{"batch.size", most("bytes", batchBytes)},
		{"batch.num.messages", most("records", batchRecords)},
		{"retries", retries},
		{"retry.backoff.ms", backoff},

		{"isolation.level", each(spelled("Fetch", "isolation_level", isolation))},
		{"fetch.wait.max.ms", each(field("Fetch", "max_wait_ms"))},
		{"fetch.min.bytes", each(field("Fetch", "min_bytes"))},
		{"fetch.max.bytes", each(field("Fetch", "max_bytes"))},
		{"max.partition.fetch.bytes", each(field("Fetch", "partition_max_bytes"))},
		{"client.rack", each(either(field("Fetch", "rack_id"), field("ConsumerGroupHeartbeat", "rack_id")))},
		{"auto.offset.reset", with("Fetch", each(startOffset))},
		{"group.id", each(groupID)},
		{"group.protocol", each(groupProtocol)},
		{"group.instance.id", each(either(field("JoinGroup", "group_instance_id"), field("ConsumerGroupHeartbeat", "group_instance_id")))},
		{"group.remote.assignor", each(field("ConsumerGroupHeartbeat", "server_assignor"))},
		{"partition.assignment.strategy", each(field("JoinGroup", "protocols"))},
		{"session.timeout.ms", each(field("JoinGroup", "session_timeout_ms"))},
		{"max.poll.interval.ms", each(rebalanceTimeout)},
		{"heartbeat.interval.ms", heartbeats},
	}
}

// clientID is in the header of every request.
func clientID(e evidence.Exchange) reading {
	return reading{e.Client, "client.id of the request"}
}

// metrics: a client asks which metrics the broker wants before it pushes any (KIP-714).
// That it does not ask proves nothing: the broker may not offer it.
func metrics(e evidence.Exchange) reading {
	if e.API != "GetTelemetrySubscriptions" {
		return reading{}
	}
	return reading{"true", "GetTelemetrySubscriptions is sent"}
}

// idempotence shows in the producer id of batches (KIP-98).
func idempotence(e evidence.Exchange) reading {
	switch {
	case len(e.Batches) == 0:
		return reading{}
	case e.Batches[0].ProducerID < 0:
		return reading{"false", "no producer id in the batches of Produce"}
	}
	return reading{"true", "a producer id in the batches of Produce"}
}

// compression is the codec of batches. A codec that was seen wins over none: libraries
// leave a batch as it is that would not become smaller.
func compression(key string, exchanges []evidence.Exchange) (Trait, bool) {
	var squeezed, plain []evidence.Exchange
	for _, e := range exchanges {
		if len(e.Batches) > 0 && e.Batches[0].Codec == "" {
			plain = append(plain, e)
		} else {
			squeezed = append(squeezed, e)
		}
	}
	t, seen := each(codec)(key, append(squeezed, plain...))
	if t.Value == "none" && maximum(plain, batchBytes) < worthSqueezing {
		t.Precision = Hint
	}
	return t, seen
}

// worthSqueezing is from where on text gets smaller by any codec, in bytes.
const worthSqueezing = 1000

func codec(e evidence.Exchange) reading {
	switch {
	case len(e.Batches) == 0:
		return reading{}
	case e.Batches[0].Codec == "":
		return reading{"none", "batches of Produce are not compressed"}
	}
	name := e.Batches[0].Codec
	return reading{name, fmt.Sprintf("batches of Produce are compressed by %s", name)}
}

// startOffset is where a consumer asks for an offset because its group has none: by one
// of two words, or by time, which no word stands for.
func startOffset(e evidence.Exchange) reading {
	words := map[string]string{"-1": "latest", "-2": "earliest"}
	if _, known := words[e.Fields["timestamp"]]; !known {
		return reading{}
	}
	return spelled("ListOffsets", "timestamp", words)(e)
}

func groupID(e evidence.Exchange) reading {
	return either(field("JoinGroup", "group_id"), field("ConsumerGroupHeartbeat", "group_id"), field("OffsetFetch", "group_id"), field("OffsetCommit", "group_id"))(e)
}

// groupProtocol: KIP-848 has a request of its own. A Connect worker joins a group as
// well, with another type of protocol.
func groupProtocol(e evidence.Exchange) reading {
	switch {
	case e.API == "JoinGroup" && e.Fields["protocol_type"] == "consumer":
		return reading{"classic", "JoinGroup is sent"}
	case e.API == "ConsumerGroupHeartbeat":
		return reading{"consumer", "ConsumerGroupHeartbeat is sent"}
	}
	return reading{}
}

// rebalanceTimeout is what clients fill in from max.poll.interval.ms (KIP-62). A
// heartbeat in which it did not change has -1.
func rebalanceTimeout(e evidence.Exchange) reading {
	if e.Fields["rebalance_timeout_ms"] == "-1" {
		return reading{}
	}
	return either(field("JoinGroup", "rebalance_timeout_ms"), field("ConsumerGroupHeartbeat", "rebalance_timeout_ms"))(e)
}
