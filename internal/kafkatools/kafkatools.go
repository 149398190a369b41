// Package kafkatools plays Apache Kafka's own measuring tools as contestants beside the
// clients: kafka-producer-perf-test and the transactional copier of its system tests. Each
// turn is a Java of its own, so what it costs has the start of Java in it; how its clock
// differs from that of the clients is listed with its settings.
package kafkatools

import (
	"context"
	"fmt"
	"os"

	"kcompare/drivers"
	"kcompare/internal/bench"
	"kcompare/internal/broker"
	"kcompare/internal/child"
)

// Options says which release the tools are of, and with which Java they run.
type Options struct {
	Kafka broker.KafkaOptions // what broker.FindTools looks at
	JVM   []string            // flags of the virtual machine beside those that the reading needs; nil: none
}

// PerfTest is kafka-producer-perf-test, for the works produce and latency. What is missing
// to run it is the error of Open, and says what to install.
func PerfTest(opts Options) bench.Contestant { return contestant(opts, perfTest{}) }

// Copier is TransactionalMessageCopier, for read-process-write. It takes no settings: what
// it does otherwise than asked is what its Differences call inexpressible.
func Copier(opts Options) bench.Contestant { return contestant(opts, copier{}) }

func contestant(opts Options, t tool) bench.Contestant {
	return bench.Contestant{Name: t.name(), Client: t.name(), Open: func(ctx context.Context) (bench.Player, error) {
		return open(ctx, opts, t)
	}}
}

// tool is one program.
type tool interface {
	name() string
	class() string
	about() bench.About // without library and language

	// differences is what it only comes near to of these settings; what it cannot express is
	// a *drivers.UnsupportedError.
	differences(config map[string]string) ([]string, error)

	// otherwise is what it does otherwise than a client, whatever its settings.
	otherwise() []string

	// takes is an error for work that the tool does not do.
	takes(s bench.Stage) error

	// arguments writes what files they name into dir.
	arguments(dir string, s bench.Stage, t bench.Turn) ([]string, error)

	// output reads what is printed.
	output(t bench.Turn) output
}

// output is what a tool prints on stdout. Anything but what is known is an error.
type output interface {
	line(text string) error
	played() (bench.Played, error)
}

// player plays a tool. Files of its turns are in a private directory.
type player struct {
	tool    tool
	tools   broker.Tools
	flags   []string
	env     []string
	dir     string
	starter *child.Starter
	stage   bench.Stage
}

var _ bench.Player = (*player)(nil)

func open(ctx context.Context, opts Options, t tool) (bench.Player, error) {
	tools, err := broker.FindTools(ctx, opts.Kafka)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name(), err)
	}
	dir, err := os.MkdirTemp(opts.Kafka.Dir, "kcompare-tool-")
	if err != nil {
		return nil, fmt.Errorf("%s: make a directory for its settings: %w", t.name(), err)
	}
	return &player{tool: t, tools: tools, flags: opts.JVM, env: opts.Kafka.Env, dir: dir, starter: child.NewStarter()}, nil
}

// About says which release of the tools it is.
func (p *player) About() bench.About {
	about := p.tool.about()
	about.Library = drivers.Library{Name: p.tool.name(), Version: p.tools.Version}
	about.Language = "Java " + p.tools.Build
	return about
}

// Differences lists what the tool does otherwise than a client that was given these
// settings; what is no matter of settings is said once, of its producer.
func (p *player) Differences(role drivers.Role, s drivers.Settings) ([]string, error) {
	differ, err := p.tool.differences(s.Config)
	if err != nil || role == drivers.RoleConsumer {
		return nil, err
	}
	return append(differ, p.tool.otherwise()...), nil
}

// Ready notes the stage: there is nothing that outlives a turn.
func (p *player) Ready(_ context.Context, s bench.Stage) error {
	if err := p.tool.takes(s); err != nil {
		return fmt.Errorf("%s: %w", p.tool.name(), err)
	}
	if _, err := p.tool.differences(s.Config); err != nil {
		return fmt.Errorf("%s: %w", p.tool.name(), err)
	}
	p.stage = s
	return nil
}

// Play runs the tool once.
func (p *player) Play(ctx context.Context, t bench.Turn) (bench.Played, error) {
	played, err := p.play(ctx, t)
	if err != nil {
		return bench.Played{}, fmt.Errorf("%s: %w", p.tool.name(), err)
	}
	return played, nil
}

// Process is none: each turn has its own.
func (p *player) Process() int { return 0 }

// Close ends a turn that is still played, and removes the files.
func (p *player) Close() {
	p.starter.Close()
	_ = os.RemoveAll(p.dir) // what is left there is two small files
}
