// Package volume has a client write millions of records and audits every one of them.
//
//	client's own process ── proxy, trace of batch headers ── broker ── read back, audit
//
// The records come in pieces, a topic each, which is removed once it was audited: disk and
// memory are bounded by a piece. Of each record it is checked that what the client said is what
// the log holds: the partition and offset told, key and value, once, in order, and
// that its batch came through the proxy. What a piece cannot show is why: the trace has no
// identities of records, so a duplicate would have no cause. Nobody consumes: that is a
// matter of scenarios. Offsets are compared where the client's program told them: where records of
// several partitions come in turn, its reports in bulk leave them out (clients/PROTOCOL.md).
package volume

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/audit"
	"kcompare/internal/broker"
	"kcompare/internal/cost"
	"kcompare/internal/evidence"
	"kcompare/internal/proxy"
)

// Options is whose records, how many, and where.
type Options struct {
	Program    drivers.Program
	Cluster    broker.Cluster
	Config     map[string]string // what the library has no way to express is left out
	Records    int64
	Piece      int64 // records of a topic
	ValueBytes int
	Topics     string // begins their names
	Patience   time.Duration
	Now        func() time.Time
}

// Result is what came of all pieces.
type Result struct {
	Library   string
	Pieces    int64
	Audited   int64  // of those that were to be written, all of a piece or none
	Records   int64  // found in the log
	Placed    int64  // of which the client told partition and offset; of the others it said no more than "written"
	Anomalies int64  // of any kind: what the library did
	First     string // of them
	Unsure    string // why a piece does not count as audited
	Runs      int64  // in which the client spoke of them
	Writing   time.Duration
	Auditing  time.Duration // reading back included
	ClientCPU time.Duration
	OwnCPU    time.Duration // of this process: pipes, proxy, read-back, audit
	AuditCPU  time.Duration // of it, read-back and audit
	Peak      int64         // bytes of this process
	PeakThere int64         // bytes of the client's
}

// Run plays all pieces in one process of the client. The first failure ends it.
func Run(ctx context.Context, o Options, own int) (Result, error) {
	running, err := o.Program.Start(ctx)
	if err != nil {
		return Result{}, err
	}
	defer running.Close()
	reader, err := broker.NewReader(o.Cluster.Addrs(), o.Cluster.Access())
	if err != nil {
		return Result{}, err
	}
	defer reader.Close()
	if err := cost.ForgetPeak(own); err != nil {
		return Result{}, err
	}
	r := Result{Library: running.Library().String()}
	for r.Pieces*o.Piece < o.Records {
		p := piece{Options: o, running: running, reader: reader, own: own, count: min(o.Piece, o.Records-r.Pieces*o.Piece)}
		if err := p.play(ctx, &r); err != nil {
			return r, fmt.Errorf("%s, piece %d: %w", o.Program.Client(), r.Pieces+1, err)
		}
		r.Pieces++
	}
	peak, err := cost.PeakMemory(own)
	there, errThere := cost.PeakMemory(running.Process())
	r.Peak, r.PeakThere = peak, there
	return r, errors.Join(err, errThere)
}

// piece is one topic.
type piece struct {
	Options
	running drivers.Running
	reader  *broker.Reader
	own     int // id of this process
	count   int64
	topic   string
}

func (p *piece) play(ctx context.Context, r *Result) error {
	ctx, cancel := context.WithTimeout(ctx, p.Patience)
	defer cancel()
	p.topic = fmt.Sprintf("%s-%s-%d", p.Topics, p.Program.Client(), r.Pieces+1)
	if _, err := p.reader.CreateTopics(ctx, []broker.Topic{{Name: p.topic, Partitions: partitions}}); err != nil {
		return err
	}
	seen, err := p.write(ctx, r)
	if err == nil {
		err = p.audit(ctx, seen, r)
	}
	if ctx.Err() != nil { // the topic goes in any case
		ctx = context.WithoutCancel(ctx)
	}
	return errors.Join(err, p.reader.DeleteTopics(ctx, []string{p.topic}))
}

const partitions = 3

// write lets the client write, and is what it said and what the proxy saw.
func (p *piece) write(ctx context.Context, r *Result) (*evidence.Observed, error) {
	start := p.Now()
	relay, err := proxy.Start(proxy.Options{
		Upstreams: p.Cluster.Addrs(), Clock: func() time.Duration { return p.Now().Sub(start) }, Keep: int(p.count), HeadersOnly: true,
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = relay.Close() }()
	before, err := p.spent()
	if err != nil {
		return nil, err
	}
	told, elapsed, err := p.produce(ctx, relay.Bootstrap())
	if err != nil {
		return nil, err
	}
	after, err := p.spent()
	if err != nil {
		return nil, err
	}
	if err := relay.Close(); err != nil {
		return nil, err
	}
	r.Writing += elapsed
	r.ClientCPU, r.OwnCPU = r.ClientCPU+after.client-before.client, r.OwnCPU+after.own-before.own
	saw := relay.Observed()
	seen := &evidence.Observed{Intended: p.count, Runs: told.runs(), Trace: saw.Trace}
	seen.Trial.Conditions = evidence.Conditions{
		Finished: true, ReadBack: evidence.ReadBackComplete, Exchanges: int64(len(saw.Trace.Exchanges)) + saw.Trace.Cut, Problems: saw.Problems,
	}
	return seen, nil
}

func (p *piece) produce(ctx context.Context, servers string) (*told, time.Duration, error) {
	config, err := expressible(p.running, p.Config, servers)
	if err != nil {
		return nil, 0, err
	}
	producer, err := p.running.NewProducer(drivers.Settings{Config: config})
	if err != nil {
		return nil, 0, err
	}
	many, is := producer.(drivers.BulkProducer)
	if !is {
		return nil, 0, errors.Join(errors.New("its producer does no bulks"), producer.Close())
	}
	t := &told{topic: p.topic}
	made, err := many.ProduceMany(ctx, drivers.Bulk{
		Topic: p.topic, Partition: drivers.AnyPartition, Count: p.count, ValueBytes: p.ValueBytes,
	}, t.report)
	return t, made.Elapsed, errors.Join(err, producer.Close())
}

// audit reads the log as it stands and compares.
func (p *piece) audit(ctx context.Context, seen *evidence.Observed, r *Result) error {
	start := p.Now()
	before, err := p.spent()
	if err != nil {
		return err
	}
	a := audit.New(seen)
	for id := range int32(partitions) {
		a.Partition(p.topic, id, 0)
		log := newLog(a, p.ValueBytes)
		end, err := p.reader.VisitPartition(ctx, broker.TopicPartition{Topic: p.topic, Partition: id}, 0, log)
		if err != nil {
			return err
		}
		log.flush()
		a.End(end)
	}
	trial := a.Trial()
	after, err := p.spent()
	if err != nil {
		return err
	}
	r.Auditing += p.Now().Sub(start)
	r.OwnCPU, r.AuditCPU = r.OwnCPU+after.own-before.own, r.AuditCPU+after.own-before.own
	r.take(trial, seen.Runs)
	return nil
}

// take adds up what an audit found.
func (r *Result) take(t evidence.Trial, runs []evidence.Run) {
	r.Records += t.Counts[evidence.LogRecords]
	r.Runs += int64(len(runs))
	for _, run := range runs {
		if run.Offset != evidence.NoOffset {
			r.Placed += int64(run.Count)
		}
	}
	for _, a := range t.Anomalies {
		r.Anomalies += a.Count
		r.note(a.String())
	}
	if missing := t.Counts[evidence.Intended] - t.Counts[evidence.Acked]; missing > 0 {
		r.Anomalies += missing
		r.note(fmt.Sprintf("not acknowledged: %d", missing))
	}
	if why := unsure(t.Conditions); why != "" {
		r.Unsure = why
		return
	}
	r.Audited += t.Counts[evidence.Intended]
}

// unsure is why an audit proves nothing.
func unsure(c evidence.Conditions) string {
	why := append([]string{}, c.Problems...)
	if c.Leaks > 0 {
		why = append(why, "not through the proxy: "+c.FirstLeak)
	}
	if c.Unchecked != "" {
		why = append(why, c.Unchecked)
	}
	return strings.Join(why, "; ")
}

func (r *Result) note(what string) {
	if r.First == "" {
		r.First = what
	}
}

// spent is what the processes have used so far.
type spent struct{ client, own time.Duration }

func (p *piece) spent() (s spent, err error) {
	if s.client, err = cost.CPU(p.running.Process()); err != nil {
		return s, err
	}
	s.own, err = cost.CPU(p.own)
	return s, err
}

// expressible is the settings without those that the library has no way to express.
func expressible(d drivers.Driver, config map[string]string, servers string) (map[string]string, error) {
	given := map[string]string{"bootstrap.servers": servers}
	for key, value := range config {
		_, err := d.Differences(drivers.RoleProducer, drivers.Settings{Config: map[string]string{"bootstrap.servers": servers, key: value}})
		var cannot *drivers.UnsupportedError
		switch {
		case err == nil:
			given[key] = value
		case !errors.As(err, &cannot):
			return nil, err
		}
	}
	return given, nil
}
