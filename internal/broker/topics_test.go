package broker

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestNewReaderNeedsAddresses(t *testing.T) {
	if _, err := NewReader(nil, Access{}); err == nil || !strings.HasPrefix(err.Error(), "new reader: ") {
		t.Errorf("error %v", err)
	}
}

func TestCreateAndDeleteTopics(t *testing.T) {
	r := reader(t, start(t, 3))
	ctx := withTimeout(t, patience)
	ids, err := r.CreateTopics(ctx, []Topic{{Name: "orders", Partitions: 5}, {Name: "payments", Partitions: 1}})
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(ids))
	if diff := cmp.Diff([]string{"orders", "payments"}, names); diff != "" || ids["orders"] == ids["payments"] {
		t.Errorf("ids %x, diff of names %s", ids, diff)
	}
	if _, err := r.CreateTopics(ctx, []Topic{{Name: "orders", Partitions: 5}}); !errors.Is(err, kerr.TopicAlreadyExists) || !strings.HasPrefix(err.Error(), "create topics: orders: ") {
		t.Errorf("second creation: error %v, expected TOPIC_ALREADY_EXISTS", err)
	}
	if err := r.DeleteTopics(ctx, []string{"orders", "payments", "never-there"}); err != nil {
		t.Error(err)
	}
	if _, err := r.EndOffsets(ctx, []string{"orders"}); !errors.Is(err, kerr.UnknownTopicOrPartition) {
		t.Errorf("after deletion: error %v, expected UNKNOWN_TOPIC_OR_PARTITION", err)
	}
}

// On a real cluster the nodes learn of a topic one after the other. Here node 2
// does not know it when it is first asked.
func TestCreateTopicsWaitsForEveryNode(t *testing.T) {
	e := start(t, 3)
	r := reader(t, e)
	var asked atomic.Int64
	e.cluster.ControlKey(int16(kmsg.Metadata), func(req kmsg.Request) (kmsg.Response, error, bool) {
		e.cluster.KeepControl()
		m := req.(*kmsg.MetadataRequest)
		if e.cluster.CurrentNode() != 2 || len(m.Topics) == 0 {
			return nil, nil, false
		}
		if asked.Add(1) > 1 {
			return nil, nil, false
		}
		resp := m.ResponseKind().(*kmsg.MetadataResponse)
		for _, topic := range m.Topics {
			answer := kmsg.NewMetadataResponseTopic()
			answer.Topic, answer.ErrorCode = topic.Topic, kerr.UnknownTopicOrPartition.Code
			resp.Topics = append(resp.Topics, answer)
		}
		return resp, nil, true
	})
	if _, err := r.CreateTopics(withTimeout(t, patience), []Topic{{Name: "orders", Partitions: 3}}); err != nil {
		t.Fatal(err)
	}
	if n := asked.Load(); n < 2 {
		t.Errorf("node 2 was asked %d times, expected until it knew the topic", n)
	}
}

func TestDeleteGroups(t *testing.T) {
	e, r := cluster(t, 1)
	ctx := withTimeout(t, patience)
	produce(t, producer(t, e), 0, 0, 1, 1)
	member := producer(t, e, kgo.ConsumerGroup("cooks"), kgo.ConsumeTopics("orders"))
	if fetches := member.PollFetches(ctx); fetches.Err() != nil {
		t.Fatal(fetches.Err())
	}
	err := r.DeleteGroups(ctx, []string{"cooks", "never-there"})
	if !errors.Is(err, kerr.NonEmptyGroup) || !strings.HasPrefix(err.Error(), "delete group cooks: ") {
		t.Errorf("with a member: error %v, expected NON_EMPTY_GROUP", err)
	}
	member.Close()
	if err := r.DeleteGroups(ctx, []string{"cooks", "never-there"}); err != nil {
		t.Errorf("after the member left: %v", err)
	}
}

func TestEndOffsets(t *testing.T) {
	e, r := cluster(t, 3)
	cl := producer(t, e)
	produce(t, cl, 0, 0, 1, 2)
	produce(t, cl, 2, 0, 3, 5)
	want := map[TopicPartition]int64{{Topic: "orders", Partition: 0}: 2, {Topic: "orders", Partition: 1}: 0, {Topic: "orders", Partition: 2}: 3}
	for node := range int32(3) { // the second and third time the leaders have moved
		for p := range int32(3) {
			if err := e.PlaceLeader("orders", p, node); err != nil {
				t.Fatal(err)
			}
		}
		got, err := r.EndOffsets(withTimeout(t, patience), []string{"orders"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("leaders on node %d: -want +got:\n%s", node, diff)
		}
	}
}
