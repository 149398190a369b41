//go:build cgo

package proxy

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

// librdkafka: transactions with offsets, each codec, both group protocols, an admin
// client.
func TestUnchangedLibrdkafka(t *testing.T) {
	c, all := tapedCluster(t)
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		produceLibrdkafka(t, c, kafka.ConfigMap{"enable.idempotence": true, "compression.type": codec})
	}
	produceLibrdkafka(t, c, kafka.ConfigMap{"acks": 0, "enable.idempotence": false})
	transactLibrdkafka(t, c, consumeLibrdkafka(t, c, "classic"))
	consumeLibrdkafka(t, c, "consumer").Close()
	administrateLibrdkafka(t, c)
	c.unchanged(t, all,
		"ApiVersions", "Metadata", "InitProducerId", "Produce", "AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "EndTxn",
		"FindCoordinator", "JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup", "ConsumerGroupHeartbeat", "OffsetFetch", "OffsetCommit", "ListOffsets", "Fetch",
		"CreateTopics", "DeleteTopics", "CreatePartitions", "DescribeConfigs", "IncrementalAlterConfigs", "ListGroups", "DescribeGroups", "DeleteRecords")
}

// config adds what every client of these tests has.
func (c *cluster) config(more kafka.ConfigMap) *kafka.ConfigMap {
	config := kafka.ConfigMap{"bootstrap.servers": c.proxy.Bootstrap(), "client.id": "librdkafka", "allow.auto.create.topics": false, "log_level": 3}
	for key, value := range more {
		config[key] = value
	}
	return &config
}

func produceLibrdkafka(t *testing.T, c *cluster, config kafka.ConfigMap) {
	t.Helper()
	producer, err := kafka.NewProducer(c.config(config))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	for n := range 30 {
		writeLibrdkafka(t, producer, n)
	}
	if left := producer.Flush(int(deadline.Milliseconds())); left > 0 {
		t.Fatalf("%d records were not delivered", left)
	}
}

// writeLibrdkafka hands a record over; nobody asks what became of it but Flush.
func writeLibrdkafka(t *testing.T, producer *kafka.Producer, n int) {
	t.Helper()
	name, p := topic, payment(n)
	message := &kafka.Message{
		TopicPartition: kafka.TopicPartition{Topic: &name, Partition: int32(n % 3)}, Key: p.Key, Value: p.Value,
		Headers: []kafka.Header{{Key: p.Headers[0].Key, Value: p.Headers[0].Value}, {Key: p.Headers[1].Key, Value: p.Headers[1].Value}},
	}
	if err := producer.Produce(message, make(chan kafka.Event, 1)); err != nil {
		t.Fatal(err)
	}
}

// consumeLibrdkafka reads and commits in a group, until it has sent a heartbeat.
func consumeLibrdkafka(t *testing.T, c *cluster, protocol string) *kafka.Consumer {
	t.Helper()
	config := kafka.ConfigMap{"group.id": "kcompare-" + protocol, "auto.offset.reset": "earliest", "enable.auto.commit": false, "group.protocol": protocol}
	beat := "ConsumerGroupHeartbeat"
	if protocol == "classic" {
		config["heartbeat.interval.ms"], beat = 50, "Heartbeat"
	}
	consumer, err := kafka.NewConsumer(c.config(config))
	if err != nil {
		t.Fatal(err)
	}
	if err := consumer.Subscribe(topic, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := consumer.ReadMessage(deadline); err != nil {
		t.Fatalf("read in a group of protocol %s: %v", protocol, err)
	}
	if _, err := consumer.Commit(); err != nil {
		t.Errorf("commit: %v", err)
	}
	eventually(t, "a "+beat, func() bool {
		consumer.Poll(1)
		return c.proxy.Requests()[beat] > 0
	})
	return consumer
}

// transactLibrdkafka commits one transaction with the offsets of the consumer and
// aborts another.
func transactLibrdkafka(t *testing.T, c *cluster, consumer *kafka.Consumer) {
	t.Helper()
	producer, err := kafka.NewProducer(c.config(kafka.ConfigMap{"transactional.id": "kcompare-librdkafka"}))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	defer consumer.Close()
	try := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	try("init transactions", producer.InitTransactions(within(t)))
	for _, end := range []func(context.Context) error{producer.CommitTransaction, producer.AbortTransaction} {
		try("begin", producer.BeginTransaction())
		for n := range 3 {
			writeLibrdkafka(t, producer, n)
		}
		group, err := consumer.GetConsumerGroupMetadata()
		try("group metadata", err)
		assigned, err := consumer.Assignment()
		try("assignment", err)
		positions, err := consumer.Position(assigned)
		try("position", err)
		try("send offsets", producer.SendOffsetsToTransaction(within(t), positions, group))
		try("end", end(within(t)))
	}
}

func administrateLibrdkafka(t *testing.T, c *cluster) {
	t.Helper()
	admin, err := kafka.NewAdminClient(c.config(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	ctx, name := within(t), "kcompare-admin"
	config := kafka.ConfigResource{Type: kafka.ResourceTopic, Name: name}
	for what, err := range map[string]error{
		"create":           second(admin.CreateTopics(ctx, []kafka.TopicSpecification{{Topic: name, NumPartitions: 1, ReplicationFactor: 1}})),
		"add partitions":   second(admin.CreatePartitions(ctx, []kafka.PartitionsSpecification{{Topic: name, IncreaseTo: 3}})),
		"describe configs": second(admin.DescribeConfigs(ctx, []kafka.ConfigResource{config})),
		"describe cluster": second(admin.DescribeCluster(ctx)), // librdkafka 2.11.1 asks by Metadata
		"list groups":      second(admin.ListConsumerGroups(ctx)),
		"describe groups":  second(admin.DescribeConsumerGroups(ctx, []string{"kcompare-classic"})),
		"list offsets":     second(admin.ListOffsets(ctx, map[kafka.TopicPartition]kafka.OffsetSpec{{Topic: &name}: kafka.LatestOffsetSpec})),
		"delete":           second(admin.DeleteTopics(ctx, []string{name}, kafka.SetAdminOperationTimeout(time.Second))),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	payments := topic
	if _, err := admin.DeleteRecords(ctx, []kafka.TopicPartition{{Topic: &payments, Partition: 0, Offset: 1}}); err != nil {
		t.Errorf("delete records: %v", err)
	}
	config.Name = topic
	config.Config = []kafka.ConfigEntry{{Name: "retention.ms", Value: "1000000", IncrementalOperation: kafka.AlterConfigOpTypeSet}}
	if _, err := admin.IncrementalAlterConfigs(ctx, []kafka.ConfigResource{config}); err != nil {
		t.Errorf("alter configs: %v", err)
	}
}

func second[T any](_ T, err error) error {
	if err != nil {
		return fmt.Errorf("admin client: %w", err)
	}
	return nil
}
