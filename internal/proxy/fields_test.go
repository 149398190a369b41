package proxy

import (
	"encoding/binary"
	"maps"
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
	cluster := kmsg.NewPtrMetadataRequest()
	cluster.Version, cluster.Topics = 12, []kmsg.MetadataRequestTopic{}
	oldest := kmsg.NewPtrMetadataRequest()
	oldest.Topics = []kmsg.MetadataRequestTopic{}
	offsets := kmsg.NewPtrListOffsetsRequest()
	offsets.Topics = []kmsg.ListOffsetsRequestTopic{{Topic: "orders", Partitions: []kmsg.ListOffsetsRequestTopicPartition{{Timestamp: -2}, {Timestamp: 7}}}}
	fetch := kmsg.NewPtrFetchRequest()
	fetch.MaxWaitMillis, fetch.MinBytes, fetch.MaxBytes, fetch.IsolationLevel, fetch.SessionEpoch = 500, 1, 9000, 1, -1
	inSession := *fetch
	near := *fetch
	near.Rack = "a"
	fetch.Topics = []kmsg.FetchRequestTopic{{Partitions: []kmsg.FetchRequestTopicPartition{{PartitionMaxBytes: 800}}}}
	join := kmsg.NewPtrJoinGroupRequest()
	join.Group, join.MemberID, join.SessionTimeoutMillis, join.RebalanceTimeoutMillis = "till", "member", 45000, 60000
	join.InstanceID, join.ProtocolType = text("desk-1"), "consumer"
	join.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "range", Metadata: []byte("not told")}, {Name: "roundrobin"}}

	whole := map[string]string{"isolation_level": "1", "max_wait_ms": "500", "min_bytes": "1", "max_bytes": "9000", "session_epoch": "-1"}
	limited := map[string]string{"partition_max_bytes": "800"}
	for key, value := range whole {
		limited[key] = value
	}
	racked := maps.Clone(whole)
	racked["rack_id"] = "a"
	produce := &kmsg.ProduceRequest{Acks: -1, TimeoutMillis: 30000, TransactionID: text("secret?")}
	produce.Topics = []kmsg.ProduceRequestTopic{{Partitions: []kmsg.ProduceRequestTopicPartition{{Records: withSum(70, 0x0a0b0c0d)}, {Records: withSum(90, 7)}}}}
	member := &kmsg.ConsumerGroupHeartbeatRequest{
		Group: "till", MemberEpoch: -1, RebalanceTimeoutMillis: 5, ServerAssignor: text("uniform"), InstanceID: text("desk-1"), RackID: text("a"),
		SubscribedTopicNames: []string{"orders"}, SubscribedTopicRegex: text("o.*"),
	}
	for name, tt := range map[string]struct {
		message kmsg.Request
		want    map[string]string
	}{
		"ApiVersions":                {&kmsg.ApiVersionsRequest{ClientSoftwareName: "kgo", ClientSoftwareVersion: strings.Repeat("v", 200)}, map[string]string{"client_software_name": "kgo", "client_software_version": strings.Repeat("v", longestField)}},
		"ApiVersions before v3":      {&kmsg.ApiVersionsRequest{}, map[string]string{}},
		"Produce":                    {produce, map[string]string{"acks": "-1", "timeout_ms": "30000", "batch_bytes": "90", "batch_sums": "0a0b0c0d,00000007"}},
		"InitProducerId":             {&kmsg.InitProducerIDRequest{TransactionalID: text("shop"), TransactionTimeoutMillis: 40000}, map[string]string{"transactional_id": "shop", "transaction_timeout_ms": "40000"}},
		"InitProducerId, no id":      {&kmsg.InitProducerIDRequest{TransactionTimeoutMillis: 40000}, nil},
		"Metadata of all topics":     {metadata, map[string]string{"topics": "all"}},
		"Metadata v0 without topics": {oldest, map[string]string{"topics": "all"}},
		"Metadata of the cluster":    {cluster, map[string]string{"topics": "0"}},
		"Metadata of a topic":        {&named, map[string]string{"topics": "1", "allow_auto_topic_creation": "true"}},
		"ListOffsets":                {offsets, map[string]string{"isolation_level": "0", "timestamp": "-2"}},
		"Fetch":                      {fetch, limited},
		"Fetch with a rack":          {&near, racked},
		"Fetch in a session":         {&inSession, whole},
		"JoinGroup":                  {join, map[string]string{"session_timeout_ms": "45000", "rebalance_timeout_ms": "60000", "protocols": "range,roundrobin", "group_id": "till", "group_instance_id": "desk-1", "protocol_type": "consumer"}},
		"ConsumerGroupHeartbeat": {member, map[string]string{
			"rebalance_timeout_ms": "5", "server_assignor": "uniform", "member_epoch": "-1", "group_id": "till", "group_instance_id": "desk-1",
			"rack_id": "a", "subscribed_topics": "1", "subscribed_regex": "o.*",
		}},
		"ConsumerGroupHeartbeat, unchanged": {&kmsg.ConsumerGroupHeartbeatRequest{Group: "till", MemberEpoch: 3, RebalanceTimeoutMillis: -1}, map[string]string{"rebalance_timeout_ms": "-1", "member_epoch": "3", "group_id": "till"}},
		"OffsetFetch":                       {&kmsg.OffsetFetchRequest{Group: "till", RequireStable: true}, map[string]string{"group_id": "till", "require_stable": "true"}},
		"OffsetFetch of groups":             {&kmsg.OffsetFetchRequest{Groups: []kmsg.OffsetFetchRequestGroup{{Group: "till"}}}, map[string]string{"group_id": "till", "require_stable": "false"}},
		"OffsetCommit":                      {&kmsg.OffsetCommitRequest{Group: "till", Generation: 4, MemberID: "member", InstanceID: text("desk-1")}, map[string]string{"group_id": "till", "generation": "4", "group_instance_id": "desk-1"}},
		"TxnOffsetCommit":                   {&kmsg.TxnOffsetCommitRequest{Group: "till", Generation: -1}, map[string]string{"group_id": "till", "generation": "-1"}},
		"FindCoordinator":                   {&kmsg.FindCoordinatorRequest{CoordinatorKey: "shop", CoordinatorType: 1}, map[string]string{"coordinator_type": "1"}},
		"CreateTopics": {&kmsg.CreateTopicsRequest{TimeoutMillis: 9, Topics: []kmsg.CreateTopicsRequestTopic{{Topic: "orders", NumPartitions: 3, ReplicationFactor: 2}}}, map[string]string{
			"timeout_ms": "9", "validate_only": "false", "topics": "1", "partitions": "3", "replication_factor": "2",
		}},
		"CreateTopics of none": {&kmsg.CreateTopicsRequest{ValidateOnly: true}, map[string]string{"timeout_ms": "0", "validate_only": "true", "topics": "0"}},
		"SASLHandshake":        {&kmsg.SASLHandshakeRequest{Mechanism: "PLAIN"}, map[string]string{"mechanism": "PLAIN"}},
		"SASLAuthenticate":     {&kmsg.SASLAuthenticateRequest{SASLAuthBytes: []byte("password")}, nil},
	} {
		if diff := cmp.Diff(tt.want, fieldsOf(tt.message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// withSum is a batch of that size, as far as its header says.
func withSum(size int, sum uint32) []byte {
	raw := make([]byte, size)
	raw[16] = 2
	binary.BigEndian.PutUint32(raw[8:], uint32(size-12))
	binary.BigEndian.PutUint32(raw[17:], sum)
	return raw
}
