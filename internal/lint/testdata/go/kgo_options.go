package main

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func clients() []kgo.Opt {
	kgo.NewClient(
		kgo.SeedBrokers("localhost:9092"),
		kgo.RequiredAcks(kgo.LeaderAck()),
		kgo.MaxProduceRequestsInflightPerBroker(5),
		kgo.ProducerLinger(90*time.Second),
	)
	kgo.NewClient(
		kgo.ConsumeTopics("in"),
		kgo.DisableAutoCommit(),
	)
	return []kgo.Opt{kgo.BatchCompression(kgo.Lz4Compression()), kgo.RecordDeliveryTimout(time.Minute)}
}
