package clients_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/child"
)

// A doctored program has the real franz-go and lies in one way: about records, through a
// driver that is wrapped, or about the protocol, through the stream that it writes to.
type doctor struct {
	driver func(*liar)                // sets what the driver does otherwise
	lines  func(line string) []string // what becomes of a line that it writes
	before func()                     // instead of the beginning
	after  func()                     // after shutdown
}

// play is the program's main.
func play(lie string) error {
	if lie == "in memory" {
		return inMemory()
	}
	d, known := doctors()[lie]
	if !known {
		return fmt.Errorf("%s: no such lie", lie)
	}
	if d.before != nil {
		d.before()
	}
	l := &liar{Driver: franz.New()}
	if d.driver != nil {
		d.driver(l)
	}
	var out io.Writer = os.Stdout
	if d.lines != nil {
		out = &rewriter{out: os.Stdout, rewrite: d.lines}
	}
	err := clients.Serve(os.Stdin, out, l)
	if d.after != nil {
		d.after()
	}
	return err
}

// parent starts a program and hands on what it says on stderr, until it is killed.
func parent() {
	starter := child.NewStarter()
	_, err := clients.New(context.Background(), starter, clients.Program{
		Client: "child", Command: []string{"sh", "-c", `exec "$0" 2>&3`, os.Args[0]}, Env: []string{asProgram + "=says its number"},
	})
	fmt.Fprintln(os.Stderr, err)
	hang()
}

// noLies are programs that tests of their own need.
func noLies() []string {
	return []string{
		"honest", "tells a secret", "tells a secret of an error", "polls late", "says its number", "a parent", "plays again",
	}
}

// isLie says whether the suite is to catch it.
func isLie(name string) bool { return !slices.Contains(noLies(), name) }

// hang waits for ever.
func hang() { select {} }

func doctors() map[string]doctor {
	about := func(set func(*liar)) doctor { return doctor{driver: set} }
	writes := func(lines func(string) []string) doctor { return doctor{lines: lines} }
	return map[string]doctor{
		"honest": {},
		"plays again": writes(func(line string) []string {
			self := fmt.Sprintf(`"via":"process %d","abilities":["again",`, os.Getpid())
			return []string{strings.Replace(line, `"abilities":[`, self, 1)}
		}),

		"duplicates": about(func(l *liar) {
			l.produce = func(ctx context.Context, p drivers.Producer, r drivers.Record, report func(drivers.Delivery)) {
				p.Produce(ctx, r, report)
				p.Produce(ctx, r, func(drivers.Delivery) {})
			}
		}),
		"swallows": about(func(l *liar) {
			l.produce = func(_ context.Context, _ drivers.Producer, r drivers.Record, report func(drivers.Delivery)) {
				report(drivers.Delivery{Outcome: drivers.Acked, Partition: max(0, r.Partition), Offset: 0})
			}
		}),
		"reorders": about(func(l *liar) {
			var first *drivers.Record
			var told func(drivers.Delivery)
			l.produce = func(ctx context.Context, p drivers.Producer, r drivers.Record, report func(drivers.Delivery)) {
				if first == nil && strings.HasSuffix(string(r.Value), "0") {
					first, told = &r, report
					return
				}
				p.Produce(ctx, r, report)
				if first != nil && first.Partition == r.Partition {
					p.Produce(ctx, *first, told)
					first = nil
				}
			}
		}),
		"offsets off": about(func(l *liar) {
			l.tell = func(d drivers.Delivery) drivers.Delivery { d.Offset++; return d }
		}),
		"partition off": about(func(l *liar) {
			l.tell = func(d drivers.Delivery) drivers.Delivery { d.Partition++; return d }
		}),
		"acks what failed": about(func(l *liar) {
			l.tell = func(d drivers.Delivery) drivers.Delivery {
				return drivers.Delivery{Outcome: drivers.Acked, Partition: d.Partition, Offset: max(0, d.Offset)}
			}
		}),
		"fails what was written": about(func(l *liar) {
			l.tell = func(d drivers.Delivery) drivers.Delivery {
				why := &drivers.Error{Call: "produce", Class: drivers.Retriable, Code: "NO", Text: "it says"}
				return drivers.Delivery{Outcome: drivers.Failed, Partition: d.Partition, Offset: drivers.NoOffset, Err: why}
			}
		}),
		"drops headers": about(func(l *liar) {
			l.produce = func(ctx context.Context, p drivers.Producer, r drivers.Record, report func(drivers.Delivery)) {
				r.Headers = nil
				p.Produce(ctx, r, report)
			}
		}),
		"retries by itself": about(func(l *liar) {
			l.produce = func(ctx context.Context, p drivers.Producer, r drivers.Record, report func(drivers.Delivery)) {
				p.Produce(ctx, r, func(d drivers.Delivery) {
					if d.Outcome == drivers.Failed && len(r.Value) > 100 {
						r.Value = r.Value[:100] // what it was not asked for
						go p.Produce(ctx, r, report)
						return
					}
					report(d)
				})
			}
		}),
		"commits what it should abort": about(func(l *liar) {
			l.abort = func(ctx context.Context, p drivers.TransactionalProducer) (drivers.TransactionOutcome, error) {
				_, err := p.Commit(ctx)
				return drivers.Aborted, err
			}
		}),
		"repeats records": about(func(l *liar) {
			l.polled = func(records []drivers.Record) []drivers.Record { return append(records, records...) }
		}),
		"hangs in flush": about(func(l *liar) { l.flush = hang }),
		"hangs in poll": about(func(l *liar) {
			l.polled = func([]drivers.Record) []drivers.Record { hang(); return nil }
		}),
		"dies": about(func(l *liar) {
			n := 0
			l.produce = func(ctx context.Context, p drivers.Producer, r drivers.Record, report func(drivers.Delivery)) {
				if n++; n == 10 {
					fmt.Fprintln(os.Stderr, "out of heap space")
					os.Exit(3)
				}
				p.Produce(ctx, r, report)
			}
		}),
		"finds another version": about(func(l *liar) { l.version = fmt.Sprint("v", os.Getpid()) }),
		"has no version":        about(func(l *liar) { l.version = " " }),

		"hangs at hello":       {before: hang},
		"dies at once":         {before: func() { fmt.Fprintln(os.Stderr, "no such library"); os.Exit(1) }},
		"stays after shutdown": {after: hang},
		"fails after shutdown": {after: func() { os.Exit(4) }},
		"endless line": {before: func() {
			megabyte := []byte(strings.Repeat("x", 1<<20))
			for range 70 {
				_, _ = os.Stdout.Write(megabyte)
			}
			hang()
		}},

		"another protocol": writes(func(line string) []string {
			return []string{strings.Replace(line, `"protocol":1`, `"protocol":2`, 1)}
		}),
		"rubbish": writes(func(line string) []string {
			return []string{"WARN the library has something to say", line}
		}),
		"neither": writes(func(line string) []string { return []string{`{"progress": 5}`, line} }),
		"answers twice": writes(func(line string) []string {
			if strings.HasPrefix(line, `{"id":3`) {
				return []string{line, line}
			}
			return []string{line}
		}),
		"answers nobody": writes(func(line string) []string {
			return []string{strings.Replace(line, `{"id":3`, `{"id":9003`, 1)}
		}),
		"reports twice": writes(func(line string) []string {
			if strings.Contains(line, `"record":4,`) {
				return []string{line, line}
			}
			return []string{line}
		}),
		"reports what is not there": writes(func(line string) []string {
			return []string{strings.Replace(line, `"record":4,`, `"record":400,`, 1)}
		}),
		"runs too far": writes(func(line string) []string {
			return []string{strings.Replace(line, `"record":4,`, `"record":4,"count":1000,`, 1)}
		}),
		"runs over what was reported": writes(func(line string) []string {
			return []string{strings.Replace(line, `"record":14,`, `"record":4,"count":11,`, 1)}
		}),
		"reports nothing": writes(func(line string) []string {
			if strings.Contains(line, `"record":`) {
				return nil
			}
			return []string{line}
		}),
		"reports on no handle": writes(func(line string) []string {
			return []string{strings.Replace(line, `"handle":"p`, `"handle":"q`, 1)}
		}),
		"a class of its own": writes(func(line string) []string {
			return []string{strings.Replace(line, `"class":"application"`, `"class":"oops"`, 1)}
		}),
		"no outcome": writes(func(line string) []string {
			return []string{strings.Replace(line, `"outcome":"committed"`, `"outcome":"done"`, 1)}
		}),
		"a report a record of a bulk": writes(func(line string) []string {
			var record, count int64
			i := strings.Index(line, `"record":`)
			j := strings.Index(line, `"count":`)
			if i < 0 || j < 0 {
				return []string{line}
			}
			fmt.Sscanf(line[i:], `"record":%d`, &record)
			fmt.Sscanf(line[j:], `"count":%d`, &count)
			var singles []string
			for n := range count {
				single := strings.Replace(line, fmt.Sprintf(`"record":%d`, record), fmt.Sprintf(`"record":%d`, record+n), 1)
				singles = append(singles, strings.Replace(single, fmt.Sprintf(`"count":%d`, count), `"count":1`, 1))
			}
			return singles
		}),
		"loses a record of a bulk": about(func(l *liar) {
			l.produce = func(ctx context.Context, p drivers.Producer, r drivers.Record, report func(drivers.Delivery)) {
				if strings.HasPrefix(string(r.Value), "77.") {
					report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
					return
				}
				p.Produce(ctx, r, report)
			}
		}),
		"offsets off in a bulk": writes(func(line string) []string {
			if strings.Contains(line, `"count":`) {
				line = strings.Replace(line, `"offset":`, `"offset":1`, 1)
			}
			return []string{line}
		}),
		"partition off in a bulk": writes(func(line string) []string {
			if strings.Contains(line, `"record":`) && !strings.Contains(line, `"partition":`) {
				line = strings.Replace(line, `"outcome":"acked"`, `"outcome":"acked","partition":2`, 1)
			}
			return []string{line}
		}),
		"counts other bytes": writes(func(line string) []string {
			return []string{strings.Replace(line, `"count":500,"bytes":`, `"count":500,"bytes":1`, 1)}
		}),
		"reads elsewhere": writes(func(line string) []string {
			return []string{strings.Replace(line, `,0,250]`, `,7,250]`, 1)}
		}),
		"runs without what it counts": writes(func(line string) []string {
			return []string{strings.Replace(line, `,0,250]`, `,0,249]`, 1)}
		}),
		"took longer than it did": writes(func(line string) []string {
			return []string{strings.Replace(line, `"elapsed_us":`, `"elapsed_us":999999999`, 1)}
		}),
		"keeps latencies to itself": writes(func(line string) []string { return []string{withLatencies(line, nil)} }),
		"knows no latency": writes(func(line string) []string {
			return []string{withLatencies(line, func(n int) []uint32 { return slices.Repeat([]uint32{drivers.LatencyUnknown}, n) })}
		}),
		"tells nanoseconds": writes(func(line string) []string {
			return []string{withLatencies(line, func(n int) []uint32 { return slices.Repeat([]uint32{5_000_000}, n) })}
		}),
		"hands over before its time": writes(func(line string) []string {
			return []string{strings.Replace(line, `"elapsed_us":`, `"elapsed_us":1,"elapsed":`, 1)}
		}),
		"commits every other transaction": about(func(l *liar) { l.every = 2 }),
		"writes twice what it processes": about(func(l *liar) {
			l.produce = func(ctx context.Context, p drivers.Producer, r drivers.Record, report func(drivers.Delivery)) {
				if _, transactional := p.(drivers.TransactionalProducer); transactional {
					p.Produce(ctx, r, func(drivers.Delivery) {})
				}
				p.Produce(ctx, r, report)
			}
		}),
		"forgets offsets of a group": about(func(l *liar) { l.forgets = true }),
		"invents transactions": writes(func(line string) []string {
			return []string{withLatencies(line, func(n int) []uint32 { return slices.Repeat([]uint32{1}, n+100) })}
		}),
		"refuses what it is able to": about(func(l *liar) {
			l.refuses = &drivers.UnsupportedError{Client: "doctored", Key: "enable.idempotence", Value: "true", Reason: "it has no such thing"}
		}),
		"differs where nobody asked": writes(func(line string) []string {
			return []string{strings.Replace(line, `"differences":[`, `"differences":["acks: rounded",`, 1)}
		}),
		"tells a secret": writes(func(line string) []string {
			fmt.Fprintf(os.Stderr, "login with %s failed\n", secret)
			if strings.HasPrefix(line, `{"id":2`) {
				quoted, _ := json.Marshal(secret)
				return []string{"login with " + string(quoted) + " failed"}
			}
			return []string{line}
		}),
		"tells a secret of an error": writes(func(line string) []string {
			if strings.HasPrefix(line, `{"id":2`) {
				quoted, _ := json.Marshal("login with " + secret + " failed")
				return []string{`{"id":2,"error":{"class":"application","text":` + string(quoted) + `}}`}
			}
			return []string{line}
		}),

		"polls late": about(func(l *liar) {
			l.polled = func(records []drivers.Record) []drivers.Record {
				<-time.After(time.Second)
				return records
			}
		}),
		"says its number": {before: func() { fmt.Fprintln(os.Stderr, os.Getpid()) }, after: hang}, // deaf to the end of stdin
		"a parent":        {before: parent},
	}
}

// withLatencies gives the answer to a bulk verb other times, of so many.
func withLatencies(line string, of func(n int) []uint32) string {
	const member = `"latencies_us":"`
	before, rest, has := strings.Cut(line, member)
	told, after, _ := strings.Cut(rest, `"`)
	if !has {
		return line
	}
	var raw []byte
	if of != nil {
		for _, us := range of(base64.StdEncoding.DecodedLen(len(told)) / 4) {
			raw = binary.LittleEndian.AppendUint32(raw, us)
		}
	}
	return before + member + base64.StdEncoding.EncodeToString(raw) + `"` + after
}

// rewriter passes on what becomes of each whole line.
type rewriter struct {
	out     io.Writer
	rewrite func(string) []string
	rest    string
}

func (w *rewriter) Write(b []byte) (int, error) {
	w.rest += string(b)
	for {
		line, rest, whole := strings.Cut(w.rest, "\n")
		if !whole {
			return len(b), nil
		}
		w.rest = rest
		for _, l := range w.rewrite(line) {
			if _, err := io.WriteString(w.out, l+"\n"); err != nil {
				return 0, err
			}
		}
	}
}

// liar is a driver whose clients do what the functions say, where there are any.
type liar struct {
	drivers.Driver
	version string
	refuses error
	produce func(context.Context, drivers.Producer, drivers.Record, func(drivers.Delivery))
	tell    func(drivers.Delivery) drivers.Delivery
	flush   func()
	abort   func(context.Context, drivers.TransactionalProducer) (drivers.TransactionOutcome, error)
	polled  func([]drivers.Record) []drivers.Record
	every   int  // so many transactions are one
	forgets bool // offsets
}

func (l *liar) Library() drivers.Library {
	library := l.Driver.Library()
	if l.version != "" {
		library.Version = strings.TrimSpace(l.version)
	}
	return library
}

func (l *liar) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	if l.refuses != nil {
		return nil, l.refuses
	}
	p, err := l.Driver.NewProducer(s)
	if err != nil {
		return nil, err
	}
	return &lyingProducer{p, l}, nil
}

func (l *liar) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := l.Driver.NewTransactionalProducer(s)
	if err != nil {
		return nil, err
	}
	return &lyingTransactional{lyingProducer: lyingProducer{p, l}, t: p}, nil
}

func (l *liar) NewConsumer(s drivers.Settings) (drivers.Consumer, error) {
	c, err := l.Driver.NewConsumer(s)
	if err != nil {
		return nil, err
	}
	return &lyingConsumer{c, c.(drivers.Rebalancing), c.(drivers.Storing), l}, nil
}

type lyingProducer struct {
	drivers.Producer
	liar *liar
}

func (p *lyingProducer) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	told := report
	if p.liar.tell != nil {
		told = func(d drivers.Delivery) { report(p.liar.tell(d)) }
	}
	if p.liar.produce != nil {
		p.liar.produce(ctx, p.Producer, r, told)
		return
	}
	p.Producer.Produce(ctx, r, told)
}

func (p *lyingProducer) Flush(ctx context.Context) error {
	if p.liar.flush != nil {
		p.liar.flush()
	}
	return p.Producer.Flush(ctx)
}

// ClosePlainly is that of the library.
func (p *lyingProducer) ClosePlainly() error { return p.Producer.(drivers.PlainCloser).ClosePlainly() }

type lyingTransactional struct {
	lyingProducer
	t     drivers.TransactionalProducer
	ended int // that the caller thinks have committed
}

func (p *lyingTransactional) Init(ctx context.Context) error { return p.t.Init(ctx) }

func (p *lyingTransactional) Begin(ctx context.Context) error {
	if p.liar.every > 0 && p.ended%p.liar.every != 0 {
		return nil // that of before is open
	}
	return p.t.Begin(ctx)
}

func (p *lyingTransactional) SendOffsets(ctx context.Context, at []drivers.Position, g drivers.GroupMetadata) error {
	if p.liar.forgets {
		return nil
	}
	return p.t.SendOffsets(ctx, at, g)
}

func (p *lyingTransactional) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	if p.ended++; p.liar.every > 0 && p.ended%p.liar.every != 0 {
		return drivers.Committed, p.Flush(ctx)
	}
	return p.t.Commit(ctx)
}

func (p *lyingTransactional) Abort(ctx context.Context) (drivers.TransactionOutcome, error) {
	if p.liar.abort != nil {
		return p.liar.abort(ctx, p.t)
	}
	return p.t.Abort(ctx)
}

type lyingConsumer struct {
	drivers.Consumer
	drivers.Rebalancing
	drivers.Storing
	liar *liar
}

func (c *lyingConsumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.Consumer.Poll(ctx)
	if c.liar.polled != nil {
		records = c.liar.polled(records)
	}
	return records, err
}
