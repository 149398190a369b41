package proxy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
)

// fieldsOf are settings of a client that a request carries: see
// evidence.Exchange.Fields. The list is fixed and has neither payloads nor anything
// secret. A request of another API, or one that says nothing, has none.
func fieldsOf(message kmsg.Request) map[string]string {
	switch m := message.(type) {
	case *kmsg.ApiVersionsRequest:
		return fields{}.text("client_software_name", m.ClientSoftwareName).text("client_software_version", m.ClientSoftwareVersion)
	case *kmsg.ProduceRequest:
		return produceFields(m)
	case *kmsg.InitProducerIDRequest:
		return initFields(m)
	case *kmsg.MetadataRequest:
		return metadataFields(m)
	case *kmsg.ListOffsetsRequest:
		return listOffsetsFields(m)
	case *kmsg.FetchRequest:
		return fetchFields(m)
	case *kmsg.JoinGroupRequest:
		return joinFields(m)
	case *kmsg.ConsumerGroupHeartbeatRequest:
		return groupHeartbeatFields(m)
	case *kmsg.OffsetFetchRequest:
		return fields{}.text("group_id", offsetFetchGroup(m)).truth("require_stable", m.RequireStable)
	case *kmsg.OffsetCommitRequest:
		return fields{}.text("group_id", m.Group).text("group_instance_id", deref(m.InstanceID)).number("generation", int64(m.Generation))
	case *kmsg.TxnOffsetCommitRequest:
		return fields{}.text("group_id", m.Group).text("group_instance_id", deref(m.InstanceID)).number("generation", int64(m.Generation))
	case *kmsg.FindCoordinatorRequest:
		return fields{}.number("coordinator_type", int64(m.CoordinatorType))
	case *kmsg.SASLHandshakeRequest:
		return fields{}.text("mechanism", m.Mechanism)
	case *kmsg.CreateTopicsRequest:
		return createTopicsFields(m)
	}
	return nil
}

// produceFields have the size of the largest batch as it is sent, compressed where it is,
// and the checksums of batches, by which one without a producer id is known when it comes
// again. Clients put one batch of a partition into a request.
func produceFields(m *kmsg.ProduceRequest) fields {
	largest := 0
	var sums []string
	for _, t := range m.Topics {
		for _, p := range t.Partitions {
			largest = max(largest, len(p.Records))
			if h, err := batch.ReadHeader(p.Records); err == nil {
				sums = append(sums, fmt.Sprintf("%08x", h.Sum))
			}
		}
	}
	return fields{}.number("acks", int64(m.Acks)).number("timeout_ms", int64(m.TimeoutMillis)).
		number("batch_bytes", int64(largest)).text("batch_sums", strings.Join(sums, ","))
}

// initFields leaves the timeout out where there is no transaction that could time out.
func initFields(m *kmsg.InitProducerIDRequest) fields {
	if m.TransactionalID == nil {
		return nil
	}
	return fields{}.text("transactional_id", *m.TransactionalID).number("transaction_timeout_ms", int64(m.TransactionTimeoutMillis))
}

// metadataFields has how many topics are asked for: "all", or 0 for the cluster alone,
// in which case the other field would mean nothing. Before v1 none means all.
func metadataFields(m *kmsg.MetadataRequest) fields {
	switch {
	case m.Topics == nil || len(m.Topics) == 0 && m.Version == 0:
		return fields{}.text("topics", "all")
	case len(m.Topics) == 0:
		return fields{}.text("topics", "0")
	}
	return fields{}.number("topics", int64(len(m.Topics))).truth("allow_auto_topic_creation", m.AllowAutoTopicCreation)
}

// listOffsetsFields has the timestamp of the first partition: -1 is latest, -2 earliest.
func listOffsetsFields(m *kmsg.ListOffsetsRequest) fields {
	f := fields{}.number("isolation_level", int64(m.IsolationLevel))
	for _, t := range m.Topics {
		for _, p := range t.Partitions {
			return f.number("timestamp", p.Timestamp)
		}
	}
	return f
}

// fetchFields has the limit of the first partition, and none where the request names
// none because its session has them (KIP-227).
func fetchFields(m *kmsg.FetchRequest) fields {
	f := fields{}.number("isolation_level", int64(m.IsolationLevel)).
		number("max_wait_ms", int64(m.MaxWaitMillis)).number("min_bytes", int64(m.MinBytes)).number("max_bytes", int64(m.MaxBytes)).
		number("session_epoch", int64(m.SessionEpoch)).text("rack_id", m.Rack)
	for _, t := range m.Topics {
		for _, p := range t.Partitions {
			return f.number("partition_max_bytes", int64(p.PartitionMaxBytes))
		}
	}
	return f
}

func joinFields(m *kmsg.JoinGroupRequest) fields {
	var protocols []string
	for _, p := range m.Protocols {
		protocols = append(protocols, p.Name)
	}
	return fields{}.number("session_timeout_ms", int64(m.SessionTimeoutMillis)).
		number("rebalance_timeout_ms", int64(m.RebalanceTimeoutMillis)).text("protocols", strings.Join(protocols, ",")).
		text("group_id", m.Group).text("group_instance_id", deref(m.InstanceID)).text("protocol_type", m.ProtocolType)
}

// groupHeartbeatFields: member_epoch is 0 in the request that joins, and below 0 in the
// one that leaves (KIP-848). The settings stand in the one that joins; a later one has
// them only where they changed, and -1 for the timeout.
func groupHeartbeatFields(m *kmsg.ConsumerGroupHeartbeatRequest) fields {
	f := fields{}.number("rebalance_timeout_ms", int64(m.RebalanceTimeoutMillis)).text("server_assignor", deref(m.ServerAssignor)).
		number("member_epoch", int64(m.MemberEpoch)).text("group_id", m.Group).text("group_instance_id", deref(m.InstanceID)).
		text("rack_id", deref(m.RackID)).text("subscribed_regex", deref(m.SubscribedTopicRegex))
	if m.SubscribedTopicNames == nil {
		return f
	}
	return f.number("subscribed_topics", int64(len(m.SubscribedTopicNames)))
}

// offsetFetchGroup: before v8 one group, since then a list.
func offsetFetchGroup(m *kmsg.OffsetFetchRequest) string {
	if len(m.Groups) > 0 {
		return m.Groups[0].Group
	}
	return m.Group
}

// createTopicsFields have the numbers of the first topic.
func createTopicsFields(m *kmsg.CreateTopicsRequest) fields {
	f := fields{}.number("timeout_ms", int64(m.TimeoutMillis)).truth("validate_only", m.ValidateOnly).number("topics", int64(len(m.Topics)))
	if len(m.Topics) == 0 {
		return f
	}
	return f.number("partitions", int64(m.Topics[0].NumPartitions)).number("replication_factor", int64(m.Topics[0].ReplicationFactor))
}

// fields grow by one method a type, each of which returns them.
type fields map[string]string

// longestField bounds what a client may put into a trace with a name of its own.
const longestField = 100

// text leaves an empty value out: the version of the request has no such field, or the
// client did not fill it in.
func (f fields) text(name, value string) fields {
	if value != "" {
		f[name] = value[:min(len(value), longestField)]
	}
	return f
}

func (f fields) number(name string, value int64) fields {
	f[name] = strconv.FormatInt(value, 10)
	return f
}

func (f fields) truth(name string, value bool) fields {
	f[name] = strconv.FormatBool(value)
	return f
}
