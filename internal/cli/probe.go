package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/probe"
	"kcompare/internal/source"
)

type probeOptions struct {
	state   *State
	command []string

	ownBroker
	topics     []string
	autoCreate bool
	faults     []string
	faultPlan  string
	seed       int64
	as         string
	timeout    time.Duration
	trace      string
	out        output
}

func newProbe(s *State) *cobra.Command {
	opts := &probeOptions{state: s}
	cmd := &cobra.Command{
		Use:   "probe [flags] -- COMMAND...",
		Short: "Run any program against a recorded broker and say what it does on the wire",
		Long: `probe starts a broker and a recording proxy in front of it, runs a program, and
prints a fingerprint of each Kafka client in it: which library and version, every
setting that requests show by its canonical name, batches, transactions, and what
was sent again. Any language will do; nothing in the program has to be changed.

The program gets the address in the environment (BOOTSTRAP_SERVERS and
KAFKA_BOOTSTRAP_SERVERS) and for each {} in its arguments. What it prints goes to
stderr; it has no stdin. Topics that it asks for are made.

Settings are exact where a request carries them; "at least" is the most that was
seen of a limit, "about" was measured. What no request shows, as linger.ms, is not
there. The default is that of this version of the library, where kcompare knows it.

--fault does something to the program's requests, and shows what it makes of it:

` + faultList() + `
Exit code: 0; 1 if the broker or the command could not be started; 3 if a setting is
not as --as=FILE has it; 4 if no client was seen, the command failed or was not
finished in time, a client went past the proxy, or a fault did not happen; 130 after
Ctrl-C, which ends the command. What was seen is printed in each case but 1.`,
		Example: `  kcompare probe -- go run ./examples/producer {}
  kcompare probe --fault=lost-ack -- .venv/bin/python examples/producer.py {}
  kcompare probe --as=client.properties -- java -jar app.jar --brokers={}`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("probe: expected a command to run, such as: kcompare probe -- ./app {}")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.command = args
			return runProbe(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // flags behind the command are its own
	f.StringVar(&opts.broker, "broker", brokerEmbedded, "embedded, or kafka: an Apache Kafka (needs Java and Maven)")
	opts.flags(f)
	f.StringArrayVar(&opts.topics, "topic", nil, "make this topic before the program starts: `NAME[:PARTITIONS]` (repeatable)")
	f.BoolVar(&opts.autoCreate, "auto-create-topics", true, "make a topic that a client asks for, with one partition")
	f.StringSliceVar(&opts.faults, "fault", nil, "what happens to requests (repeatable), see above")
	f.StringVar(&opts.faultPlan, "fault-plan", "", "fault plan, a YAML `file` as kcompare proxy --plan takes it")
	f.Int64Var(&opts.seed, "seed", 1, "decides where faults strike that leave it to chance")
	f.StringVar(&opts.as, "as", "", "compare with the settings in this `file`")
	f.DurationVar(&opts.timeout, "timeout", time.Minute, "end the program after so long")
	f.StringVar(&opts.trace, "trace", "", "write each request into this `file`, as JSON lines")
	f.StringVar(&opts.out.format, "format", formatText, "text, markdown or json")
	f.StringVarP(&opts.out.file, "output", "o", "", "write to this `file` instead of stdout")
	return cmd
}

// faultList is the help on --fault.
func faultList() string {
	var b strings.Builder
	for _, f := range probe.Faults() {
		fmt.Fprintf(&b, "  %-19s %s\n", f.Name, f.Does)
	}
	return b.String()
}

func runProbe(ctx context.Context, opts *probeOptions) error {
	if err := opts.check(); err != nil {
		return err
	}
	todo := probe.Options{
		MakeTopics: opts.autoCreate, Seed: opts.seed, Command: opts.command, Env: os.Environ(), Timeout: opts.timeout,
		Output: opts.state.Stderr, Now: opts.state.Now,
	}
	var err error
	if todo.Topics, err = readTopics(opts.topics); err != nil {
		return err
	}
	if todo.Plan, err = opts.readFaults(); err != nil {
		return err
	}
	todo.Roles, todo.TransactionalIDs = rolesOf(todo.Plan), idsOf(todo.Plan)
	expected, err := opts.readExpected(ctx)
	if err != nil {
		return err
	}
	if todo.Cluster, err = opts.startCluster(ctx); err != nil {
		return err
	}
	result, err := probe.Run(ctx, todo)
	if err != nil {
		_ = todo.Cluster.Close() // the first error is what matters
		return err
	}
	doc := probe.NewDocument(todo, result)
	doc.Kcompare = Version
	doc.Compared = probe.Compare(expected, result.Fingerprints)
	if err := todo.Cluster.Close(); err != nil {
		return fmt.Errorf("stop the broker: %w", err)
	}
	if err := opts.writeTrace(result); err != nil {
		return err
	}
	if err := opts.out.writeTables(opts.state, doc, probeTables(doc)...); err != nil {
		return err
	}
	return finish(probeCode(doc))
}

func (o *probeOptions) check() error {
	if err := oneOf("broker", o.broker, brokerEmbedded, brokerKafka); err != nil {
		return err
	}
	if err := o.ownBroker.check(); err != nil {
		return err
	}
	if o.timeout <= 0 {
		return usagef("--timeout=%s: expected more than 0s", o.timeout)
	}
	// Before a broker starts; what cannot be found is neither started nor seen.
	if _, err := exec.LookPath(o.command[0]); err != nil {
		return fmt.Errorf("start the command: %w", err)
	}
	return o.out.check()
}

// readExpected reads --as.
func (o *probeOptions) readExpected(ctx context.Context) ([]source.File, error) {
	if o.as == "" {
		return nil, nil
	}
	files, err := source.Read(ctx, source.Options{}, o.as)
	if err != nil {
		return nil, usagef("--as: %w", err)
	}
	settings := 0
	for _, f := range files {
		if f.Unread != "" {
			return nil, usagef("--as=%s: %s", f.Path, f.Unread)
		}
		for _, b := range f.Blocks {
			settings += len(b.Entries)
		}
	}
	if settings == 0 {
		return nil, usagef("--as=%s: no settings of a Kafka client in it", o.as)
	}
	return files, nil
}

func (o *probeOptions) startCluster(ctx context.Context) (broker.Cluster, error) {
	if o.broker == brokerKafka {
		how := o.kafka(o.state)
		how.Settings = map[string]string{"auto.create.topics.enable": fmt.Sprint(o.autoCreate)}
		return broker.StartKafka(ctx, how)
	}
	var how []broker.EmbeddedOption
	if o.autoCreate {
		how = broker.AutoCreateTopics()
	}
	return broker.StartEmbedded(o.nodes, how...)
}

func (o *probeOptions) writeTrace(r probe.Result) error {
	if o.trace == "" {
		return nil
	}
	file, err := os.Create(o.trace)
	if err != nil {
		return usagef("--trace: %w", err)
	}
	if err := evidence.EncodeTrace(file, r.Observed.Trace); err != nil {
		_ = file.Close() // the first error is what matters
		return fmt.Errorf("--trace=%s: %w", o.trace, err)
	}
	return file.Close()
}

// probeCode is the exit code. What the user ended goes before what was found.
func probeCode(d probe.Document) int {
	switch {
	case d.Program.Ended == probe.Interrupted:
		return exitInterrupted
	case d.Differs():
		return exitWrong
	case len(d.Clients) == 0 || d.Program.Ended != probe.Exited || d.Program.ExitCode != 0 || len(d.Problems) > 0 || d.Faultless():
		return exitUnproven
	}
	return exitOK
}
