package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// One turn: topics, the client made ready, the clock, the read-back.

// turnTime bounds a turn; recordTime is added for each record. The slowest client that
// makes sense, one record in flight over a slow network, is well within.
const (
	turnTime   = 2 * time.Minute
	recordTime = 20 * time.Millisecond
)

// closing bounds what is done after a turn, interrupted what is done when the run ends
// early: Ctrl-C is obeyed within two seconds.
const (
	closing     = 20 * time.Second
	interrupted = time.Second
)

// turn plays one turn. What goes wrong makes it void; the error is that of ctx.
func (r *run) turn(ctx context.Context, c *contestant, round, turn int) (evidence.BenchRound, error) {
	played := evidence.BenchRound{Contestant: c.Name, Round: round, Turn: turn}
	limited, cancel := context.WithTimeoutCause(ctx, turnTime+time.Duration(c.load.Records)*recordTime, errors.New("the turn took too long"))
	defer cancel()
	void, err := r.playTurn(limited, c, &played)
	if ctx.Err() != nil {
		return played, context.Cause(ctx)
	}
	if err != nil {
		void = append([]string{err.Error()}, void...)
	}
	played.Void = strings.Join(void, "; ")
	return played, nil
}

// playTurn fills played in. The words say why the round is void beside the error.
func (r *run) playTurn(ctx context.Context, c *contestant, played *evidence.BenchRound) (void []string, err error) {
	now, err := r.stand(c.config)
	if err != nil {
		return nil, err
	}
	was := c.between
	c.between = now
	t, s, clean, err := r.prepare(ctx, c)
	defer func() { err = errors.Join(err, clean()) }()
	if err != nil {
		return nil, errors.Join(err, was.close())
	}
	err = c.player.Ready(ctx, s)
	if err = errors.Join(err, was.close()); err != nil {
		return nil, fmt.Errorf("make it ready: %w", err)
	}
	before, err := r.before(ctx, c, s)
	if err != nil {
		return nil, err
	}
	m := r.begin(c)
	told, err := c.player.Play(ctx, t)
	took := r.end(c, m, told, played)
	if err != nil {
		void = append(void, err.Error())
	}
	if told.Elapsed > took {
		void = append(void, fmt.Sprintf("it tells of %v, and the whole turn took %v", told.Elapsed, took))
	}
	if ctx.Err() != nil {
		return void, context.Cause(ctx)
	}
	more, err := r.note(ctx, c, t, told, before, played)
	return append(void, more...), errors.Join(err, c.between.trouble())
}

// prepare makes topics for a turn, and the function that removes them.
func (r *run) prepare(ctx context.Context, c *contestant) (Turn, Stage, func() error, error) {
	t := Turn{Load: c.load, Now: r.Now}
	s := Stage{
		Work: r.Work, Servers: c.between.servers, Config: c.between.config, Load: c.load,
		Group: r.name("group"), ID: r.name("id"),
	}
	nothing := func() error { return nil }
	if r.Work == evidence.BenchConsume || r.Work == evidence.BenchRPW {
		in, err := r.input(ctx, c.load)
		if err != nil {
			return t, s, nothing, err
		}
		t.Topic, s.Warm = in.topic, in.topic
	}
	if r.Work == evidence.BenchConsume {
		return t, s, nothing, nil
	}
	s.Warm = r.name("turn")
	if r.Work == evidence.BenchRPW {
		t.Out = s.Warm
	} else {
		t.Topic = s.Warm
	}
	clean := func() error { return r.clean(ctx, s) }
	return t, s, clean, r.createTopics(ctx, c.load.Partitions, s.Warm)
}

// clean removes what a turn made, also when ctx has ended.
func (r *run) clean(ctx context.Context, s Stage) error {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	err := r.reader.DeleteTopics(ctx, []string{s.Warm})
	if s.Work == evidence.BenchRPW {
		err = errors.Join(err, r.reader.DeleteGroups(ctx, []string{s.Group}))
	}
	return err
}

// afterwards is the context in which things are removed.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := closing
	if ctx.Err() != nil {
		limit = interrupted
	}
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// before is where the topic of a turn ends before the turn.
func (r *run) before(ctx context.Context, c *contestant, s Stage) (map[broker.TopicPartition]int64, error) {
	if r.Work == evidence.BenchConsume {
		return nil, nil
	}
	topics := []string{s.Warm}
	if c.config["acks"] == "0" { // then a client is ready before its records are written
		if err := r.awaitWarm(ctx, c, s); err != nil {
			return nil, err
		}
	}
	if err := r.reader.AwaitDecided(ctx, topics); err != nil {
		return nil, err
	}
	return r.reader.EndOffsets(ctx, topics)
}

// awaitWarm waits until there is a record in each partition, for a while: a tool may
// have written none.
func (r *run) awaitWarm(ctx context.Context, c *contestant, s Stage) error {
	warm := map[broker.TopicPartition]int64{}
	for p := range c.load.Partitions {
		warm[broker.TopicPartition{Topic: s.Warm, Partition: p}] = 1
	}
	limited, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	if err := r.reader.AwaitEnds(limited, warm); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

// note reads back, and writes down what was delivered.
func (r *run) note(ctx context.Context, c *contestant, t Turn, told Played, before map[broker.TopicPartition]int64, played *evidence.BenchRound) ([]string, error) {
	void, err := tellTimes(r.Work, c.load, told, played)
	if err != nil {
		return void, err
	}
	if r.Work == evidence.BenchConsume {
		in, err := r.input(ctx, c.load)
		if err != nil {
			return void, err
		}
		got := in.readsOf(told.Runs)
		played.Records, played.Bytes, played.Batches = c.load.Records-got.lost, in.bytes, in.batches
		played.Lost, played.Duplicates = got.lost, got.duplicates
		return append(void, got.void(c.load.Records)...), nil
	}
	topic := t.Topic
	if t.Out != "" {
		topic = t.Out
	}
	d := newDelivered(c.load, c.about.Counted)
	if err := readBack(ctx, r.reader, topic, before, d, c.settles()); err != nil {
		return void, err
	}
	played.Records, played.Bytes, played.Batches = d.records, d.bytes, d.batches
	played.Lost, played.Duplicates = d.lost(), d.duplicates
	void = append(void, d.void()...)
	if r.Work == evidence.BenchTransactions || r.Work == evidence.BenchRPW {
		void = append(void, d.transactions(told.Transactions)...)
	}
	return void, nil
}

// settles is how long the log may still grow after a turn.
func (c *contestant) settles() time.Duration {
	if acks := c.config["acks"]; acks == "0" || acks == "1" {
		return settling
	}
	return 0
}

// tellTimes writes down what only the player can tell.
func tellTimes(w evidence.BenchWork, load evidence.BenchLoad, told Played, played *evidence.BenchRound) (void []string, err error) {
	played.ElapsedUS = told.Elapsed.Microseconds()
	played.Timed, played.Transacted = told.Timed, told.Transactions
	if told.Allocated != nil {
		played.Allocated = &evidence.BenchAllocated{Objects: told.Allocated.Objects, Bytes: told.Allocated.Bytes}
	}
	if played.Latency, err = latenciesOf(told.Latencies); err != nil {
		return nil, err
	}
	if told.Told != nil {
		played.Latency = told.Told
	}
	if played.ElapsedUS <= 0 {
		void = append(void, "it tells no time")
	}
	if w == evidence.BenchLatency && told.Told == nil {
		if known := countOf(played.Latency); known != load.Records {
			void = append(void, fmt.Sprintf("%d of %d records have no latency", load.Records-known, load.Records))
		}
	}
	return void, nil
}

func countOf(l *evidence.BenchLatencies) int64 {
	if l == nil {
		return 0
	}
	return l.Count
}
