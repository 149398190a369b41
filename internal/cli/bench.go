package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kcompare/internal/bench"
	"kcompare/internal/evidence"
)

type benchOptions struct {
	state *State
	work  evidence.BenchWork
	again string // the command line that repeats this bench

	clients []string
	ownBroker
	benchCluster
	settings []string
	compare  string
	faults   []string
	beside   []string
	load     evidence.BenchLoad
	given    func(flag string) bool // by the user

	evidenceDir string
	output      output
	progress    string
}

func newBench(s *State) *cobra.Command { return benchCommand(&benchOptions{state: s}) }

// benchCommand reads its arguments into opts.
func benchCommand(opts *benchOptions) *cobra.Command {
	state := *opts.state
	state.Installed.Sustained = true // a JVM that is measured runs as Java means it to
	opts.state = &state
	cmd := &cobra.Command{
		Use:   "bench [produce|latency|consume|transactions|rpw]",
		Short: "Throughput and latency, side by side, with the same effective settings",
		Long: `bench times client libraries at the same work (produce, if none is named), and calls
one faster only where the wire showed the same effective settings for all of them.

  produce       records a second, as fast as each library takes them
  latency       time from when a record is due until it is reported, at a fixed rate
  consume       records a second of a topic that is there
  transactions  records a second in transactions of so many
  rpw           read-process-write: each record read is written again, in transactions

Every client lives in a process of its own. Each first plays a short run through a
proxy, which is not timed and shows acks, idempotence, compression, record size,
partitions, largest batch, linger and requests in flight. Then come rounds, direct to
the broker, in which every client has one turn, in an order that turns around. What a
turn wrote is read back: a round that lost or doubled a record is void.

Settings that are given to all clients, unless -X says otherwise, stand in the report.
--compare measures what one setting does within one client.

Exit codes: 0 measured; 1 kcompare itself failed; 2 usage; 4 effective settings
differ or could not be proven, so that nothing is called faster, or a round is void;
130 interrupted, what was finished is printed.`,
		Example: `  kcompare bench
  kcompare bench produce --client=franz,librdkafka --broker=kafka
  kcompare bench latency --client=all --rate=2000 --format=markdown -o latency.md
  kcompare bench --compare enable.idempotence=true,false --broker=kafka
  kcompare bench transactions --compare transaction.size=1,100,10000
  kcompare bench --client=java,franz --beside=perf-test --broker=kafka
  kcompare bench --fault=rtt:5ms --format=json -o bench.json; kcompare report bench.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.again = benchCommandLine(cmd, args)
			return runBench(cmd.Context(), opts, args)
		},
	}
	f := cmd.Flags()
	opts.given = f.Changed
	f.StringArrayVar(&opts.clients, "client", []string{benchClients}, "client `libraries` to time, separated by commas; all: those that are built in or installed (default with --compare: franz)")
	f.StringVar(&opts.broker, "broker", brokerEmbedded, "embedded; kafka: an Apache Kafka that is started for the bench (needs Java and Maven); or HOST:PORT,... of a cluster of your own")
	opts.benchCluster.flags(f)
	opts.ownBroker.flags(f)
	f.Lookup("nodes").Usage = "nodes of the broker (0, the default: 1; kafka takes 1 or 3)"
	f.StringArrayVarP(&opts.settings, "set", "X", nil, "set `key=value` on every client (repeatable, librdkafka's key names)")
	f.StringVar(&opts.compare, "compare", "", "time one client once with each value of `KEY=A,B,...`: a setting, or "+strings.Join(evidence.LoadKeys(), ", "))
	f.StringArrayVar(&opts.faults, "fault", nil, "put the proxy between clients and broker while the clock runs, with this `fault`, such as rtt:5ms (repeatable)")
	f.StringSliceVar(&opts.beside, "beside", nil, "Apache Kafka's own `tools` beside the clients, perf-test (produce, latency) and copier (rpw); they need Java and Maven")
	opts.loadFlags(f)
	f.StringVar(&opts.evidenceDir, "evidence", "", "write the evidence into this `directory`, too")
	f.StringVar(&opts.output.format, "format", formatText, "text, markdown, json or svg")
	opts.output.langFlag(f)
	f.StringVarP(&opts.output.file, "output", "o", "", "write the report to this `file` instead of stdout")
	f.StringVar(&opts.progress, "progress", progressAuto, "auto, plain or none, on stderr")
	return cmd
}

// benchClients are the clients of --client where the user names none: those that are always
// there. Each further one makes a bench longer.
const benchClients = "franz,librdkafka"

func runBench(ctx context.Context, opts *benchOptions, args []string) error {
	plan, err := opts.plan(ctx, args)
	if err != nil {
		return err
	}
	if opts.dryRun {
		return opts.printDryRun(plan)
	}
	b, err := opts.measure(ctx, plan)
	if len(b.Rounds) == 0 && (err != nil || ctx.Err() != nil) {
		return errors.Join(err, context.Cause(ctx)) // nothing was finished, there is nothing to print
	}
	b.Kcompare, b.Again = Version, opts.again
	if err := opts.write(b); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted: %s not played", counted(b.Unfinished, "turn"))
	case err != nil:
		return err
	}
	return finish(bench.Exit(b))
}

// measure plays the bench on a broker that it starts and stops.
func (o *benchOptions) measure(ctx context.Context, plan bench.Options) (evidence.Bench, error) {
	stop, err := o.start(ctx, &plan)
	if err != nil {
		return evidence.Bench{}, err
	}
	shown := newBenchProgress(o.state, o.progress)
	plan.Progress = shown.at
	b, err := benchInTime(ctx, plan)
	shown.close()
	return b, errors.Join(err, stop())
}

// benchInTime runs the bench; after an interruption it waits only as long as the contract
// allows, and what was finished is lost if that is not enough.
func benchInTime(ctx context.Context, plan bench.Options) (b evidence.Bench, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		b, err = bench.Run(ctx, plan)
	}()
	if !endsInTime(ctx, done) {
		return evidence.Bench{}, context.Cause(ctx)
	}
	return b, err
}

// plan checks everything that a user can get wrong.
func (o *benchOptions) plan(ctx context.Context, args []string) (bench.Options, error) {
	if err := o.checkFlags(args); err != nil {
		return bench.Options{}, err
	}
	faults, err := bench.ParseFaults(o.faults)
	if err != nil {
		return bench.Options{}, usagef("--fault: %w", err)
	}
	settings, err := overrides(o.settings, notForBench())
	if err != nil {
		return bench.Options{}, err
	}
	plan := bench.Options{
		Work: o.work, Load: o.load, Config: settings, Faults: faults,
		Topics: o.prefix + "bench-" + runName(o.state) + "-", Now: o.state.Now,
	}
	if err := o.output.checkBench(); err != nil {
		return plan, err
	}
	if err := prepareFolder(o.evidenceDir); err != nil {
		return plan, err
	}
	return plan, o.setContestants(ctx, &plan)
}

func (o *benchOptions) checkFlags(args []string) error {
	if err := o.setWork(args); err != nil {
		return err
	}
	if err := o.setLoad(); err != nil {
		return err
	}
	if err := o.checkCluster(); err != nil {
		return err
	}
	return oneOf("progress", o.progress, progressAuto, progressPlain, progressNone)
}

// setWork reads the argument.
func (o *benchOptions) setWork(args []string) error {
	var known []string
	for _, w := range evidence.BenchWorks() {
		known = append(known, string(w))
	}
	switch {
	case len(args) > 1:
		return usagef("bench takes one work, got %s", strings.Join(args, " "))
	case len(args) == 0:
		o.work = evidence.BenchProduce
		return nil
	}
	for _, w := range evidence.BenchWorks() {
		if string(w) == args[0] {
			o.work = w
			return nil
		}
	}
	return unknown("work", args[0], known)
}

// notForBench are settings that bench itself gives each client.
func notForBench() map[string]string {
	return map[string]string{
		"bootstrap.servers":  "use --broker",
		"security.protocol":  "bench does not play on clusters that ask for TLS or a login, see docs/not-covered.md",
		"transactional.id":   "bench names its own",
		"group.id":           "bench names its own",
		"enable.auto.commit": "bench says when offsets are committed",
		"auto.offset.reset":  "bench says where consumers begin",
	}
}

// benchCommandLine is the command that repeats this bench.
func benchCommandLine(cmd *cobra.Command, args []string) string {
	words := append([]string{cmd.CommandPath()}, args...)
	return joinWords(append(words, flagsWithout(cmd, "prefix")...))
}
