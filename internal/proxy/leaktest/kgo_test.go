package leaktest

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// franz is franz-go at work.
type franz struct {
	stage                             *stage
	producer, consumer, transactional *kgo.Client
}

func openFranz(t *testing.T, s *stage) client {
	return &franz{
		stage:         s,
		producer:      newKgo(t, s),
		consumer:      newKgo(t, s, kgo.ConsumeTopics(s.topic), kgo.ConsumerGroup(s.group), kgo.DisableAutoCommit(), kgo.FetchMaxWait(100*time.Millisecond)),
		transactional: newKgo(t, s, kgo.TransactionalID(s.transactionalID)),
	}
}

// newKgo is a client of the proxy whose dials are listed. MetadataMinAge stays at
// its 5 s: the answer to a Fetch that tells of a new leader also makes the client
// ask for Metadata, and what comes first counts (kip951move.doMove). A short age
// would make that a matter of luck.
func newKgo(t *testing.T, s *stage, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(s.bootstrap()...), kgo.Dialer(s.dials.dial),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	s.atEnd(c.Close)
	return c
}

func (f *franz) produce(t *testing.T) {
	t.Helper()
	f.send(t, f.producer)
}

func (f *franz) send(t *testing.T, c *kgo.Client) {
	t.Helper()
	record := &kgo.Record{Topic: f.stage.topic, Value: []byte("payment")}
	if err := c.ProduceSync(within(t), record).FirstErr(); err != nil {
		t.Fatalf("produce: %v", err)
	}
}

func (f *franz) consume(t *testing.T) {
	t.Helper()
	poll(t, f.consumer)
}

func (f *franz) pause(*testing.T) { f.consumer.PauseFetchTopics(f.stage.topic) }

func (f *franz) resume(*testing.T) { f.consumer.ResumeFetchTopics(f.stage.topic) }

// poll is the next records.
func poll(t *testing.T, c *kgo.Client) []*kgo.Record {
	t.Helper()
	ctx := within(t)
	for {
		fetches := c.PollFetches(ctx)
		if ctx.Err() != nil {
			t.Fatal("no record came")
		}
		fetches.EachError(func(topic string, partition int32, err error) { t.Logf("poll %s-%d: %v", topic, partition, err) })
		if records := fetches.Records(); len(records) > 0 {
			return records
		}
	}
}

func (f *franz) commit(t *testing.T) {
	t.Helper()
	if err := f.consumer.CommitUncommittedOffsets(within(t)); err != nil {
		t.Fatalf("commit offsets: %v", err)
	}
}

func (f *franz) transact(t *testing.T) {
	t.Helper()
	if err := f.transactional.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	f.send(t, f.transactional)
	if err := f.transactional.EndTransaction(within(t), kgo.TryCommit); err != nil {
		t.Fatalf("commit the transaction: %v", err)
	}
}

// describe is what kadm says of the cluster. It asks by Metadata.
func (f *franz) describe(t *testing.T) []string {
	t.Helper()
	told, err := kadm.NewClient(f.producer).ListBrokers(within(t))
	if err != nil {
		t.Fatal(err)
	}
	var addrs []string
	for _, b := range told {
		addrs = append(addrs, hostPort(b.Host, b.Port))
	}
	return addrs
}

// describeByHand sends the DescribeCluster request that neither library sends,
// and is what a program makes of the answer: the next client's seed brokers.
func (f *franz) describeByHand(t *testing.T) []string {
	t.Helper()
	told, err := kmsg.NewPtrDescribeClusterRequest().RequestWith(within(t), f.producer)
	if err != nil {
		t.Fatal(err)
	}
	var addrs []string
	for _, b := range told.Brokers {
		addrs = append(addrs, hostPort(b.Host, b.Port))
	}
	next := newKgo(t, f.stage, kgo.SeedBrokers(addrs...))
	if err := next.Ping(within(t)); err != nil {
		t.Fatalf("ask the brokers that DescribeCluster told: %v", err)
	}
	return addrs
}
