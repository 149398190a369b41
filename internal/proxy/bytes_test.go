package proxy

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// mayBeRewritten are the APIs that an answer with another address may come from.
var mayBeRewritten = []string{"DescribeCluster", "Fetch", "FindCoordinator", "Metadata", "Produce", "ShareAcknowledge", "ShareFetch"}

// unchanged ends the traffic and holds both sides against each other. met are APIs
// that the traffic is to have had, or the test would say less than it seems to.
func (c *cluster) unchanged(t *testing.T, all *tapes, met ...string) {
	t.Helper()
	if err := c.proxy.Drained(within(t)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	got := all.compare(t)
	for _, d := range got.differences {
		t.Error(d)
	}
	for _, api := range met {
		if got.requests[api] == 0 {
			t.Errorf("the traffic had no %s", api)
		}
	}
	for api := range got.rewritten {
		if !slices.Contains(mayBeRewritten, api) {
			t.Errorf("answers to %s were rewritten", api)
		}
	}
	if got.rewritten["Metadata"] == 0 {
		t.Error("no answer was rewritten, so what is allowed to change was not met")
	}
	if problems := c.proxy.Observed().Problems; len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
	t.Logf("requests %v, answers rewritten %v", got.requests, got.rewritten)
}

// franz-go: transactions, a classic group, a share group, an admin client.
func TestUnchangedFranz(t *testing.T) {
	c, all := tapedCluster(t)
	transact(t, c)
	consumeInGroups(t, c)
	administrate(t, c)
	c.unchanged(t, all,
		"ApiVersions", "Metadata", "InitProducerId", "Produce", "TxnOffsetCommit", "EndTxn",
		"FindCoordinator", "JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup", "OffsetFetch", "OffsetCommit", "ListOffsets", "Fetch",
		"ShareGroupHeartbeat", "ShareFetch", "ShareAcknowledge",
		"CreateTopics", "DeleteTopics", "CreatePartitions", "DescribeConfigs", "IncrementalAlterConfigs", "DescribeCluster", "ListGroups", "DescribeGroups", "DeleteRecords")
}

func transact(t *testing.T, c *cluster) {
	t.Helper()
	session, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers(strings.Split(c.proxy.Bootstrap(), ",")...), kgo.TransactionalID("kcompare-txn"), kgo.ConsumerGroup("kcompare-eos"),
		kgo.ConsumeTopics(topic), kgo.ProducerBatchCompression(kgo.Lz4Compression()), kgo.MetadataMinAge(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	client, _ := c.newClient(t, kgo.ProducerBatchCompression(kgo.GzipCompression()))
	for n := range 20 {
		p := payment(n)
		if err := client.ProduceSync(within(t), &kgo.Record{Topic: topic, Key: p.Key, Value: p.Value}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
		if err := session.Begin(); err != nil {
			t.Fatal(err)
		}
		if fetches := session.PollFetches(within(t)); fetches.Err() != nil {
			t.Fatal(fetches.Err())
		}
		for n := range 3 {
			if err := session.ProduceSync(within(t), &kgo.Record{Topic: topic, Value: fmt.Append(nil, n)}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := session.End(within(t), end); err != nil {
			t.Fatal(err)
		}
	}
	client.Close()
}

func consumeInGroups(t *testing.T, c *cluster) {
	t.Helper()
	group, _ := c.newClient(t, kgo.ConsumeTopics(topic), kgo.ConsumerGroup("kcompare-group"), kgo.HeartbeatInterval(20*time.Millisecond))
	share, _ := c.newClient(t, kgo.ConsumeTopics(topic), kgo.ShareGroup("kcompare-share"))
	if fetches := group.PollFetches(within(t)); fetches.Err() != nil {
		t.Fatal(fetches.Err())
	}
	if err := group.CommitUncommittedOffsets(within(t)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a heartbeat", func() bool { return c.proxy.Requests()["Heartbeat"] > 0 })
	producer, _ := c.newClient(t, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	c.leaderOf(t, topic, 0, 0)
	produceTo0(t, producer)
	c.leaderOf(t, topic, 0, 1) // the answer to the next Produce names the new leader
	produceTo0(t, producer)
	eventually(t, "a record of the share group, and its acknowledgement", func() bool {
		if err := producer.ProduceSync(within(t), &kgo.Record{Topic: topic, Value: []byte("shared")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		return share.PollFetches(ctx).NumRecords() > 0
	})
	group.Close()
	share.Close()
	producer.Close()
}

func produceTo0(t *testing.T, client *kgo.Client) {
	t.Helper()
	if err := client.ProduceSync(within(t), &kgo.Record{Topic: topic, Partition: 0, Value: []byte("moved")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func administrate(t *testing.T, c *cluster) {
	t.Helper()
	client, _ := c.newClient(t)
	defer client.Close()
	admin := kadm.NewClient(client)
	ctx := within(t)
	try := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := admin.CreateTopics(ctx, 1, 1, nil, "kcompare-admin")
	try("create", err)
	_, err = admin.CreatePartitions(ctx, 2, "kcompare-admin")
	try("add partitions", err)
	_, err = admin.DescribeTopicConfigs(ctx, "kcompare-admin")
	try("describe configs", err)
	_, err = admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Name: "retention.ms", Value: kmsg.StringPtr("1000000")}}, "kcompare-admin")
	try("alter configs", err)
	_, err = kmsg.NewPtrDescribeClusterRequest().RequestWith(ctx, client)
	try("describe cluster", err)
	_, err = admin.ListGroups(ctx)
	try("list groups", err)
	_, err = admin.DescribeGroups(ctx, "kcompare-group")
	try("describe groups", err)
	_, err = admin.DeleteRecords(ctx, kadm.Offsets{topic: {0: {Topic: topic, Partition: 0, At: 1}}})
	try("delete records", err)
	_, err = admin.DeleteTopics(ctx, "kcompare-admin")
	try("delete", err)
}

// Every API that the broker has, in every version, with nothing in it; and frames
// that a decoder would take, and an encoder would write otherwise.
func TestUnchangedEveryVersion(t *testing.T) {
	c, all := tapedCluster(t)
	client := dialNode(t, c.proxy, 0)
	versions := client.ask(kmsg.NewPtrApiVersionsRequest()).(*kmsg.ApiVersionsResponse)
	client.conn.Close()
	var met []string
	for _, api := range versions.ApiKeys {
		met = append(met, apiName(api.ApiKey))
		for version := api.MinVersion; version <= api.MaxVersion; version++ {
			if api.ApiKey == int16(kmsg.SASLHandshake) && version == 0 {
				continue // refused
			}
			req := newRequest(api.ApiKey, version)
			if m, ok := req.(*kmsg.ProduceRequest); ok {
				m.Acks = -1
			}
			sendAlone(t, c, kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw")).AppendRequest(nil, req, int32(version)))
		}
	}
	for _, odd := range oddFrames() {
		sendAlone(t, c, odd)
	}
	c.unchanged(t, all, met...)
}

// sendAlone sends a frame on a connection of its own and waits for the answer, or
// for the broker to hang up on it.
func sendAlone(t *testing.T, c *cluster, frame []byte) {
	t.Helper()
	client := dialNode(t, c.proxy, 0)
	if _, err := client.conn.Write(frame); err != nil {
		t.Fatal(err)
	}
	if _, err := client.from.next(); err != nil && err != io.EOF {
		h, _ := parseRequestHeader(frame)
		t.Logf("%s v%d: %v", apiName(h.key), h.version, err)
	}
	client.conn.Close()
}

// oddFrames are requests that are right, and that no encoder writes: a count in two
// bytes where one is enough, a tag that nobody knows, bytes behind the end.
func oddFrames() [][]byte {
	metadata := newRequest(int16(kmsg.Metadata), 9).(*kmsg.MetadataRequest)
	metadata.Topics = []kmsg.MetadataRequestTopic{}
	plain := kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw")).AppendRequest(nil, metadata, 1)
	h, err := parseRequestHeader(plain)
	if err != nil {
		panic(err)
	}
	long := slices.Concat(plain[:h.body], []byte{0x81, 0x00}, plain[h.body+1:]) // no topics: 1, as a varint
	metadata.UnknownTags.Set(77, []byte("tag"))
	tagged := kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw")).AppendRequest(nil, metadata, 2)
	behind := append(slices.Clone(plain), "and more"...)
	for _, frame := range [][]byte{long, behind} {
		binary.BigEndian.PutUint32(frame, uint32(len(frame)-sizeBytes))
	}
	return [][]byte{long, tagged, behind}
}

// The comparison itself: each change of a byte, and each frame too many or too few,
// is found.
func TestComparisonFindsChanges(t *testing.T) {
	request := kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw")).AppendRequest(nil, newRequest(int16(kmsg.Metadata), 9), 1)
	answer := func(change func(*kmsg.MetadataResponse)) []byte {
		m := kmsg.NewPtrMetadataResponse()
		m.Version, m.ClusterID, m.Brokers = 9, kmsg.StringPtr("cluster"), []kmsg.MetadataResponseBroker{{NodeID: 1, Host: "broker", Port: 9092}}
		change(m)
		return frame(append([]byte{0, 0, 0, 1, 0}, m.AppendTo(nil)...))
	}
	asSent := answer(func(*kmsg.MetadataResponse) {})
	for _, tt := range []struct {
		name         string
		got, replied [][]byte
		want         []string
	}{
		{"the same", [][]byte{request}, [][]byte{asSent}, nil},
		{"another address", [][]byte{request}, [][]byte{answer(func(m *kmsg.MetadataResponse) { m.Brokers[0].Host, m.Brokers[0].Port = "127.0.0.1", 4711 })}, nil},
		{"another node id", [][]byte{request}, [][]byte{answer(func(m *kmsg.MetadataResponse) { m.Brokers[0].NodeID = 2 })}, []string{"answer Metadata v9 changed on its way: more than [Host Port]"}},
		{"no request", nil, [][]byte{asSent}, []string{"a client sent 1 requests, its broker got 0"}},
		{"an answer too many", [][]byte{request}, [][]byte{asSent, asSent}, []string{"a broker sent 1 answers, its client got 2"}},
		{"a byte of a request", [][]byte{append(slices.Clone(request[:len(request)-1]), 9)}, [][]byte{asSent}, []string{"request Metadata v9 changed on its way, or cannot be read (<nil>)"}},
	} {
		c := compared{requests: map[string]int{}, rewritten: map[string]int{}}
		if asked := c.sent([][]byte{request}, tt.got); asked != nil {
			c.answered(asked, [][]byte{asSent}, tt.replied)
		}
		if diff := cmp.Diff(tt.want, c.differences); diff != "" {
			t.Errorf("%s: differences (-want +got):\n%s", tt.name, diff)
		}
	}
}
