package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/cost"
	"kcompare/internal/evidence"
)

// Run proves, plays and judges. When ctx ends it returns what was played by then, without
// a judgement's claim to be whole: Unfinished says how many rounds are missing, and that
// is no error. The error is that of options that make no sense (a *drivers.ConfigError
// for settings), of a broker that does not answer, or that nobody can play.
//
// Whoever calls it fills in what a command knows: Kcompare, Again, Inputs.
func Run(ctx context.Context, o Options) (evidence.Bench, error) {
	return runWith(ctx, o, prove)
}

// proving is what prove does.
type proving func(context.Context, Options, Contestant, Player) (evidence.BenchSeen, error)

func runWith(ctx context.Context, o Options, prove proving) (evidence.Bench, error) {
	if err := o.check(); err != nil {
		return evidence.Bench{}, err
	}
	reader, err := broker.NewReader(o.Cluster.Addrs(), o.Cluster.Access())
	if err != nil {
		return evidence.Bench{}, err
	}
	defer reader.Close()
	r := &run{Options: o, prove: prove, reader: reader, inputs: map[inputLoad]input{}, began: o.Now(), bench: o.blank()}
	return r.play(ctx)
}

// blank is the evidence of a run in which nothing was played yet.
func (o Options) blank() evidence.Bench {
	return evidence.Bench{
		Command: "bench", Schema: evidence.BenchSchema, Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Machine: cost.ThisMachine(), Broker: o.Cluster.Info(), Work: o.Work, Compare: o.Compare,
		Faults: o.Faults.Given, Config: o.common(), Load: o.Load,
		Contestants: make([]evidence.BenchContestant, len(o.Contestants)), Rounds: []evidence.BenchRound{},
	}
}

// run is one Run.
type run struct {
	Options
	prove   proving
	reader  *broker.Reader
	inputs  map[inputLoad]input
	names   int // given so far
	began   time.Time
	bench   evidence.Bench
	players []*contestant
}

// contestant is one that plays.
type contestant struct {
	Contestant
	load    evidence.BenchLoad
	config  map[string]string // all that it is given, without what it cannot express
	player  Player
	about   About
	between *between // of its last turn
	told    *evidence.BenchContestant
}

// play is a run from the first process to the last.
func (r *run) play(ctx context.Context) (evidence.Bench, error) {
	defer func() {
		for _, c := range r.players {
			c.player.Close()
			_ = c.between.close() // its last turn has said what was wrong
		}
	}()
	err := r.open(ctx)
	if err == nil {
		err = r.proveAll(ctx)
	}
	if err == nil {
		err = r.rounds(ctx)
	}
	err = errors.Join(unlessEnded(ctx, err), r.removeInputs(ctx))
	r.bench.Unfinished = len(r.players)*(r.Load.WarmUp+r.Load.Rounds) - len(r.bench.Rounds)
	r.bench.ElapsedMS = r.Now().Sub(r.began).Milliseconds()
	r.bench.Judgement = Judge(r.bench)
	return r.bench, err
}

// unlessEnded is nil for what only says that ctx has ended.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// open opens the players, and leaves out who cannot play.
func (r *run) open(ctx context.Context) error {
	for i, c := range r.Contestants {
		told := &r.bench.Contestants[i]
		*told = evidence.BenchContestant{Name: c.Name, Client: c.Client, Value: c.Value, Load: c.Load, Config: maps.Clone(r.own(c))}
		one := &contestant{Contestant: c, load: r.loadOf(c), config: r.configOf(c), told: told}
		why, err := r.enter(ctx, one)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		told.LeftOut = why
	}
	if len(r.players) == 0 {
		return fmt.Errorf("nobody can play %s: %s", r.Work, r.leftOut())
	}
	return nil
}

// enter opens one player. Why says that it cannot play; the error is for everyone.
func (r *run) enter(ctx context.Context, c *contestant) (why string, err error) {
	player, err := c.Open(ctx)
	if err != nil {
		return err.Error(), context.Cause(ctx)
	}
	c.player, c.about = player, player.About()
	c.told.Library, c.told.Language = c.about.Library.String(), c.about.Language
	why = lacks(r.Work, c.about.Can)
	if why == "" {
		why, err = r.express(c)
	}
	if why != "" || err != nil {
		player.Close()
		return why, err
	}
	r.players = append(r.players, c)
	return "", nil
}

func (r *run) leftOut() string {
	var all []string
	for _, c := range r.bench.Contestants {
		all = append(all, c.Name+": "+c.LeftOut)
	}
	return strings.Join(all, "; ")
}

// proveAll asks what each contestant does with its settings. One for whom that fails
// plays all the same: its figures are of interest, only no ranking is.
func (r *run) proveAll(ctx context.Context) error {
	for _, c := range r.players {
		r.tell(Progress{Contestant: c.Name, Proving: true})
		o, one := r.Options, c.Contestant
		o.Config, one.Config = c.config, nil
		seen, err := r.prove(ctx, o, one, c.player)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			c.told.Unproven = err.Error()
		} else {
			c.told.Seen = &seen
		}
		if pid := c.player.Process(); pid != 0 {
			_ = cost.ForgetPeak(pid) // where that cannot be, the peak is that of all it ever did
		}
	}
	return nil
}

// rounds plays all of them, in an order that turns around.
func (r *run) rounds(ctx context.Context) error {
	order := slices.Clone(r.players)
	of := len(order) * (r.Load.WarmUp + r.Load.Rounds)
	for round := 1 - r.Load.WarmUp; round <= r.Load.Rounds; round++ {
		for i, c := range order {
			r.tell(Progress{Contestant: c.Name, Turn: len(r.bench.Rounds) + 1, Of: of})
			played, err := r.turn(ctx, c, round, i+1)
			if err != nil {
				return err
			}
			r.bench.Rounds = append(r.bench.Rounds, played)
		}
		slices.Reverse(order)
	}
	return nil
}

func (r *run) tell(p Progress) {
	if r.Progress != nil {
		r.Progress(p)
	}
}

// name is one that nobody had before.
func (r *run) name(what string) string {
	r.names++
	return r.Topics + what + "-" + strconv.Itoa(r.names)
}

func (r *run) createTopics(ctx context.Context, partitions int32, names ...string) error {
	var topics []broker.Topic
	for _, name := range names {
		topics = append(topics, broker.Topic{Name: name, Partitions: partitions})
	}
	_, err := r.reader.CreateTopics(ctx, topics)
	return err
}

// removeInputs removes what was there to be read.
func (r *run) removeInputs(ctx context.Context) error {
	var topics []string
	for _, in := range r.inputs {
		topics = append(topics, in.topic)
	}
	ctx, cancel := afterwards(ctx)
	defer cancel()
	return r.reader.DeleteTopics(ctx, topics)
}
