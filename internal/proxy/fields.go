package proxy

import (
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// fieldsOf are settings of a client that a request carries: see
// evidence.Exchange.Fields. The list is fixed and has neither payloads nor anything
// secret. A request of another API, or one that says nothing, has none.
func fieldsOf(message kmsg.Request) map[string]string {
	switch m := message.(type) {
	case *kmsg.ApiVersionsRequest:
		return fields{}.text("client_software_name", m.ClientSoftwareName).text("client_software_version", m.ClientSoftwareVersion)
	case *kmsg.ProduceRequest:
		return fields{}.number("acks", int64(m.Acks)).number("timeout_ms", int64(m.TimeoutMillis))
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
		return fields{}.number("rebalance_timeout_ms", int64(m.RebalanceTimeoutMillis)).text("server_assignor", deref(m.ServerAssignor))
	case *kmsg.OffsetFetchRequest:
		return fields{}.truth("require_stable", m.RequireStable)
	}
	return nil
}

// initFields leaves the timeout out where there is no transaction that could time out.
func initFields(m *kmsg.InitProducerIDRequest) fields {
	if m.TransactionalID == nil {
		return nil
	}
	return fields{}.number("transaction_timeout_ms", int64(m.TransactionTimeoutMillis))
}

// metadataFields leaves out what means nothing in a request for the cluster alone.
func metadataFields(m *kmsg.MetadataRequest) fields {
	if len(m.Topics) == 0 {
		return nil
	}
	return fields{}.truth("allow_auto_topic_creation", m.AllowAutoTopicCreation)
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
		number("session_epoch", int64(m.SessionEpoch))
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
		number("rebalance_timeout_ms", int64(m.RebalanceTimeoutMillis)).text("protocols", strings.Join(protocols, ","))
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
