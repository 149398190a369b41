package bench

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// liar is franz-go, which lies in one way about record 77 of each bulk.
type liar struct {
	drivers.Driver
	lie string
}

func (l *liar) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	p, err := l.Driver.NewProducer(s)
	return &lyingProducer{p, l.lie}, err
}

func (l *liar) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := l.Driver.NewTransactionalProducer(s)
	return &lyingTransactions{p, &lyingProducer{p, l.lie}, 0}, err
}

func (l *liar) NewConsumer(s drivers.Settings) (drivers.Consumer, error) {
	c, err := l.Driver.NewConsumer(s)
	if l.lie != "reads twice" {
		return c, err
	}
	return &lyingConsumer{c}, err
}

type lyingProducer struct {
	drivers.Producer
	lie string
}

func (p *lyingProducer) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	nobody := func(drivers.Delivery) {}
	if strings.HasPrefix(string(r.Value), "77.") {
		switch p.lie {
		case "loses":
			report(drivers.Delivery{Outcome: drivers.Acked, Partition: 0, Offset: drivers.NoOffset})
			return
		case "doubles":
			p.Producer.Produce(ctx, r, nobody)
		case "adds":
			p.Producer.Produce(ctx, drivers.Record{Topic: r.Topic, Partition: r.Partition, Value: []byte("77 and more")}, nobody)
		case "counts further":
			p.Producer.Produce(ctx, drivers.Record{Topic: r.Topic, Partition: r.Partition, Key: []byte("key-0"), Value: []byte("2000..")}, nobody)
		case "writes another key":
			r.Key = []byte("key-8")
		case "pads with something else":
			r.Value = []byte("77" + strings.Repeat(",", 98))
		case "reports what it wrote as failed":
			wrote := report
			report = func(drivers.Delivery) {
				wrote(drivers.Delivery{
					Outcome: drivers.Failed, Partition: drivers.AnyPartition, Offset: drivers.NoOffset,
					Err: &drivers.Error{Call: "produce", Class: drivers.Fatal, Code: "NO", Text: "no"},
				})
			}
		case "dies":
			os.Exit(3)
		}
	}
	p.Producer.Produce(ctx, r, report)
}

// lyingTransactions counts commits; that of the warm-up before a turn are one for each
// partition.
type lyingTransactions struct {
	drivers.TransactionalProducer
	producer *lyingProducer
	commits  int
}

func (t *lyingTransactions) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	t.producer.Produce(ctx, r, report)
}

func (t *lyingTransactions) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	t.commits++
	if t.producer.lie == "aborts" && t.commits == 5 {
		if err := t.Flush(ctx); err != nil {
			return drivers.TransactionUnknown, err
		}
		if outcome, err := t.Abort(ctx); err != nil {
			return outcome, err
		}
		return drivers.Committed, nil
	}
	return t.TransactionalProducer.Commit(ctx)
}

// lyingConsumer returns every record 77 in the place of the one before.
type lyingConsumer struct{ drivers.Consumer }

func (c *lyingConsumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.Consumer.Poll(ctx)
	for i := 1; i < len(records); i++ {
		if strings.HasPrefix(string(records[i].Value), "77.") {
			records[i-1] = records[i]
		}
	}
	return records, err
}

// unproven is in the place of prove where a test is about rounds alone.
func unproven(context.Context, Options, Contestant, Player) (evidence.BenchSeen, error) {
	return evidence.BenchSeen{}, errors.New("nobody asked")
}

// TestLiesAreVoid: whatever a client does to a record, its round does not count, and the
// reason says what it was.
func TestLiesAreVoid(t *testing.T) {
	for _, tt := range []struct {
		lie              string
		work             evidence.BenchWork
		void             string
		lost, duplicates int64
	}{
		{"loses", evidence.BenchProduce, "lost 1 of 2000 records", 1, 0},
		{"loses", evidence.BenchTransactions, "lost 1 of 2000 records", 1, 0},
		{"doubles", evidence.BenchProduce, "1 duplicates", 0, 1},
		{"doubles", evidence.BenchLatency, "1 duplicates", 0, 1},
		{"doubles", evidence.BenchRPW, "1 duplicates", 0, 1},
		{"adds", evidence.BenchProduce, `1 records that are none of the turn's, the first with key "", value "77 and more"`, 0, 0},
		{"counts further", evidence.BenchProduce, `1 records that are none of the turn's, the first with key "key-0", value "2000.."`, 0, 0},
		{"writes another key", evidence.BenchProduce, `lost 1 of 2000 records; 1 records that are none of the turn's, the first with key "key-8", value "77......................................"`, 1, 0},
		{"pads with something else", evidence.BenchProduce, `lost 1 of 2000 records; 1 records that are none of the turn's, the first with key "key-7", value "77,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"`, 1, 0},
		{"reports what it wrote as failed", evidence.BenchProduce, "1 records were reported as failed, record 77 first: produce: NO (fatal): no", 0, 0},
		{"aborts", evidence.BenchTransactions, "lost 100 of 2000 records", 100, 0},
		{"reads twice", evidence.BenchConsume, "lost 1 of 2000 records; 1 duplicates", 1, 1},
	} {
		t.Run(tt.lie+"/"+string(tt.work), func(t *testing.T) {
			t.Parallel()
			o := options(t, tt.work, Contestant{Name: "liar", Open: opened(t, tt.lie)})
			o.Load.Rounds, o.Load.WarmUp = 1, 0
			b, err := runWith(t.Context(), o, unproven)
			if err != nil || len(b.Rounds) != 1 {
				t.Fatalf("%d rounds, error %v", len(b.Rounds), err)
			}
			got := b.Rounds[0]
			want := evidence.BenchRound{Void: tt.void, Records: 2000 - tt.lost, Lost: tt.lost, Duplicates: tt.duplicates}
			if diff := cmp.Diff(want, evidence.BenchRound{Void: got.Void, Records: got.Records, Lost: got.Lost, Duplicates: got.Duplicates}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			nothingLeft(t, o.Cluster)
		})
	}
}

// TestDies: a program that ends makes its round void, and plays the next one in another
// process.
func TestDies(t *testing.T) {
	o := options(t, evidence.BenchProduce, Contestant{Name: "dies", Open: opened(t, "dies")})
	b, err := runWith(t.Context(), o, unproven)
	if err != nil || len(b.Rounds) != 3 {
		t.Fatalf("%d rounds, error %v", len(b.Rounds), err)
	}
	for _, r := range b.Rounds {
		if !strings.Contains(r.Void, "ended before it was asked to: exit status 3") {
			t.Errorf("round %d: %s", r.Round, r.Void)
		}
	}
}

// doctored is a player of which the words are changed.
type doctored struct {
	Player
	change func(*Played)
}

func (p doctored) Play(ctx context.Context, t Turn) (Played, error) {
	played, err := p.Player.Play(ctx, t)
	p.change(&played)
	return played, err
}

// TestWordsAreVoid: what only a player can tell is held to what can be known.
func TestWordsAreVoid(t *testing.T) {
	for _, tt := range []struct {
		name   string
		work   evidence.BenchWork
		change func(*Played)
		void   string
	}{
		{"no time", evidence.BenchProduce, func(p *Played) { p.Elapsed = 0 }, "it tells no time"},
		{"longer than the turn", evidence.BenchProduce, func(p *Played) { p.Elapsed = time.Hour }, "it tells of 1h0m0s, and the whole turn took "},
		{"a latency missing", evidence.BenchLatency, func(p *Played) { p.Latencies[7] = drivers.LatencyUnknown }, "1 of 2000 records have no latency"},
		{"no latencies", evidence.BenchLatency, func(p *Played) { p.Latencies = nil }, "2000 of 2000 records have no latency"},
		{"transactions that were not", evidence.BenchTransactions, func(p *Played) { p.Transactions = 100 }, "it tells of 100 transactions, and the markers in the log are those of "},
		{"fewer transactions", evidence.BenchTransactions, func(p *Played) { p.Transactions = 2 }, "it tells of 2 transactions, and the markers in the log are those of "},
		{"another topic", evidence.BenchConsume, func(p *Played) { p.Runs[0].Topic = "elsewhere" }, "records that are not there to be read"},
		{"behind the end", evidence.BenchConsume, func(p *Played) {
			p.Runs = append(p.Runs, drivers.Run{TopicPartition: p.Runs[0].TopicPartition, First: 2000, Count: 5})
		}, "5 records that are not there to be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			open := opened(t, "")
			o := options(t, tt.work, Contestant{Name: "liar", Open: func(ctx context.Context) (Player, error) {
				p, err := open(ctx)
				return doctored{p, tt.change}, err
			}})
			o.Load.Rounds, o.Load.WarmUp = 1, 0
			b, err := runWith(t.Context(), o, unproven)
			if err != nil || len(b.Rounds) != 1 || !strings.Contains(b.Rounds[0].Void, tt.void) {
				t.Errorf("expected a round that is void for %q, got %+v, error %v", tt.void, b.Rounds, err)
			}
		})
	}
}
