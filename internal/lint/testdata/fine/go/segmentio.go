package main

import (
	"context"
	"log"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/compress"
)

func main() {
	ctx := context.Background()
	w := &kafka.Writer{
		Addr:         kafka.TCP("localhost:9092"),
		Topic:        "orders",
		Balancer:     &kafka.Hash{},
		RequiredAcks: kafka.RequireAll,
		Compression:  compress.Zstd,
		BatchTimeout: 10 * time.Millisecond,
	}
	defer func() { _ = w.Close() }()
	if err := w.WriteMessages(ctx, kafka.Message{Key: []byte("k"), Value: []byte("v")}); err != nil {
		log.Fatal(err)
	}
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{"localhost:9092"}, GroupID: "orders", Topic: "orders", MaxBytes: 10e6})
	defer func() { _ = r.Close() }()
	for {
		m, err := r.FetchMessage(ctx)
		if err != nil {
			return
		}
		if err := r.CommitMessages(ctx, m); err != nil {
			log.Fatal(err)
		}
	}
}
