package proxy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestFieldsOf: each request says what its client was set to, and no more than that.
func TestFieldsOf(t *testing.T) {
	text := kmsg.StringPtr
	metadata := kmsg.NewPtrMetadataRequest()
	metadata.AllowAutoTopicCreation = true
	named := *metadata
	named.Topics = []kmsg.MetadataRequestTopic{{Topic: text("orders")}}
	offsets := kmsg.NewPtrListOffsetsRequest()
	offsets.Topics = []kmsg.ListOffsetsRequestTopic{{Topic: "orders", Partitions: []kmsg.ListOffsetsRequestTopicPartition{{Timestamp: -2}, {Timestamp: 7}}}}
	fetch := kmsg.NewPtrFetchRequest()
	fetch.MaxWaitMillis, fetch.MinBytes, fetch.MaxBytes, fetch.IsolationLevel, fetch.SessionEpoch = 500, 1, 9000, 1, -1
	inSession := *fetch
	fetch.Topics = []kmsg.FetchRequestTopic{{Partitions: []kmsg.FetchRequestTopicPartition{{PartitionMaxBytes: 800}}}}
	join := kmsg.NewPtrJoinGroupRequest()
	join.Group, join.MemberID, join.SessionTimeoutMillis, join.RebalanceTimeoutMillis = "till", "member", 45000, 60000
	join.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "range", Metadata: []byte("not told")}, {Name: "roundrobin"}}

	whole := map[string]string{"isolation_level": "1", "max_wait_ms": "500", "min_bytes": "1", "max_bytes": "9000", "session_epoch": "-1"}
	limited := map[string]string{"partition_max_bytes": "800"}
	for key, value := range whole {
		limited[key] = value
	}
	for name, tt := range map[string]struct {
		message kmsg.Request
		want    map[string]string
	}{
		"ApiVersions":             {&kmsg.ApiVersionsRequest{ClientSoftwareName: "kgo", ClientSoftwareVersion: strings.Repeat("v", 200)}, map[string]string{"client_software_name": "kgo", "client_software_version": strings.Repeat("v", longestField)}},
		"ApiVersions before v3":   {&kmsg.ApiVersionsRequest{}, map[string]string{}},
		"Produce":                 {&kmsg.ProduceRequest{Acks: -1, TimeoutMillis: 30000, TransactionID: text("secret?")}, map[string]string{"acks": "-1", "timeout_ms": "30000"}},
		"InitProducerId":          {&kmsg.InitProducerIDRequest{TransactionalID: text("shop"), TransactionTimeoutMillis: 40000}, map[string]string{"transaction_timeout_ms": "40000"}},
		"InitProducerId, no id":   {&kmsg.InitProducerIDRequest{TransactionTimeoutMillis: 40000}, nil},
		"Metadata of the cluster": {metadata, nil},
		"Metadata of a topic":     {&named, map[string]string{"allow_auto_topic_creation": "true"}},
		"ListOffsets":             {offsets, map[string]string{"isolation_level": "0", "timestamp": "-2"}},
		"Fetch":                   {fetch, limited},
		"Fetch in a session":      {&inSession, whole},
		"JoinGroup":               {join, map[string]string{"session_timeout_ms": "45000", "rebalance_timeout_ms": "60000", "protocols": "range,roundrobin"}},
		"ConsumerGroupHeartbeat":  {&kmsg.ConsumerGroupHeartbeatRequest{RebalanceTimeoutMillis: 5, ServerAssignor: text("uniform")}, map[string]string{"rebalance_timeout_ms": "5", "server_assignor": "uniform"}},
		"OffsetFetch":             {&kmsg.OffsetFetchRequest{RequireStable: true}, map[string]string{"require_stable": "true"}},
		"SASLAuthenticate":        {&kmsg.SASLAuthenticateRequest{SASLAuthBytes: []byte("password")}, nil},
	} {
		if diff := cmp.Diff(tt.want, fieldsOf(tt.message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
