package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	confluentHead = "package main\n\nimport (\n\t\"context\"; \"time\"\n\t\"github.com/confluentinc/confluent-kafka-go/v2/kafka\"\n)\n"
	kgoHead       = "package main\n\nimport (\n\t\"context\"; \"time\"\n\t\"github.com/twmb/franz-go/pkg/kgo\"\n)\n"
)

// goFacts are programs in which something is wrong, each with a twin in which it is not:
// wrong and right are the parts in which they differ, and stand in the place of $ in the
// program. want is the line in the program, the rule, and what it is about.
var goFacts = []struct{ name, program, wrong, right, want string }{
	{"a type that a ConfigMap does not take", confluentHead + `var n $ = 5
var c = kafka.ConfigMap{
	"linger.ms": n,
}`, "int64", "int", "9 wrong-type linger.ms"},
	{"a float", confluentHead + `var c = kafka.ConfigMap{"linger.ms": $}`, "0.5", `"0.5"`, "7 wrong-type linger.ms"},
	{"nil", confluentHead + `var c = kafka.ConfigMap{"transactional.id": $}`, "nil", `"t"`, "7 wrong-type transactional.id"},
	{"a list", confluentHead + `var c = kafka.ConfigMap{"bootstrap.servers": $}`, `[]string{"a:1"}`, `"a:1"`, "7 wrong-type bootstrap.servers"},

	{"acks with idempotence", kgoHead + `var cl, err = kgo.NewClient(
	kgo.RequiredAcks(kgo.LeaderAck()),
	$
)`, "kgo.ClientID(\"c\"),", "kgo.DisableIdempotentWrite(),", "8 option-needs RequiredAcks"},
	{"in flight with idempotence", kgoHead + `var cl, err = kgo.NewClient(
	kgo.MaxProduceRequestsInflightPerBroker($),
)`, "5", "1", "8 option-needs MaxProduceRequestsInflightPerBroker"},
	{"acks in an unknown list", kgoHead + `func f(more ...kgo.Opt) {
	kgo.NewClient(append($, kgo.RequiredAcks(kgo.NoAck()))...)
}`, "[]kgo.Opt{}", "more", "8 option-needs RequiredAcks"},
	{"two ways to commit", kgoHead + `var cl, err = kgo.NewClient(kgo.ConsumerGroup("g"), kgo.DisableAutoCommit(), $)`,
		"kgo.AutoCommitMarks()", "kgo.ConsumeTopics(\"t\")", "7 options-exclude DisableAutoCommit"},
	{"commits without a group", kgoHead + `var cl, err = kgo.NewClient(kgo.ConsumeTopics("t"), kgo.DisableAutoCommit(), $)`,
		"kgo.ClientID(\"c\")", "kgo.ConsumerGroup(\"g\")", "7 option-needs DisableAutoCommit"},
	{"an empty id", kgoHead + `var cl, err = kgo.NewClient(kgo.TransactionalID($))`, `""`, `"t"`, "7 option-empty TransactionalID"},
	{"heartbeats slower than the session", kgoHead + `var cl, err = kgo.NewClient(kgo.ConsumerGroup("g"), kgo.HeartbeatInterval($))`,
		"time.Minute", "10 * time.Second", "7 options-inverted HeartbeatInterval"},
	{"a session below the heartbeat", kgoHead + `var cl, err = kgo.NewClient(kgo.ConsumerGroup("g"), kgo.SessionTimeout($))`,
		"2 * time.Second", "20 * time.Second", "7 options-inverted SessionTimeout"},
	{"a transaction that outlives the session", kgoHead + `var cl, err = kgo.NewGroupTransactSession(
	kgo.TransactionTimeout($),
)`, "time.Minute", "30 * time.Second", "8 transaction-outlives-session TransactionTimeout"},
	{"a session that ends before the transaction", kgoHead + `var cl, err = kgo.NewGroupTransactSession(
	kgo.SessionTimeout($),
)`, "30 * time.Second", "50 * time.Second", "8 transaction-outlives-session SessionTimeout"},

	{"an option that is not there", kgoHead + `var opts = []kgo.Opt{
	kgo.$(5 * time.Millisecond),
}`, "ProducerLingerTime", "ProducerLinger", "8 no-such-member ProducerLingerTime"},
	{"an option above its range", kgoHead + `var cl, err = kgo.NewClient(kgo.ProducerLinger($))`, "2 * time.Minute", "time.Minute", "7 option-range ProducerLinger"},
	{"an option below its range", kgoHead + `var cl, err = kgo.NewClient(kgo.RecordDeliveryTimeout($))`, "500 * time.Millisecond", "0", "7 option-range RecordDeliveryTimeout"},
	{"a number below its range", kgoHead + `var cl, err = kgo.NewClient(kgo.MaxBufferedRecords($))`, "0", "1", "7 option-range MaxBufferedRecords"},
	{"a limit that another option moves", kgoHead + `var cl, err = kgo.NewClient(kgo.FetchMaxBytes(200 << 20), $)`,
		"kgo.ClientID(\"c\")", "kgo.BrokerMaxReadBytes(200 << 20)", "7 option-range FetchMaxBytes"},

	{"no promise", kgoHead + `func f(ctx context.Context, cl *kgo.Client, r *kgo.Record) error {
	var first kgo.FirstErrPromise
	cl.BeginTransaction()
	cl.Produce(ctx, r, $)
	cl.Flush(ctx)
	return cl.EndTransaction(ctx, kgo.TryCommit)
}`, "nil", "first.Promise()", "12 commit-unchecked EndTransaction"},
	{"a promise that takes no error", kgoHead + `type p struct { s *kgo.GroupTransactSession }
func (p p) f(ctx context.Context, r *kgo.Record) error {
	p.s.Produce(ctx, r, func(r *kgo.Record, $ })
	_, err := p.s.End(ctx, kgo.TryCommit)
	return err
}`, "_ error) { println(r.Topic)", "err error) { println(err)", "10 commit-unchecked End"},
	{"results that are dropped", kgoHead + `func f(ctx context.Context, cl *kgo.Client, r *kgo.Record) error {
	$
	return cl.EndTransaction(ctx, kgo.TryCommit)
}`, "cl.ProduceSync(ctx, r)", "if err := cl.ProduceSync(ctx, r).FirstErr(); err != nil { return err }", "9 commit-unchecked EndTransaction"},
	{"a commit that depends", kgoHead + `func f(ctx context.Context, cl *kgo.Client, r *kgo.Record, ok bool) error {
	cl.Produce(ctx, r, nil)
	cl.Flush(ctx)
	return cl.EndTransaction(ctx, $)
}`, "kgo.TryCommit", "kgo.TransactionEndTry(ok)", "10 commit-unchecked EndTransaction"},
	{"no flush before the end of a transaction", kgoHead + `func f(ctx context.Context, cl *kgo.Client, r *kgo.Record) error {
	var err error
	cl.Produce(ctx, r, func(_ *kgo.Record, e error) { err = e })
	$
	if err != nil { return err }
	return cl.EndTransaction(ctx, kgo.TryCommit)
}`, "", "if err := cl.Flush(ctx); err != nil { return err }", "12 commit-unflushed EndTransaction"},
	{"a commit whose result is dropped", kgoHead + `func f(ctx context.Context, cl *kgo.Client) {
	$cl.EndTransaction(ctx, kgo.TryCommit)
}`, "_ = ", "err := ", "8 commit-result-ignored EndTransaction"},
	{"a commit of librdkafka whose result is dropped", confluentHead + `func f(ctx context.Context, p *kafka.Producer) error {
	$p.CommitTransaction(ctx)
	return nil
}`, "", "return ", "8 commit-result-ignored CommitTransaction"},

	{"closed without a flush", kgoHead + `func f(ctx context.Context, r *kgo.Record) {
	cl, _ := kgo.NewClient()
	defer cl.Close()
	cl.Produce(ctx, r, nil)
	$
}`, "", "cl.Flush(ctx)", "9 missing-flush Produce"},
	{"main ends without a flush", confluentHead + `func main() {
	p, _ := kafka.NewProducer(&kafka.ConfigMap{"go.delivery.reports": false})
	p.Produce(&kafka.Message{}, nil)
	$
}`, "", "for p.Flush(1000) > 0 {}", "9 missing-flush Produce"},
	{"a producer that goes elsewhere may be flushed there", kgoHead + `func f(ctx context.Context, r *kgo.Record) {
	cl, _ := kgo.NewClient()
	defer cl.Close()
	cl.Produce(ctx, r, nil)
	$
}`, "", "finish(cl)", "9 missing-flush Produce"},
	{"a flush whose result is dropped", confluentHead + `func f(m *kafka.Message) {
	p, _ := kafka.NewProducer(&kafka.ConfigMap{"go.delivery.reports": false})
	p.Produce(m, nil)
	$
}`, "p.Flush(1000)", "if n := p.Flush(1000); n > 0 { println(n) }", "10 flush-result-ignored Flush"},
	{"reports that nobody reads", confluentHead + `func f(m *kafka.Message) {
	p, _ := kafka.NewProducer(&kafka.ConfigMap{$})
	p.Produce(m, nil)
	for p.Flush(1000) > 0 {}
}`, "", `"go.delivery.reports": false`, "9 events-unread Produce"},
	{"reports that somebody reads", confluentHead + `func f(m *kafka.Message) {
	p, _ := kafka.NewProducer(&kafka.ConfigMap{})
	$
	p.Produce(m, nil)
	for p.Flush(1000) > 0 {}
}`, "", `go func() { for range p.Events() {} }()`, "10 events-unread Produce"},
	{"a channel that nobody reads", confluentHead + `func f(p *kafka.Producer, m *kafka.Message) {
	done := make(chan kafka.Event, 1)
	p.Produce(m, done)
	$
	close(done)
}`, "", "<-done", "9 events-unread Produce"},

	{"the offset of the message", confluentHead + `func f(c *kafka.Consumer, m *kafka.Message) {
	c.CommitOffsets([]kafka.TopicPartition{{
		Topic: m.TopicPartition.Topic, Partition: m.TopicPartition.Partition,
		Offset: m.TopicPartition.Offset$,
	}})
}`, "", " + 1", "10 offset-not-next CommitOffsets"},
	{"the message's place as it is", confluentHead + `func f(ctx context.Context, p *kafka.Producer, m *kafka.Message, g *kafka.ConsumerGroupMetadata) error {
	next := m.TopicPartition
	$
	offsets := []kafka.TopicPartition{next}
	return p.SendOffsetsToTransaction(ctx, offsets, g)
}`, "", "next.Offset++", "10 offset-not-next SendOffsetsToTransaction"},
	{"the offset of a record", kgoHead + `func f(ctx context.Context, cl *kgo.Client) {
	for _, r := range cl.PollFetches(ctx).Records() {
		cl.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{r.Topic: {r.Partition: {Epoch: r.LeaderEpoch, Offset: r.Offset$}}}, nil)
	}
}`, "", "+1", "9 offset-not-next CommitOffsetsSync"},
	{"what was committed before is committed as it is", kgoHead + `func f(ctx context.Context, cl *kgo.Client, $) {
	cl.CommitOffsets(ctx, map[string]map[int32]kgo.EpochOffset{"t": {0: {Offset: r.Offset}}}, nil)
}`, "r *kgo.Record", "r kgo.EpochOffset", "8 offset-not-next CommitOffsets"},
}

// TestGoFacts finds each wrong thing, and nothing in its corrected twin.
func TestGoFacts(t *testing.T) {
	for _, c := range goFacts {
		t.Run(c.name, func(t *testing.T) {
			for part, want := range map[string]string{c.wrong: c.want, c.right: ""} {
				f := readGo(t.Context(), []input{{path: "/main.go", text: []byte(strings.ReplaceAll(c.program, "$", part))}})[0]
				if f.Unread != "" {
					t.Fatal(f.Unread)
				}
				if diff := cmp.Diff(want, goFound(f)); diff != "" {
					t.Errorf("with %q (-want +got):\n%s", part, diff)
				}
			}
		})
	}
}

func goFound(f File) string {
	var lines []string
	for _, fact := range f.Facts {
		lines = append(lines, fmt.Sprintf("%d %s %s", fact.At.Line, fact.Rule, fact.About))
	}
	return strings.Join(lines, "\n")
}
