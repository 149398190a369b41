// Reads, processes and writes in transactions, with the offsets of the next messages.
package shop

import (
	"context"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

type processor struct {
	in  *kafka.Consumer
	out *kafka.Producer
}

func newProcessor(ctx context.Context, shard string) (*processor, error) {
	in, err := kafka.NewConsumer(&kafka.ConfigMap{"bootstrap.servers": "localhost:9092", "group.id": "etl", "enable.auto.commit": false})
	if err != nil {
		return nil, err
	}
	out, err := kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": "localhost:9092", "transactional.id": "etl-" + shard})
	if err != nil {
		return nil, err
	}
	return &processor{in, out}, out.InitTransactions(ctx)
}

func (p *processor) step(ctx context.Context, m *kafka.Message, topic string) error {
	if err := p.out.BeginTransaction(); err != nil {
		return err
	}
	if err := p.out.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}, Value: m.Value}, nil); err != nil {
		return p.out.AbortTransaction(ctx)
	}
	group, err := p.in.GetConsumerGroupMetadata()
	if err != nil {
		return err
	}
	next := m.TopicPartition
	next.Offset++
	if err := p.out.SendOffsetsToTransaction(ctx, []kafka.TopicPartition{next}, group); err != nil {
		_ = p.out.AbortTransaction(ctx)
		_, err := p.in.SeekPartitions([]kafka.TopicPartition{m.TopicPartition})
		return err
	}
	return p.out.CommitTransaction(ctx)
}
