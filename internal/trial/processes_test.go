package trial_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/child"
	"kcompare/internal/cli"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
	"kcompare/librdkafka"
)

// asContestant makes the test binary a contestant: CONTESTANT LIE [DIRECTORY]. It
// leaves its pid in the directory.
const asContestant = "contestant-of-a-test"

func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != asContestant {
		os.Exit(m.Run())
	}
	if len(os.Args) > 3 {
		pid := strconv.Itoa(os.Getpid())
		if err := os.WriteFile(filepath.Join(os.Args[3], pid), nil, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(contest(os.Args[2]))
}

// contest plays with a library that tells a lie; "" is an honest one.
func contest(lie string) int {
	lying := func(d drivers.Driver, err error) (drivers.Driver, error) {
		m := lies()[lie]
		m.Driver = d
		return m, err
	}
	return cli.Main(context.Background(), cli.State{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now,
		Clients: []cli.Client{
			{Name: "franz", New: func() (drivers.Driver, error) { return lying(franz.New(), nil) }},
			{Name: "librdkafka", New: func() (drivers.Driver, error) { return lying(librdkafka.New()) }},
		},
	}, []string{"contestant"})
}

// contestants starts processes that play with a library which tells the lie.
func contestants(t *testing.T, lie ...string) *trial.Contestants {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	starter := child.NewStarter()
	t.Cleanup(starter.Close)
	if len(lie) == 0 {
		lie = []string{""}
	}
	return &trial.Contestants{Starter: starter, Path: self, Args: append([]string{asContestant}, lie...)}
}

// lies are libraries that do not do what a program asks of them, or more than that.
func lies() map[string]meddler {
	producer := func(lie func(p drivers.Producer) drivers.Producer) meddler { return meddler{producer: lie} }
	transactional := func(lie func(p transacting) transacting) meddler {
		return meddler{transactional: lie}
	}
	consumer := func(lie func(c drivers.Consumer) drivers.Consumer) meddler { return meddler{consumer: lie} }
	return map[string]meddler{
		"":                  {},
		"flushes by itself": producer(func(p drivers.Producer) drivers.Producer { return &impatient{Producer: p} }),
		"does not flush":    producer(func(p drivers.Producer) drivers.Producer { return idle{p} }),
		"commits by itself": transactional(func(p transacting) transacting { return &eager{transacting: p, end: transacting.Commit} }),
		"aborts by itself":  transactional(func(p transacting) transacting { return &eager{transacting: p, end: transacting.Abort} }),
		"ends nothing":      transactional(func(p transacting) transacting { return endless{p} }),
		"commits for abort": transactional(func(p transacting) transacting { return committer{p} }),
		"commits at close":  transactional(func(p transacting) transacting { return finisher{p} }),
		"does not leave":    consumer(func(c drivers.Consumer) drivers.Consumer { return clinging{c} }),
		"leaves by itself":  consumer(func(c drivers.Consumer) drivers.Consumer { return &tidy{Consumer: c} }),
	}
}

// impatient flushes once in a while.
type impatient struct {
	drivers.Producer
	n int
}

func (p *impatient) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.Producer.Produce(ctx, r, report)
	if p.n++; p.n == 10 {
		_ = p.Flush(ctx)
	}
}

// idle says that it has flushed.
type idle struct{ drivers.Producer }

func (idle) Flush(context.Context) error { return nil }

func (p idle) ClosePlainly() error { return p.Producer.(drivers.PlainCloser).ClosePlainly() }

// transacting is short for what several lies are about.
type transacting = drivers.TransactionalProducer

// lastPayment is that of a first instance in a small trial (see specOf).
const lastPayment = 5

// eager ends the transaction after the last record that the program has for it.
type eager struct {
	transacting
	end func(transacting, context.Context) (drivers.TransactionOutcome, error)
	n   int
}

func (p *eager) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.transacting.Produce(ctx, r, report)
	if p.n++; p.n == lastPayment {
		_ = p.Flush(ctx)
		_, _ = p.end(p.transacting, ctx)
	}
}

// endless does not end a transaction, and says that it did.
type endless struct{ transacting }

func (endless) Commit(context.Context) (drivers.TransactionOutcome, error) {
	return drivers.Committed, nil
}
func (endless) Abort(context.Context) (drivers.TransactionOutcome, error) {
	return drivers.Aborted, nil
}

// finisher commits what is open when it is closed.
type finisher struct{ transacting }

func (p finisher) ClosePlainly() error {
	_, err := p.Commit(context.Background())
	return errors.Join(err, p.Close())
}

// clinging does not leave its group.
type clinging struct{ drivers.Consumer }

func (clinging) Close() error { return nil }

// tidy leaves its group before a SIGTERM ends the process.
type tidy struct {
	drivers.Consumer
	left atomic.Bool
}

func (c *tidy) Subscribe(ctx context.Context, topics []string) error {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	go func() {
		<-told
		c.left.Store(true)
		_ = c.Close()
		signal.Reset(syscall.SIGTERM)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}()
	return c.Consumer.Subscribe(ctx, topics)
}

func (c *tidy) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.Consumer.Poll(ctx)
	if c.left.Load() {
		<-ctx.Done() // with the process, or with its own handler
		return nil, nil
	}
	return records, err
}

// TestShutdownLies: each claim of graceful-shutdown fails for a library that breaks it.
func TestShutdownLies(t *testing.T) {
	for _, tt := range []struct {
		variant, lie, reason string
	}{
		{"end=return", "flushes by itself", "expected to equal 1"},
		{"end=close", "flushes by itself", "expected to equal 1"},
		{"end=flush-then-close", "does not flush", "acked is 1, expected to equal intended"},
		{"handler=none,signal=term", "commits by itself", "fenced-write-visible"},
		{"handler=none,signal=term", "aborts by itself", "left open when it had ended: nothing, expected the transaction"},
		{"handler=abort,signal=term", "ends nothing", "left open when it had ended: the transaction, expected nothing"},
		{"handler=abort,signal=term", "ends nothing", "EndTxn that the process sent: none, expected abort"},
		{"handler=abort,signal=term", "commits for abort", "aborted-visible"},
		{"handler=commit,signal=term", "ends nothing", "visible is 5, expected to equal intended"},
		{"handler=abort,signal=kill", "commits by itself", "fenced-write-visible"},
		{"handler=abort,signal=kill", "aborts by itself", "EndTxn that the process sent: abort, expected none"},
		{"end=close,transaction=open", "commits at close", "fenced-write-visible"},
		{"member=close,signal=term", "does not leave", "LeaveGroup that it sent: none, expected sent"},
		{"member=none,signal=term", "leaves by itself", "LeaveGroup that it sent: sent, expected none"},
	} {
		t.Run(tt.variant+" "+tt.lie+" "+tt.reason, func(t *testing.T) {
			t.Parallel()
			s := specOf(t, "graceful-shutdown", tt.variant, franz.New())
			s.Contestants = contestants(t, tt.lie)
			got := play(t, s)
			if got.Verdict != evidence.Violated {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
			if all := strings.Join(got.Reasons, "; "); !strings.Contains(all, tt.reason) {
				t.Errorf("reasons are %q, expected one with %q", got.Reasons, tt.reason)
			}
		})
	}
}

// TestAnsweredAfterAll: the observation without a fault in time is about nothing.
func TestAnsweredAfterAll(t *testing.T) {
	s := specOf(t, "graceful-shutdown", "end=flush-deadline", franz.New())
	s.Contestants, s.Sabotage = contestants(t), trial.Sabotage{FaultsOff: true}
	if got := play(t, s); got.Verdict != evidence.Inconclusive {
		t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
	}
}

// TestNoProcesses: who cannot start processes says so.
func TestNoProcesses(t *testing.T) {
	s := specOf(t, "graceful-shutdown", "end=return", franz.New())
	s.Contestants = nil
	got := play(t, s)
	if want := []string{"its clients run as processes of their own, and nobody said how they are started"}; got.Verdict != evidence.NotSupported || !slices.Equal(got.Reasons, want) {
		t.Errorf("%s: %q, expected %q", got.Verdict, got.Reasons, want)
	}
}

// TestContestantThatFails: what a process complains of stands in the evidence.
func TestContestantThatFails(t *testing.T) {
	s := specOf(t, "graceful-shutdown", "handler=none,signal=term", franz.New())
	s.Contestants = &trial.Contestants{Starter: contestants(t).Starter, Path: "/bin/sh", Args: []string{"-c", "read task; echo no memory >&2; exit 7"}}
	got := play(t, s)
	want := "first instance ended (exit status 7) before it did reports: no memory"
	if got.Verdict != evidence.Inconclusive || !strings.Contains(got.Conditions.Error, want) {
		t.Errorf("%s: %q, expected %q", got.Verdict, got.Conditions.Error, want)
	}
}

// TestInterruptedContestant: Ctrl-C while a process stands in the middle of its
// transaction. It is gone when the trial is.
func TestInterruptedContestant(t *testing.T) {
	dir := t.TempDir()
	s := specOf(t, "graceful-shutdown", "handler=none,signal=term", franz.New())
	s.Contestants = contestants(t, "", dir)
	stopped := errors.New("Ctrl-C")
	ctx, interrupt := context.WithCancelCause(t.Context())
	s.Variant.Run = func(inner context.Context, stage *scenario.Stage) error {
		spawn := stage.Spawn
		stage.Spawn = func(ctx context.Context, line []byte, hear func([]byte)) (scenario.Process, error) {
			return spawn(ctx, line, func(said []byte) {
				hear(said)
				if strings.Contains(string(said), `"did","verb":"begin"`) {
					interrupt(stopped)
				}
			})
		}
		v := specOf(t, "graceful-shutdown", "handler=abort,signal=kill", franz.New()).Variant
		return v.Run(inner, stage)
	}
	if _, err := trial.Run(ctx, s); !errors.Is(err, stopped) {
		t.Errorf("error %v, expected the cause", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Fatalf("%d processes were started (%v), expected 1", len(left), err)
	}
	pid, err := strconv.Atoi(left[0].Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d after the trial: %v, expected %v", pid, err, syscall.ESRCH)
	}
}
