//go:build cgo

package leaktest

import (
	"strings"
	"testing"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

// rdkafka is librdkafka at work.
type rdkafka struct {
	stage                   *stage
	producer, transactional *kafka.Producer
	consumer                *kafka.Consumer
	initialized             bool // the transactional producer has its id
}

func openLibrdkafka(t *testing.T, s *stage) client {
	t.Helper()
	return &rdkafka{
		stage:         s,
		producer:      newProducer(t, s, kafka.ConfigMap{"enable.idempotence": true}),
		transactional: newProducer(t, s, kafka.ConfigMap{"transactional.id": s.transactionalID}),
		consumer:      newConsumer(t, s),
	}
}

// configure adds what each client here is given: the proxy, short waits, and the
// debug log in which the library names every address that it connects to.
func configure(s *stage, conf kafka.ConfigMap) *kafka.ConfigMap {
	lines, done := make(chan kafka.LogEvent, 100), make(chan struct{})
	go func() {
		defer close(done)
		for line := range lines {
			s.dials.addConnect(line.Message)
		}
	}()
	s.atEnd(func() { close(lines); <-done }) // after the client, which is made later
	for key, value := range map[string]kafka.ConfigValue{
		"bootstrap.servers": s.proxy.Bootstrap(), "debug": "broker",
		"go.logs.channel.enable": true, "go.logs.channel": lines,
		"reconnect.backoff.ms": 20, "reconnect.backoff.max.ms": 100, "retry.backoff.ms": 50,
	} {
		conf[key] = value
	}
	return &conf
}

// addConnect takes the address out of a line such as "...: Connecting to
// ipv4#127.0.0.1:9092 (plaintext) with socket 12" (rd_kafka_transport_connect),
// if it is one.
func (d *dials) addConnect(line string) {
	if _, rest, ok := strings.Cut(line, "Connecting to ipv4#"); ok {
		addr, _, _ := strings.Cut(rest, " ")
		d.add(addr)
	}
}

func newProducer(t *testing.T, s *stage, conf kafka.ConfigMap) *kafka.Producer {
	t.Helper()
	p, err := kafka.NewProducer(configure(s, conf))
	if err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for e := range p.Events() {
			t.Logf("producer: %v", e)
		}
	}()
	s.atEnd(func() { p.Close(); <-drained })
	return p
}

func newConsumer(t *testing.T, s *stage) *kafka.Consumer {
	t.Helper()
	c, err := kafka.NewConsumer(configure(s, kafka.ConfigMap{
		"group.id": s.group, "enable.auto.commit": false, "auto.offset.reset": "earliest", "fetch.wait.max.ms": 100,
	}))
	if err != nil {
		t.Fatal(err)
	}
	s.atEnd(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close the consumer: %v", err)
		}
	})
	if err := c.Subscribe(s.topic, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func (r *rdkafka) produce(t *testing.T) {
	t.Helper()
	r.send(t, r.producer)
}

func (r *rdkafka) send(t *testing.T, p *kafka.Producer) {
	t.Helper()
	reports := make(chan kafka.Event, 1)
	place := kafka.TopicPartition{Topic: &r.stage.topic, Partition: 0}
	if err := p.Produce(&kafka.Message{TopicPartition: place, Value: []byte("payment")}, reports); err != nil {
		t.Fatalf("produce: %v", err)
	}
	select {
	case e := <-reports:
		if err := e.(*kafka.Message).TopicPartition.Error; err != nil {
			t.Fatalf("produce: %v", err)
		}
	case <-within(t).Done():
		t.Fatal("no delivery report came")
	}
}

func (r *rdkafka) consume(t *testing.T) {
	t.Helper()
	eventually(t, "a record", func() bool {
		switch e := r.consumer.Poll(100).(type) {
		case *kafka.Message:
			return e.TopicPartition.Error == nil
		case kafka.Error:
			t.Logf("consumer: %v", e)
		}
		return false
	})
}

func (r *rdkafka) pause(t *testing.T) {
	t.Helper()
	if err := r.consumer.Pause([]kafka.TopicPartition{{Topic: &r.stage.topic, Partition: 0}}); err != nil {
		t.Fatalf("pause: %v", err)
	}
}

func (r *rdkafka) resume(t *testing.T) {
	t.Helper()
	if err := r.consumer.Resume([]kafka.TopicPartition{{Topic: &r.stage.topic, Partition: 0}}); err != nil {
		t.Fatalf("resume: %v", err)
	}
}

// commit repeats what librdkafka hands back to the application: the coordinator
// has moved, or still reads its log.
func (r *rdkafka) commit(t *testing.T) {
	t.Helper()
	eventually(t, "a commit of offsets", func() bool {
		_, err := r.consumer.Commit()
		if err != nil {
			t.Logf("commit offsets: %v", err)
		}
		return err == nil
	})
}

func (r *rdkafka) transact(t *testing.T) {
	t.Helper()
	if !r.initialized {
		if err := r.transactional.InitTransactions(within(t)); err != nil {
			t.Fatal(err)
		}
		r.initialized = true
	}
	if err := r.transactional.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	r.send(t, r.transactional)
	if err := r.transactional.CommitTransaction(within(t)); err != nil {
		t.Fatalf("commit the transaction: %v", err)
	}
}

// describe is what AdminClient.DescribeCluster says. It asks by Metadata.
func (r *rdkafka) describe(t *testing.T) []string {
	t.Helper()
	admin, err := kafka.NewAdminClientFromProducer(r.producer)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	told, err := admin.DescribeCluster(within(t))
	if err != nil {
		t.Fatal(err)
	}
	var addrs []string
	for _, n := range told.Nodes {
		addrs = append(addrs, hostPort(n.Host, int32(n.Port)))
	}
	return addrs
}
