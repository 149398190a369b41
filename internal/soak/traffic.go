package soak

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/proxy"
)

// Traffic is clients of one library that come and go, and a proxy that stays, as `kcompare
// proxy` does. The broker behind it keeps its ports and forgets everything after each work:
// kfake remembers each producer id and fetch session that there ever was, which is no leak of
// ours and would hide one.
type Traffic struct {
	driver  drivers.Driver
	records int
	cluster *broker.Embedded
	proxy   *proxy.Proxy
	topics  int
}

// NewTraffic starts broker and proxy; Close ends them. A work is so many records.
func NewTraffic(d drivers.Driver, records int, clock func() time.Duration) (*Traffic, error) {
	cluster, err := broker.StartEmbedded(nodes)
	if err != nil {
		return nil, err
	}
	t := &Traffic{driver: d, records: records, cluster: cluster}
	t.proxy, err = proxy.Start(proxy.Options{Upstreams: cluster.Addrs(), Clock: clock, Keep: 1, LongLived: true})
	if err != nil {
		_ = cluster.Close()
		return nil, err
	}
	return t, nil
}

// Close ends what NewTraffic has started.
func (t *Traffic) Close() {
	_ = t.proxy.Close()
	_ = t.cluster.Close()
}

// Work writes a topic with one client and reads it with another one, all through the proxy.
func (t *Traffic) Work() Work {
	return Work{Name: "traffic of " + t.driver.Client(), Times: traffics, Do: func(ctx context.Context) (int64, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		t.topics++
		topic := fmt.Sprintf("kcompare-soak-%d", t.topics)
		if err := t.play(ctx, topic); err != nil {
			return 0, err
		}
		return 2 * int64(t.records), t.renew()
	}}
}

// play removes the topic at the end, because timers of kfake hold a cluster that was closed
// for a while, and its log with it.
func (t *Traffic) play(ctx context.Context, topic string) error {
	reader, err := broker.NewReader(t.cluster.Addrs(), t.cluster.Access())
	if err != nil {
		return err
	}
	defer reader.Close()
	if _, err := reader.CreateTopics(ctx, []broker.Topic{{Name: topic, Partitions: partitions}}); err != nil {
		return err
	}
	if err := t.produce(ctx, topic); err != nil {
		return err
	}
	if err := t.consume(ctx, topic); err != nil {
		return err
	}
	return reader.DeleteTopics(ctx, []string{topic})
}

// renew has another broker in the place of this one.
func (t *Traffic) renew() error {
	var ports []int
	addrs := t.cluster.Addrs()
	for node := range int32(nodes) {
		addr, err := netip.ParseAddrPort(addrs[node])
		if err != nil {
			return err
		}
		ports = append(ports, int(addr.Port()))
	}
	_ = t.cluster.Close() // it returns nil
	cluster, err := broker.StartEmbedded(nodes, broker.OnPorts(ports...))
	if err == nil {
		t.cluster = cluster
	}
	return err
}

const (
	nodes      = 3
	partitions = 3
	valueBytes = 100
	traffics   = 4               // as long as a trial takes, which mostly waits
	patience   = 2 * time.Minute // of one work; on an idle machine it takes a second
)

func (t *Traffic) produce(ctx context.Context, topic string) error {
	p, err := t.driver.NewProducer(drivers.Settings{Config: map[string]string{
		"bootstrap.servers": t.proxy.Bootstrap(), "acks": "all", "enable.idempotence": "true", "linger.ms": "5",
	}})
	if err != nil {
		return err
	}
	var acked atomic.Int64
	report := func(r drivers.Delivery) {
		if r.Outcome == drivers.Acked {
			acked.Add(1)
		}
	}
	value := []byte(strings.Repeat("x", valueBytes))
	for range t.records {
		p.Produce(ctx, drivers.Record{Topic: topic, Partition: drivers.AnyPartition, Value: value}, report)
	}
	err = p.Flush(ctx)
	if closed := p.Close(); err == nil {
		err = closed
	}
	if n := acked.Load(); err == nil && n != int64(t.records) {
		err = fmt.Errorf("%d of %d records were acknowledged", n, t.records)
	}
	return err
}

func (t *Traffic) consume(ctx context.Context, topic string) error {
	c, err := t.driver.NewConsumer(drivers.Settings{Config: map[string]string{"bootstrap.servers": t.proxy.Bootstrap()}})
	if err != nil {
		return err
	}
	var from []drivers.Position
	for p := range int32(partitions) {
		from = append(from, drivers.Position{TopicPartition: drivers.TopicPartition{Topic: topic, Partition: p}, Offset: drivers.OffsetStart})
	}
	err = c.Assign(ctx, from)
	for read := 0; err == nil && read < t.records; {
		var got []drivers.Record
		if got, err = c.Poll(ctx); err == nil && len(got) == 0 {
			err = fmt.Errorf("%d of %d records were read: %w", read, t.records, context.Cause(ctx))
		}
		read += len(got)
	}
	if closed := c.Close(); err == nil {
		err = closed
	}
	return err
}
