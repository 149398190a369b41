// Command order_processor reads orders, adds the tax, and writes the results: outputs and
// offsets of the inputs in one transaction, so that each order has its effect once. What is
// no order goes to dead-letters in the same transaction; where a service that it needs does
// not answer it aborts, and reads the same orders again.
//
//	go run ./docs/workbook/examples/franz/order_processor 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const input, output, deadLetters = "incoming-orders", "processed-orders", "dead-letters"

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "order_processor:", err)
		os.Exit(1)
	}
}

func run(servers []string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	orders, err := writeInput(ctx, servers)
	if err != nil {
		return fmt.Errorf("write input: %w", err)
	}
	// kcompare:region config
	session, err := kgo.NewGroupTransactSession( // producer and consumer in one
		kgo.SeedBrokers(servers...),
		kgo.TransactionalID("workbook-order-processor"), // one for each instance that runs at the same time
		kgo.ConsumerGroup("workbook-order-processor"),
		kgo.ConsumeTopics(input),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()), // a new group begins at the start
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),      // inputs may come from transactions, too
	)
	// kcompare:end
	if err != nil {
		return err
	}
	defer session.Close()

	p := &processor{session: session}
	for handled := 0; handled < orders; { // a real one ends when it is told to
		fetches := session.PollRecords(ctx, 100)
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("poll: %w", err)
		}
		committed, err := p.handle(ctx, fetches.Records())
		if err != nil {
			return err
		}
		if committed {
			handled += fetches.NumRecords()
		}
	}
	if err := show(ctx, servers); err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	fmt.Println("committed offsets of " + input)
	offsets := session.Client().CommittedOffsets()[input]
	for _, partition := range slices.Sorted(maps.Keys(offsets)) {
		fmt.Printf("  partition %d: %d\n", partition, offsets[partition].Offset)
	}
	return nil
}

type processor struct {
	session *kgo.GroupTransactSession
	tax     taxService
}

// kcompare:region transaction

// handle is one transaction: the results of some inputs and the offsets of those inputs.
// An error means that this instance has to end, as after another one has fenced it.
func (p *processor) handle(ctx context.Context, inputs []*kgo.Record) (committed bool, err error) {
	if err := p.session.Begin(); err != nil {
		return false, fmt.Errorf("begin: %w", err)
	}
	sends := kgo.AbortingFirstErrPromise(p.session.Client())
	for _, in := range inputs {
		out, err := p.process(in)
		if err != nil {
			return false, p.abort(ctx, fmt.Errorf("%s: %w", in.Key, err))
		}
		p.session.Produce(ctx, out, sends.Promise())
	}
	if err := sends.Err(); err != nil { // waits for every record
		return false, p.abort(ctx, err)
	}
	return p.commit(ctx)
}

// kcompare:end

// kcompare:region process

// process makes the output of an input. Only an error that may pass is one: with what will
// never be an order the program would turn round for ever.
func (p *processor) process(in *kgo.Record) (*kgo.Record, error) {
	var order struct {
		Amount int64 `json:"amount"` // in cents: money is no float
	}
	if err := json.Unmarshal(in.Value, &order); err != nil {
		return deadLetter(in, "no order"), nil
	}
	if order.Amount <= 0 {
		return deadLetter(in, "the amount is not positive"), nil
	}
	tax, err := p.tax.of(string(in.Key), order.Amount)
	if err != nil {
		return nil, err
	}
	value := fmt.Appendf(nil, `{"amount":%d,"tax":%d,"total":%d}`, order.Amount, tax, order.Amount+tax)
	return &kgo.Record{Topic: output, Key: in.Key, Value: value}, nil
}

// deadLetter is the input as it came, and why it is here.
func deadLetter(in *kgo.Record, reason string) *kgo.Record {
	why := kgo.RecordHeader{Key: "reason", Value: []byte(reason)}
	return &kgo.Record{Topic: deadLetters, Key: in.Key, Value: in.Value, Headers: []kgo.RecordHeader{why}}
}

// kcompare:end

// kcompare:region commit

// commit also aborts by itself, after a rebalance: somebody else has the inputs then.
func (p *processor) commit(ctx context.Context) (committed bool, err error) {
	// kcompare:region offsets
	// The session adds the offsets: of each partition the last record that was polled, and one.
	committed, err = p.session.End(ctx, kgo.TryCommit)
	// kcompare:end
	if err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return committed, nil
}

// kcompare:end

// kcompare:region abort

// abort also goes back to the committed offsets, or the inputs would be skipped.
func (p *processor) abort(ctx context.Context, reason error) error {
	if _, err := p.session.End(ctx, kgo.TryAbort); err != nil {
		return fmt.Errorf("abort: %w", errors.Join(err, reason))
	}
	fmt.Printf("aborted, %v\n", reason)
	return nil
}

// kcompare:end

// taxService does not answer when it is asked about order-4 for the first time.
type taxService struct{ asked bool }

func (s *taxService) of(order string, amount int64) (int64, error) {
	if order == "order-4" && !s.asked {
		s.asked = true
		return 0, errors.New("the tax service does not answer")
	}
	return (amount + 5) / 10, nil // 10 %, rounded
}

// writeInput says how many orders it wrote, to both partitions.
func writeInput(ctx context.Context, servers []string) (orders int, err error) {
	producer, err := kgo.NewClient(kgo.SeedBrokers(servers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return 0, err
	}
	defer producer.Close()
	var records []*kgo.Record
	for i, amount := range []string{"1000", "2500", "-500", "4000", "995", `"ten"`} {
		records = append(records, &kgo.Record{
			Topic: input, Partition: int32(i % 2),
			Key: fmt.Appendf(nil, "order-%d", i+1), Value: fmt.Appendf(nil, `{"amount":%s}`, amount),
		})
	}
	return len(records), producer.ProduceSync(ctx, records...).FirstErr()
}

// kcompare:region read

// show prints what readers of committed records get, in the order of the keys.
func show(ctx context.Context, servers []string) error {
	start := map[int32]kgo.Offset{0: kgo.NewOffset().AtStart()}
	reader, err := kgo.NewClient(
		kgo.SeedBrokers(servers...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{output: start, deadLetters: start}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), // the default is read_uncommitted
		kgo.KeepControlRecords(), // the last thing in a topic is a marker
	)
	if err != nil {
		return err
	}
	defer reader.Close()
	found := map[string][]string{}
	for ended := map[string]bool{}; len(ended) < 2; {
		fetches := reader.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			for _, r := range p.Records {
				if !r.Attrs.IsControl() {
					found[r.Topic] = append(found[r.Topic], line(r))
				}
				if r.Offset+1 == p.HighWatermark {
					ended[r.Topic] = true
				}
			}
		})
	}
	for _, topic := range []string{output, deadLetters} {
		fmt.Println(topic)
		slices.Sort(found[topic])
		fmt.Print(strings.Join(found[topic], ""))
	}
	return nil
}

func line(r *kgo.Record) string {
	text := fmt.Sprintf("  %s: %s", r.Key, r.Value)
	for _, h := range r.Headers {
		text += fmt.Sprintf(" (%s)", h.Value)
	}
	return text + "\n"
}

// kcompare:end

// servers is the first argument, or what the environment says.
func servers() []string {
	given := cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
	if len(os.Args) > 1 {
		given = os.Args[1]
	}
	return strings.Split(given, ",")
}
