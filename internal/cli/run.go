package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
)

type runOptions struct {
	state     *State
	scenarios []string
	again     string            // the command line that repeats this run
	overrides map[string]string // -X, read
	info      evidence.Broker   // what the trials run against

	clients []string
	ownBroker
	settings []string
	siteOptions
	shrinkOptions
	variants     []string
	parameters   scenario.Parameters
	seed         int64
	repeat       int
	trialTimeout time.Duration
	evidenceDir  string
	watch        watcher
	output       output
	wires        wires // what an HTML report draws
	progress     string
}

func newRun(s *State) *cobra.Command {
	opts := &runOptions{state: s, parameters: scenario.DefaultParameters()}
	cmd := &cobra.Command{
		Use:   "run [SCENARIO...|core|all]",
		Short: "Run scenarios on every available client and compare",
		Long: `run tells scenarios (those of core, if none is named) through every available
client library, and prints what each promised and what really happened. The report
goes to stdout, everything else to stderr.

Exit codes: 0 everything held; 1 kcompare itself failed; 2 usage; 3 a promise or a
control is violated; 4 nothing is violated, but something is inconclusive or
unstable; 130 interrupted, what was finished is printed.`,
		Example: `  kcompare run
  kcompare run idempotent --client=franz --drop-rate=0.6 --seed=7
  kcompare run --variant=sends=concurrent -X linger.ms=5 --repeat=5
  kcompare run --format=json -o run.json --evidence=evidence`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.scenarios, opts.again = args, commandLine(cmd, args)
			opts.remember(cmd)
			return runRun(cmd.Context(), opts)
		},
	}
	f, p := cmd.Flags(), &opts.parameters
	f.StringArrayVar(&opts.clients, "client", []string{"all"}, "client `libraries` to compare, separated by commas")
	f.StringVar(&opts.broker, "broker", brokerEmbedded, "embedded; kafka: an Apache Kafka that is started for the run (needs Java and Maven); or HOST:PORT,... of a cluster of your own")
	opts.siteOptions.flags(f)
	opts.ownBroker.flags(f)
	opts.shrinkFlags(f)
	f.StringArrayVarP(&opts.settings, "set", "X", nil, "set `key=value` on every client (repeatable, librdkafka's key names)")
	f.StringArrayVar(&opts.variants, "variant", nil, "only variants that contain all of these `key=value,...` pairs (repeat it for others)")
	f.IntVar(&p.Messages, "messages", p.Messages, "size of a story; each says how many records it makes of it")
	f.Float64Var(&p.DropRate, "drop-rate", p.DropRate, "chance of a fault at each attempt, 0 to 1")
	f.DurationVar(&p.DeliveryTimeout, "delivery-timeout", p.DeliveryTimeout, "delivery.timeout.ms of every client")
	f.Int32Var(&p.Partitions, "partitions", 0, "partitions of every topic (0, the default: as each story has them)")
	f.IntVar(&p.Retries, "retries", p.Retries, "retries of every client")
	f.IntVar(&p.Warmup, "warmup", p.Warmup, "answers that each connection lets pass before faults strike (delivery-timeout, warmup=connection)")
	f.Int64Var(&opts.seed, "seed", 1, "decides where faults strike; the same seed strikes at the same points")
	f.IntVar(&opts.repeat, "repeat", 1, "play every trial so many times")
	f.DurationVar(&opts.trialTimeout, "trial-timeout", 0, "give a trial up after this time (0, the default: 2 x delivery-timeout + 30s)")
	f.StringVar(&opts.evidenceDir, "evidence", "", "write evidence, trace and log of each trial into this `directory`")
	f.StringVar(&opts.output.format, "format", formatText, "text, markdown, json or html")
	opts.output.langFlag(f)
	f.StringVarP(&opts.output.file, "output", "o", "", "write the report to this `file` instead of stdout")
	f.StringVar(&opts.progress, "progress", progressAuto, "auto, plain or none, on stderr")
	return cmd
}

func runRun(ctx context.Context, opts *runOptions) error {
	specs, err := opts.specs(ctx)
	if err != nil {
		return err
	}
	if opts.dryRun {
		return opts.printDryRun(specs)
	}
	if err := opts.prepareOutput(); err != nil {
		return err
	}
	begin := opts.state.Now()
	stop, err := opts.startBroker(ctx, specs)
	if err != nil {
		return err
	}
	var trials []evidence.Trial
	err = opts.onStage(ctx, specs, stop, func() (err error) {
		trials, err = playAll(ctx, opts, specs)
		verdict.MarkUnstable(trials)
		if err == nil {
			err = opts.shrinkAll(ctx, specs, trials)
		}
		return err
	})
	opts.reportRemains()
	if len(trials) == 0 && err != nil && ctx.Err() == nil {
		return err // nothing was finished, there is nothing to print
	}
	doc := opts.document(trials)
	doc.ElapsedMS = opts.state.Now().Sub(begin).Milliseconds()
	doc.Unfinished = len(specs) - len(trials)
	if err := opts.output.write(opts.state, doc, opts.wires.all); err != nil {
		return err
	}
	switch {
	case err != nil && !errors.Is(err, context.Cause(ctx)):
		return err
	case doc.Unfinished > 0:
		return fmt.Errorf("interrupted: %d of %d trials were finished", len(trials), len(specs))
	}
	return finish(verdict.Exit(doc))
}

// onStage lets act play the trials on the broker that stop ends, and sees to it that nobody
// else was there.
func (o *runOptions) onStage(ctx context.Context, specs []trial.Spec, stop, act func() error) error {
	starter := o.shareContestants(specs)
	err := act()
	starter.Close()
	if err == nil {
		err = o.checkStrangers(ctx)
	}
	return errors.Join(err, stop())
}

func (o *runOptions) document(trials []evidence.Trial) evidence.Document {
	return evidence.Document{
		Command: "run", Schema: evidence.Schema, Kcompare: Version, Seed: o.seed,
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Broker:   o.info,
		Parameters: map[string]string{
			"messages":         fmt.Sprint(o.parameters.Messages),
			"drop-rate":        fmt.Sprint(o.parameters.DropRate),
			"delivery-timeout": o.parameters.DeliveryTimeout.String(),
			"warmup":           fmt.Sprint(o.parameters.Warmup),
			"retries":          fmt.Sprint(o.parameters.Retries),
			"trial-timeout":    o.timeout().String(),
			"repeat":           fmt.Sprint(o.repeat),
			"partitions":       fmt.Sprint(o.parameters.Partitions),
			"settings":         settingsText(config.Masked(o.overrides)),
		},
		Again:  o.again,
		Trials: trials,
	}
}

// settingsText is "linger.ms=5 retries=3".
func settingsText(set map[string]string) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(set)) {
		pairs = append(pairs, key+"="+quoted(set[key]))
	}
	return strings.Join(pairs, " ")
}

// timeout is long enough for a client that retries one record until its
// delivery timeout, twice.
func (o *runOptions) timeout() time.Duration {
	if o.trialTimeout > 0 {
		return o.trialTimeout
	}
	return 2*o.parameters.DeliveryTimeout + 30*time.Second
}
