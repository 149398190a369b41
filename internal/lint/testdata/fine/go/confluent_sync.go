// One record at a time: each waits for its own report.
package shop

import "github.com/confluentinc/confluent-kafka-go/v2/kafka"

func send(topic string, values [][]byte) error {
	p, err := kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": "localhost:9092", "acks": "all", "enable.idempotence": true})
	if err != nil {
		return err
	}
	defer p.Close()
	reports := make(chan kafka.Event, 1)
	for _, v := range values {
		if err := p.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}, Value: v}, reports); err != nil {
			return err
		}
		if m := (<-reports).(*kafka.Message); m.TopicPartition.Error != nil {
			return m.TopicPartition.Error
		}
	}
	return nil
}
