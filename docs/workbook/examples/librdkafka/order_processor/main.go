//go:build cgo

// Command order_processor reads orders, adds the tax, and writes the results: outputs and
// offsets of the inputs in one transaction, so that each order has its effect once. What is
// no order goes to dead-letters in the same transaction; where a service that it needs does
// not answer it aborts, and reads the same orders again.
//
//	go run ./docs/workbook/examples/librdkafka/order_processor 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

var input, output, deadLetters = "incoming-orders", "processed-orders", "dead-letters"

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "order_processor:", err)
		os.Exit(1)
	}
}

func run(servers string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	orders, err := writeInput(ctx, servers)
	if err != nil {
		return fmt.Errorf("write input: %w", err)
	}
	// kcompare:region config
	producer, err := kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers": servers,
		"transactional.id":  "workbook-order-processor", // one for each instance that runs at the same time
	})
	if err != nil {
		return err
	}
	defer producer.Close()
	consumer, err := kafka.NewConsumer(&kafka.ConfigMap{
		"bootstrap.servers":  servers,
		"group.id":           "workbook-order-processor",
		"enable.auto.commit": false,            // the transaction has the offsets
		"isolation.level":    "read_committed", // the default; inputs may come from transactions, too
		"auto.offset.reset":  "earliest",       // a new group begins at the start
	})
	if err != nil {
		return err
	}
	defer func() { _ = consumer.Close() }() // its offsets are in the transactions
	// kcompare:end
	if err := settle(ctx, producer.InitTransactions); err != nil { // fences older instances, and ends what they left open
		return fmt.Errorf("init: %w", err)
	}
	if err := consumer.Subscribe(input, nil); err != nil {
		return err
	}
	p := &processor{producer: producer, consumer: consumer}
	for handled := 0; handled < orders; { // a real one ends when it is told to
		batch, err := p.poll(ctx)
		if err != nil {
			return fmt.Errorf("poll: %w", err)
		}
		committed, err := p.handle(ctx, batch)
		if err != nil {
			return err
		}
		if committed {
			handled += len(batch)
		}
	}
	if err := show(ctx, servers); err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	return showOffsets(consumer)
}

type processor struct {
	producer *kafka.Producer
	consumer *kafka.Consumer
	tax      taxService
}

// poll waits for a first input, and takes what has come beside it.
func (p *processor) poll(ctx context.Context) (batch []*kafka.Message, err error) {
	for len(batch) < 100 && ctx.Err() == nil {
		wait := 1000 // ms
		if len(batch) > 0 {
			wait = 50
		}
		switch e := p.consumer.Poll(wait).(type) {
		case *kafka.Message:
			batch = append(batch, e)
		case kafka.Error:
			if e.IsFatal() { // others are told for information: the library goes on trying
				return nil, e
			}
		case nil:
			if len(batch) > 0 {
				return batch, nil
			}
		}
	}
	return batch, ctx.Err()
}

// kcompare:region transaction

// handle is one transaction: the results of some inputs and the offsets of those inputs.
// An error means that this instance has to end, as after another one has fenced it.
func (p *processor) handle(ctx context.Context, inputs []*kafka.Message) (committed bool, err error) {
	// Asked for now: after a long pause the library may be in the group again, and not fenced.
	group, err := p.consumer.GetConsumerGroupMetadata()
	if err != nil {
		return false, fmt.Errorf("group: %w", err)
	}
	if err := p.producer.BeginTransaction(); err != nil {
		return false, fmt.Errorf("begin: %w", err)
	}
	err = p.write(ctx, inputs)
	if err == nil {
		err = p.sendOffsets(ctx, inputs, group)
	}
	if err == nil {
		err = p.commit(ctx)
	}
	if err == nil {
		return true, nil
	}
	var failure kafka.Error
	if errors.As(err, &failure) && failure.IsFatal() {
		return false, err
	}
	return false, p.abort(ctx, inputs, err)
}

// write sends the output of each input, and waits for every report.
func (p *processor) write(ctx context.Context, inputs []*kafka.Message) error {
	reports := make(chan kafka.Event, len(inputs)) // room for all, so that the library never waits for us
	for _, in := range inputs {
		out, err := p.process(in)
		if err == nil {
			err = p.producer.Produce(out, reports)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.Key, err)
		}
	}
	return wait(ctx, reports, len(inputs))
}

// wait is for the reports of so many records; its error is the first that one has.
func wait(ctx context.Context, reports <-chan kafka.Event, records int) error {
	for range records {
		select {
		case report := <-reports:
			if m := report.(*kafka.Message); m.TopicPartition.Error != nil {
				return fmt.Errorf("%s: %w", m.Key, m.TopicPartition.Error)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// kcompare:end

// kcompare:region process

// process makes the output of an input. Only an error that may pass is one: with what will
// never be an order the program would turn round for ever.
func (p *processor) process(in *kafka.Message) (*kafka.Message, error) {
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
	return &kafka.Message{TopicPartition: to(&output), Key: in.Key, Value: value}, nil
}

// deadLetter is the input as it came, and why it is here.
func deadLetter(in *kafka.Message, reason string) *kafka.Message {
	why := kafka.Header{Key: "reason", Value: []byte(reason)}
	return &kafka.Message{TopicPartition: to(&deadLetters), Key: in.Key, Value: in.Value, Headers: []kafka.Header{why}}
}

// kcompare:end

// kcompare:region offsets

// sendOffsets puts the offsets into the transaction: of each partition that of the last
// input, and one, which is where whoever comes next begins. The metadata of the group fence
// members that a rebalance has left behind.
func (p *processor) sendOffsets(ctx context.Context, inputs []*kafka.Message, group *kafka.ConsumerGroupMetadata) error {
	next := map[int32]kafka.TopicPartition{}
	for _, in := range inputs { // in the order of their offsets
		at := in.TopicPartition
		next[at.Partition] = kafka.TopicPartition{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset + 1}
	}
	var offsets []kafka.TopicPartition
	for _, at := range next {
		offsets = append(offsets, at)
	}
	err := settle(ctx, func(ctx context.Context) error { return p.producer.SendOffsetsToTransaction(ctx, offsets, group) })
	if err != nil {
		return fmt.Errorf("send offsets: %w", err)
	}
	return nil
}

// kcompare:end

// kcompare:region commit

func (p *processor) commit(ctx context.Context) error {
	if err := settle(ctx, p.producer.CommitTransaction); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// settle: after a retriable error (a timeout, say) nobody knows how a step ended. The same
// step again goes on with it.
func settle(ctx context.Context, step func(context.Context) error) error {
	for {
		err := step(ctx)
		var failure kafka.Error
		if !errors.As(err, &failure) || !failure.IsRetriable() || ctx.Err() != nil {
			return err
		}
	}
}

// kcompare:end

// kcompare:region abort

// abort also goes back to the first input of each partition: the consumer stands behind
// the last one, and would skip them all.
func (p *processor) abort(ctx context.Context, inputs []*kafka.Message, reason error) error {
	if err := settle(ctx, p.producer.AbortTransaction); err != nil {
		return fmt.Errorf("abort: %w", errors.Join(err, reason))
	}
	fmt.Printf("aborted, %v\n", reason)
	back := map[int32]bool{}
	assigned, err := p.consumer.Assignment()
	for _, in := range inputs {
		at := in.TopicPartition
		ours := slices.ContainsFunc(assigned, func(a kafka.TopicPartition) bool { return a.Partition == at.Partition })
		if err != nil || back[at.Partition] || !ours { // another member has it now, and begins at the committed offset
			continue
		}
		back[at.Partition] = true
		err = p.consumer.Seek(at, 0)
	}
	return err
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
func writeInput(ctx context.Context, servers string) (orders int, err error) {
	producer, err := kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": servers, "enable.idempotence": true})
	if err != nil {
		return 0, err
	}
	// kcompare:ignore missing-flush wait reads every report
	defer producer.Close()
	amounts := []string{"1000", "2500", "-500", "4000", "995", `"ten"`}
	reports := make(chan kafka.Event, len(amounts))
	for i, amount := range amounts {
		err := producer.Produce(&kafka.Message{
			TopicPartition: kafka.TopicPartition{Topic: &input, Partition: int32(i % 2)},
			Key:            fmt.Appendf(nil, "order-%d", i+1), Value: fmt.Appendf(nil, `{"amount":%s}`, amount),
		}, reports)
		if err != nil {
			return 0, err
		}
	}
	return len(amounts), wait(ctx, reports, len(amounts))
}

// kcompare:region read

// show prints what readers of committed records get, in the order of the keys.
func show(ctx context.Context, servers string) error {
	reader, err := kafka.NewConsumer(&kafka.ConfigMap{
		"bootstrap.servers": servers, "group.id": "workbook-reader", "enable.auto.commit": false,
		"isolation.level":      "read_committed", // the default
		"enable.partition.eof": true,             // says when an end is reached
	})
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }() // it has nothing to lose
	topics := []string{output, deadLetters}
	var start []kafka.TopicPartition
	for _, topic := range topics {
		start = append(start, kafka.TopicPartition{Topic: &topic, Offset: kafka.OffsetBeginning})
	}
	if err := reader.Assign(start); err != nil {
		return err
	}
	found := map[string][]string{}
	for ended := 0; ended < len(topics); {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch e := reader.Poll(1000).(type) {
		case *kafka.Message:
			found[*e.TopicPartition.Topic] = append(found[*e.TopicPartition.Topic], line(e))
		case kafka.PartitionEOF:
			ended++
		case kafka.Error:
			if e.IsFatal() {
				return e
			}
		}
	}
	for _, topic := range topics {
		fmt.Println(topic)
		slices.Sort(found[topic])
		fmt.Print(strings.Join(found[topic], ""))
	}
	return nil
}

func line(m *kafka.Message) string {
	text := fmt.Sprintf("  %s: %s", m.Key, m.Value)
	for _, h := range m.Headers {
		text += fmt.Sprintf(" (%s)", h.Value)
	}
	return text + "\n"
}

// kcompare:end

func showOffsets(consumer *kafka.Consumer) error {
	assigned, err := consumer.Assignment()
	if err != nil {
		return err
	}
	committed, err := consumer.Committed(assigned, 10_000)
	if err != nil {
		return err
	}
	fmt.Println("committed offsets of " + input)
	slices.SortFunc(committed, func(a, b kafka.TopicPartition) int { return int(a.Partition - b.Partition) })
	for _, at := range committed {
		fmt.Printf("  partition %d: %d\n", at.Partition, at.Offset)
	}
	return nil
}

// to leaves the partition to the partitioner.
func to(topic *string) kafka.TopicPartition {
	return kafka.TopicPartition{Topic: topic, Partition: kafka.PartitionAny}
}

// servers is the first argument, or what the environment says.
func servers() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
}
