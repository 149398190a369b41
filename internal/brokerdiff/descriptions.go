package brokerdiff

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Why no scenario of the core meets these differences.
const (
	topicsAreRight = "The topics of the core are right."
	notLookedAt    = "No story of the core looks at transactions from outside."
)

// descriptions is what a broker says about itself, its topics and its
// transactions, and how topics are made.
func descriptions() []Situation {
	return []Situation{
		{
			ID: "cluster-brokers", Asks: "DescribeCluster v1 of the brokers",
			play: func(s *session) { s.describeCluster(1) },
		},
		{
			ID: "cluster-controllers", Asks: "DescribeCluster v1 of the controllers",
			Means: "An admin client that asks a broker for controllers is not told that it is wrong there.",
			Aside: "No client of the core is an admin client.",
			play:  func(s *session) { s.describeCluster(2) },
		},
		{
			ID: "metadata-no-topic", Asks: "Metadata v12 of a topic that does not exist, without leave to create it",
			play: metadataNoTopic,
		},
		{
			ID: "metadata-no-topic-id", Asks: "Metadata v12 of a topic id that does not exist",
			play: metadataNoTopicID,
		},
		{
			ID: "create-topic-twice", Asks: "CreateTopics of a topic that exists",
			play: createTopicTwice,
		},
		{
			ID: "create-topic-replicas", Asks: "CreateTopics with three replicas on one node",
			play: func(s *session) { s.createTopic(s.name, 1, 3, nil) },
		},
		{
			ID: "create-topic-setting", Asks: "CreateTopics with a setting that does not exist",
			Means: "A misspelt setting goes unnoticed here.",
			Aside: topicsAreRight,
			play:  func(s *session) { s.createTopic(s.name, 1, 1, []string{"no.such.setting", "1"}) },
		},
		{
			ID: "create-topic-value", Asks: "CreateTopics with a value that its setting cannot have",
			Means: "A wrong value goes unnoticed here.",
			Aside: topicsAreRight,
			play:  func(s *session) { s.createTopic(s.name, 1, 1, []string{"retention.ms", "soon"}) },
		},
		{
			ID: "create-topic-name", Asks: "CreateTopics with a blank in the name",
			Means: "A wrong name goes unnoticed here.",
			Aside: topicsAreRight,
			play:  func(s *session) { s.createTopic(s.name+" x", 1, 1, nil) },
		},
		{
			ID: "create-topic-no-partition", Asks: "CreateTopics without partitions",
			play: func(s *session) { s.createTopic(s.name, 0, 1, nil) },
		},
		{
			ID: "delete-no-topic", Asks: "DeleteTopics v5 of a topic that does not exist",
			play: deleteNoTopic,
		},
		{
			ID: "transaction-states", Asks: "DescribeTransactions before, during and after a transaction",
			Means: "How a transaction ended is not told here.",
			Aside: notLookedAt,
			play:  transactionStates,
		},
		{
			ID: "transaction-unknown", Asks: "DescribeTransactions of a transactional.id that nobody used",
			play: func(s *session) {
				s.tell("DescribeTransactions", s.state(producer{txid: s.name}))
			},
		},
		{
			ID: "producers", Asks: "DescribeProducers of a partition to which an idempotent producer wrote",
			Means: "Only producers with an open transaction are told here.",
			Aside: notLookedAt,
			play: func(s *session) {
				t := s.newTopic()
				s.write(produceNew, t, s.idempotent(), 0, "a")
				s.tell("DescribeProducers", s.producers(t))
			},
		},
		{
			ID: "producers-open", Asks: "DescribeProducers during and after a transaction",
			Means: "As producers.",
			Aside: notLookedAt,
			play:  producersOpen,
		},
		{
			ID: "version-unknown", Asks: "a request comes in a version that no broker has",
			play: versionUnknown,
		},
		{
			ID: "api-versions-unknown", Asks: "ApiVersions comes in a version that no broker has (KIP-511)",
			play: apiVersionsUnknown,
		},
		{
			ID: "features", Asks: "the features that the cluster has finalized (KIP-584), and their levels",
			Means: "None: Kafka is started with a static list of voters, which needs no kraft.version.",
			Aside: "No library looks at kraft.version.",
			play:  features,
		},
	}
}

func (s *session) describeCluster(endpoint int8) {
	req := kmsg.NewPtrDescribeClusterRequest()
	req.EndpointType = endpoint
	resp := ask[*kmsg.DescribeClusterResponse](s, 1, req)
	s.tell("DescribeCluster", fmt.Sprintf("%s, nodes: %d", code(resp.ErrorCode), len(resp.Brokers)))
}

func (s *session) metadata(t kmsg.MetadataRequestTopic) {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = append(req.Topics, t)
	s.tell("Metadata", code(only(s, "topics", ask[*kmsg.MetadataResponse](s, 12, req).Topics).ErrorCode))
}

func metadataNoTopic(s *session) {
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = kmsg.StringPtr(s.name + "-none")
	s.metadata(t)
}

func metadataNoTopicID(s *session) {
	t := kmsg.NewMetadataRequestTopic()
	t.TopicID = [16]byte{1}
	s.metadata(t)
}

func createTopicTwice(s *session) {
	s.createTopic(s.newTopic().name, 1, 1, nil)
}

// createTopic takes a setting as a key and its value.
func (s *session) createTopic(name string, partitions int32, replicas int16, setting []string) {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = name, partitions, replicas
	if setting != nil {
		config := kmsg.NewCreateTopicsRequestTopicConfig()
		config.Name, config.Value = setting[0], &setting[1]
		t.Configs = append(t.Configs, config)
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 5000
	req.Topics = append(req.Topics, t)
	s.tell("CreateTopics", code(only(s, "topics", ask[*kmsg.CreateTopicsResponse](s, 7, req).Topics).ErrorCode))
}

func deleteNoTopic(s *session) {
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.TopicNames, req.TimeoutMillis = []string{s.name + "-none"}, 5000
	s.tell("DeleteTopics", code(only(s, "topics", ask[*kmsg.DeleteTopicsResponse](s, 5, req).Topics).ErrorCode))
}

func transactionStates(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.tell("before", s.state(p))
	s.write(produceNew, t, p, 0, "a")
	s.tell("during", s.state(p))
	p = s.ended(endNew, p, commit)
	s.tell("after a commit", s.state(p))
	s.write(produceNew, t, p, 0, "b")
	s.ended(endNew, p, abort)
	s.tell("after an abort", s.state(p))
}

// producers is how many a partition remembers, and from where on a transaction is
// open.
func (s *session) producers(t topic) string {
	one := kmsg.NewDescribeProducersRequestTopic()
	one.Topic, one.Partitions = t.name, []int32{0}
	req := kmsg.NewPtrDescribeProducersRequest()
	req.Topics = append(req.Topics, one)
	resp := ask[*kmsg.DescribeProducersResponse](s, 0, req)
	part := only(s, "partitions", only(s, "topics", resp.Topics).Partitions)
	told := fmt.Sprintf("%s, producers: %d", code(part.ErrorCode), len(part.ActiveProducers))
	for _, p := range part.ActiveProducers {
		told += fmt.Sprintf(", last sequence %d, open from offset %d", p.LastSequence, p.CurrentTxnStartOffset)
	}
	return told
}

func producersOpen(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, p, 0, "a")
	s.tell("while it is open", s.producers(t))
	s.ended(endNew, p, commit)
	s.tell("after the commit", s.producers(t))
}

func versionUnknown(s *session) {
	if s.err != nil {
		return
	}
	req := kmsg.NewPtrHeartbeatRequest()
	req.SetVersion(99)
	switch _, err := s.conn.ask(req); {
	case errors.Is(err, io.EOF):
		s.tell("Heartbeat v99", "connection closed")
	case err != nil:
		s.fail(err)
	default:
		s.tell("Heartbeat v99", "answered")
	}
}

func apiVersionsUnknown(s *session) {
	if s.err != nil {
		return
	}
	req := kmsg.NewPtrApiVersionsRequest()
	req.SetVersion(99)
	if s.fail(s.conn.send(req)); s.err != nil {
		return
	}
	resp, err := s.conn.receive(kmsg.NewPtrApiVersionsRequest()) // in version 0
	if err != nil {
		s.fail(err)
		return
	}
	answer := resp.(*kmsg.ApiVersionsResponse)
	s.tell("ApiVersions v99", fmt.Sprintf("%s, lists its versions: %t", code(answer.ErrorCode), len(answer.ApiKeys) > 0))
}

// apiVersions is the answer to v4, which a broker has to give in v0 where it knows no v4.
func (s *session) apiVersions() *kmsg.ApiVersionsResponse {
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "kcompare", "1"
	return ask[*kmsg.ApiVersionsResponse](s, 4, req)
}

func features(s *session) {
	var all []string
	for _, f := range s.apiVersions().FinalizedFeatures {
		all = append(all, fmt.Sprintf("%s %d", f.Name, f.MaxVersionLevel))
	}
	slices.Sort(all)
	s.tell("finalized", strings.Join(all, ", "))
}
