package proxy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

func TestCheckPlan(t *testing.T) {
	rule := func(action fault.Action, api string) fault.Rule {
		return fault.Rule{Name: "r", Action: action, Code: 1, Select: nth(api, 1)}
	}
	for _, tt := range []struct {
		rule fault.Rule
		want string // part of the error; empty: none
	}{
		{rule(fault.DropResponse, "Produce"), ""},
		{rule(fault.AnswerInstead, "InitProducerId"), ""},
		{rule(fault.ReplaceResponse, "DescribeGroups"), ""},
		{rule(fault.DropRequest, "SaslAuthenticate"), ""},
		{fault.Rule{Name: "r", Action: fault.RefuseConnection}, ""},
		{rule(fault.DropResponse, "Prodcue"), `api "Prodcue"`},
		{fault.Rule{Name: "r", Action: fault.DropResponse, Select: fault.Selector{API: "EndTxn", Role: "payments", Nth: 1, Probability: 1}}, "would never hit"},
		{fault.Rule{Name: "r", Action: fault.DropResponse, Select: fault.Selector{API: "Fetch", TransactionalID: "shop-1", Nth: 1, Probability: 1}}, "name no transactional id"},
		{rule(fault.AnswerInstead, "DescribeGroups"), "answer-instead DescribeGroups"},
		{rule(fault.FalseAck, "EndTxn"), "false-ack EndTxn"},
		{rule(fault.ReplaceResponse, "SaslAuthenticate"), "never decoded"},
		{rule(fault.Truncate, "SaslAuthenticate"), ""},
		{fault.Rule{Name: "r", Action: fault.HoldRequest, Until: "Metadata", Select: nth("EndTxn", 1)}, ""},
		{fault.Rule{Name: "r", Action: fault.HoldRequest, Until: "metadata", Select: nth("EndTxn", 1)}, `until "metadata"`},
		{fault.Rule{Name: "r", Action: fault.HoldRequest, Until: "Metadata, EndTxn", Select: nth("EndTxn", 1)}, ""},
		{fault.Rule{Name: "r", Action: fault.HoldRequest, Until: "Metadata,", Select: nth("EndTxn", 1)}, `until "Metadata,"`},
		{rule(fault.MoveLeader, "Fetch"), "nothing was given that could"},
		{rule(fault.RestartNode, "Metadata"), "nothing was given that could"},
		{rule(fault.MoveLeader, "EndTxn"), "name no partition"},
		{rule(fault.MoveLeader, "Metadata"), "name no partition"},
		{rule(fault.MoveCoordinator, "Fetch"), "name no group or transactional id"},
	} {
		p, err := Start(Options{
			Upstreams: map[int32]string{0: "127.0.0.1:1"}, Clock: clock(), Engine: fault.NewEngine(fault.Plan{tt.rule}, 1),
		})
		if err == nil {
			p.Close()
		}
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s %s: %v", tt.rule.Action, tt.rule.Select.API, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s %s: error %v, want one with %q", tt.rule.Action, tt.rule.Select.API, err, tt.want)
		}
	}
}

// Each API that can be answered instead: at every version that has a place for
// it, the client finds the code, and what it asked about beside it.
func TestAnswerInsteadEveryVersion(t *testing.T) {
	p := startProxy(t, Options{Upstreams: map[int32]string{0: "127.0.0.1:1"}, Clock: clock()})
	code := kerr.NotCoordinator.Code
	for key := range int16(kmsg.MaxKey + 1) {
		if !answerable(key) {
			continue
		}
		for version := range kmsg.RequestForKey(key).MaxVersion() + 1 {
			req := asking(key)
			req.SetVersion(version)
			resp, err := p.refusal(&request{requestHeader: requestHeader{key: key, version: version}, message: req}, code)
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			if got := resultOf(roundTrip(t, resp, version)); got != "NOT_COORDINATOR" {
				t.Errorf("%s v%d says %s", apiName(key), version, got)
			}
		}
	}
}

// asking is a request that names one topic, partition, group and key where its
// API has such a thing.
func asking(key int16) kmsg.Request {
	switch kmsg.Key(key) {
	case kmsg.Produce:
		return produceTo(0, -1, topic, map[int32][]byte{0: batchOf(payment(1))})
	case kmsg.Fetch:
		return &kmsg.FetchRequest{Topics: []kmsg.FetchRequestTopic{{Topic: topic, Partitions: []kmsg.FetchRequestTopicPartition{{Partition: 3}}}}}
	case kmsg.ListOffsets:
		return &kmsg.ListOffsetsRequest{Topics: []kmsg.ListOffsetsRequestTopic{{Topic: topic, Partitions: []kmsg.ListOffsetsRequestTopicPartition{{Partition: 3}}}}}
	case kmsg.Metadata:
		return &kmsg.MetadataRequest{Topics: []kmsg.MetadataRequestTopic{{Topic: kmsg.StringPtr(topic)}}}
	case kmsg.OffsetCommit:
		return &kmsg.OffsetCommitRequest{Topics: []kmsg.OffsetCommitRequestTopic{{Topic: topic, Partitions: []kmsg.OffsetCommitRequestTopicPartition{{Partition: 3}}}}}
	case kmsg.TxnOffsetCommit:
		return &kmsg.TxnOffsetCommitRequest{Topics: []kmsg.TxnOffsetCommitRequestTopic{{Topic: topic, Partitions: []kmsg.TxnOffsetCommitRequestTopicPartition{{Partition: 3}}}}}
	case kmsg.OffsetFetch:
		return &kmsg.OffsetFetchRequest{
			Topics: []kmsg.OffsetFetchRequestTopic{{Topic: topic, Partitions: []int32{3}}},
			Groups: []kmsg.OffsetFetchRequestGroup{{Group: "g"}},
		}
	case kmsg.FindCoordinator:
		return &kmsg.FindCoordinatorRequest{CoordinatorKey: "g", CoordinatorKeys: []string{"g"}}
	case kmsg.AddPartitionsToTxn:
		return &kmsg.AddPartitionsToTxnRequest{
			Topics: []kmsg.AddPartitionsToTxnRequestTopic{{Topic: topic, Partitions: []int32{3}}},
			Transactions: []kmsg.AddPartitionsToTxnRequestTransaction{{
				TransactionalID: "t", Topics: []kmsg.AddPartitionsToTxnRequestTransactionTopic{{Topic: topic, Partitions: []int32{3}}},
			}},
		}
	}
	return kmsg.RequestForKey(key)
}

// An answer in place of the broker's has the shape that the client expects.
func TestRefusalMirrorsTheRequest(t *testing.T) {
	p := startProxy(t, Options{Upstreams: map[int32]string{0: "127.0.0.1:1", 2: "127.0.0.1:2"}, Clock: clock()})
	refuse := func(req kmsg.Request, code int16) kmsg.Response {
		resp, err := p.refusal(&request{requestHeader: requestHeader{key: req.Key(), version: req.GetVersion()}, message: req}, code)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	produce := refuse(produceTo(9, -1, topic, map[int32][]byte{0: nil, 4: nil}), 19).(*kmsg.ProduceResponse)
	want := []kmsg.ProduceResponseTopic{{Topic: topic, Partitions: []kmsg.ProduceResponseTopicPartition{
		{Partition: 0, ErrorCode: 19, BaseOffset: -1, LogAppendTime: -1, LogStartOffset: -1},
		{Partition: 4, ErrorCode: 19, BaseOffset: -1, LogAppendTime: -1, LogStartOffset: -1},
	}}}
	defaults := cmpopts.IgnoreFields(kmsg.ProduceResponseTopicPartition{}, "CurrentLeader")
	if diff := cmp.Diff(want, produce.Topics, cmpopts.IgnoreUnexported(kmsg.Tags{}), defaults); diff != "" {
		t.Errorf("Produce (-want +got):\n%s", diff)
	}
	metadata := asking(int16(kmsg.Metadata))
	metadata.SetVersion(9)
	answer := refuse(metadata, 5).(*kmsg.MetadataResponse)
	if *answer.Topics[0].Topic != topic || answer.Topics[0].ErrorCode != 5 || answer.ErrorCode != 0 || len(answer.Brokers) != 2 {
		t.Errorf("Metadata: %+v, want the topic with code 5 and both nodes", answer)
	}
	init := refuse(&kmsg.InitProducerIDRequest{Version: 3, ProducerID: 77, ProducerEpoch: 2}, 31).(*kmsg.InitProducerIDResponse)
	if init.ErrorCode != 31 || init.ProducerID != -1 || init.ProducerEpoch != -1 {
		t.Errorf("InitProducerId: %+v, want code 31 and no producer id", init)
	}
	session := refuse(asking(int16(kmsg.Fetch)), 6).(*kmsg.FetchResponse)
	if session.ErrorCode != 0 || session.Topics[0].Partitions[0].ErrorCode != 6 || session.Topics[0].Partitions[0].Partition != 3 {
		t.Errorf("Fetch: %+v, want code 6 with the partition alone", session)
	}
}

// A request without a place for a code is forwarded, and that is said.
func TestNoPlaceForACode(t *testing.T) {
	c := payments(t, fault.Rule{Action: fault.AnswerInstead, Code: 5, Select: nth("Metadata", 1)})
	resp := dialNode(t, c.proxy, 0).ask(kmsg.NewPtrMetadataRequest()).(*kmsg.MetadataResponse)
	seen := c.proxy.Observed()
	if len(resp.Brokers) != 3 || len(seen.Fired) > 0 || len(seen.Problems) != 1 || !strings.Contains(seen.Problems[0], "no place") {
		t.Errorf("%d brokers, fired %v, problems %q", len(resp.Brokers), seen.Fired, seen.Problems)
	}
}
