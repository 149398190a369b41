package main

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

type settings struct {
	brokers  []string
	user     string
	password string
	secure   bool
	group    string
}

func fromEnv() settings {
	return settings{
		brokers:  strings.Split(os.Getenv("KAFKA_BROKERS"), ","),
		user:     os.Getenv("KAFKA_USER"),
		password: os.Getenv("KAFKA_PASSWORD"),
		secure:   os.Getenv("KAFKA_TLS") == "true",
		group:    os.Getenv("KAFKA_GROUP"),
	}
}

func base(s settings) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.SeedBrokers(s.brokers...),
		kgo.ClientID("orders"),
		kgo.DialTimeout(5 * time.Second),
	}
	if s.secure {
		opts = append(opts, kgo.DialTLSConfig(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	if s.user != "" {
		opts = append(opts, kgo.SASL(scram.Auth{User: s.user, Pass: s.password}.AsSha512Mechanism()))
	}
	return opts
}

func newProducer(s settings, extra ...kgo.Opt) (*kgo.Client, error) {
	opts := append(base(s), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.ProducerLinger(5*time.Millisecond), kgo.ProducerBatchCompression(kgo.ZstdCompression(), kgo.NoCompression()))
	opts = append(opts, extra...)
	return kgo.NewClient(opts...)
}

func newConsumer(s settings, topics ...string) (*kgo.Client, error) {
	return kgo.NewClient(append(base(s),
		kgo.ConsumerGroup(s.group),
		kgo.ConsumeTopics(topics...),
		kgo.DisableAutoCommit(),
		kgo.BlockRebalanceOnPoll(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	)...)
}

func main() {
	ctx := context.Background()
	s := fromEnv()
	p, err := newProducer(s, kgo.RecordDeliveryTimeout(30*time.Second))
	if err != nil {
		panic(err)
	}
	defer p.Close()
	c, err := newConsumer(s, "orders")
	if err != nil {
		panic(err)
	}
	defer c.CloseAllowingRebalance()
	for {
		fetches := c.PollRecords(ctx, 100)
		if fetches.IsClientClosed() {
			return
		}
		if err := fetches.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			panic(err)
		}
		var out []*kgo.Record
		fetches.EachRecord(func(r *kgo.Record) { out = append(out, &kgo.Record{Topic: "copies", Key: r.Key, Value: r.Value}) })
		if err := p.ProduceSync(ctx, out...).FirstErr(); err != nil {
			panic(err)
		}
		if err := c.CommitUncommittedOffsets(ctx); err != nil {
			panic(err)
		}
		c.AllowRebalance()
	}
}
