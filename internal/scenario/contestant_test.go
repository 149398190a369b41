package scenario

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/drivers/memory"
	"kcompare/internal/evidence"
)

// goroutines starts contestants that are no processes: what they do from a signal on
// is lost, as it would be.
type goroutines struct{ driver drivers.Driver }

func (g *goroutines) spawn(ctx context.Context, line []byte, hear func([]byte)) (Process, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &goroutine{hear: hear, cancel: cancel, term: make(chan struct{}), done: make(chan struct{})}
	in, parent := io.Pipe()
	go func() {
		_, _ = parent.Write(line) // and then nothing comes
	}()
	go func() {
		defer close(p.done)
		defer in.Close()
		err := Contest(ctx, Ring{
			In: in, Out: p,
			Driver: func(string) (drivers.Driver, error) { return g.driver, nil },
			Terminated: func() <-chan struct{} {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.handles = true
				return p.term
			},
		})
		p.ended(err)
	}()
	return p, nil
}

type goroutine struct {
	hear   func([]byte)
	cancel func()
	term   chan struct{}
	done   chan struct{}

	mu      sync.Mutex
	handles bool
	end     string
}

func (p *goroutine) Write(b []byte) (int, error) {
	p.mu.Lock()
	dead := p.end != ""
	p.mu.Unlock()
	if !dead {
		p.hear(bytes.TrimSuffix(b, []byte("\n")))
	}
	return len(b), nil
}

func (p *goroutine) Terminate() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.handles {
		close(p.term)
		return nil
	}
	p.end = "signal: terminated"
	p.cancel()
	return nil
}

func (p *goroutine) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = "signal: killed"
	p.cancel()
	return nil
}

func (p *goroutine) ended(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.end != "":
	case err != nil:
		p.end = "exit status 1"
	default:
		p.end = endedWell
	}
}

func (p *goroutine) Done() <-chan struct{} { return p.done }

func (p *goroutine) End() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end
}

func (p *goroutine) Complaint() string { return "" }

// sayings is a contestant of a stage that only hears.
func sayings(stage *Stage, lines ...string) *Contestant {
	c := &Contestant{
		stage: stage, who: "old instance", instance: 1, id: "payment-service", process: gone{},
		changed: make(chan struct{}), did: map[verb]done{}, read: map[int32]bool{},
	}
	for _, line := range lines {
		c.hear([]byte(line))
	}
	return c
}

// gone is a process that has ended.
type gone struct{ Process }

func (gone) Done() <-chan struct{} {
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (gone) End() string       { return "signal: killed" }
func (gone) Complaint() string { return "panic: no memory\n" }

// TestHear: what a contestant says enters the ledger of its parent as if the client
// had said it there, and what it never said stays unknown.
func TestHear(t *testing.T) {
	l := &Ledger{}
	l.begin(7) // of somebody else, so that numbers differ
	stage := &Stage{Ledger: l, Elapsed: func() time.Duration { return time.Second }}
	c := sayings(stage,
		`{"event":"begin"}`,
		`{"event":"produce","send":{"id":"payments/0","send":"1/0/0000002a","key":"order-0000","topic":"t","outcome":"unknown","partition":-1,"offset":-1,"transaction":1}}`,
		`{"event":"produce","send":{"id":"payments/1","send":"1/1/0000002b","key":"order-0001","topic":"t","outcome":"unknown","partition":-1,"offset":-1,"transaction":1}}`,
		`{"event":"produce","send":{"id":"payments/2","send":"1/2/0000002c","key":"order-0002","topic":"t","outcome":"unknown","partition":-1,"offset":-1,"transaction":1}}`,
		`{"event":"report","n":1,"outcome":"failed","partition":2,"offset":-1,"error":{"call":"produce","class":"fatal","code":"BAD","text":"bad","count":1}}`,
		`{"event":"report","n":0,"outcome":"acked","partition":1,"offset":5}`,
		`{"event":"did","verb":"flush","text":"too late"}`,
		`{"event":"error","error":{"call":"abort","class":"fenced","code":"PRODUCER_FENCED","text":"fenced","count":1}}`,
		`{"event":"read","partition":3}`,
	)
	flushed, err := c.Did(t.Context(), flush)
	if want := (done{at: time.Second, reported: 2, err: "too late"}); err != nil || flushed != want {
		t.Errorf("flush was %+v, %v, expected %+v", flushed, err, want)
	}
	if read, err := c.Read(t.Context(), 1); err != nil || !read[3] {
		t.Errorf("read %v, %v, expected partition 3", read, err)
	}
	c.fence()
	l.Seal()
	wantTransactions := []evidence.Transaction{
		{N: 1, Instance: 7, Outcome: evidence.TransactionUnknown},
		{N: 2, Instance: 1, Outcome: evidence.TransactionUnknown, Fenced: true},
	}
	if diff := cmp.Diff(wantTransactions, l.Transactions()); diff != "" {
		t.Errorf("transactions (-want +got):\n%s", diff)
	}
	type said struct {
		ID          string
		Outcome     evidence.Outcome
		Partition   int32
		Offset      int64
		Transaction int
	}
	var got []said
	for _, s := range l.Sends() {
		got = append(got, said{s.ID.String(), s.Outcome, s.Partition, s.Offset, s.Transaction})
	}
	want := []said{
		{"payments/0", evidence.OutcomeAcked, 1, 5, 2},
		{"payments/1", evidence.OutcomeFailed, 2, -1, 2},
		{"payments/2", evidence.OutcomeUnknown, -1, -1, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sends (-want +got):\n%s", diff)
	}
	wantErrors := []evidence.ErrorCount{
		{Who: "old instance", Call: "abort", Class: "fenced", Code: "PRODUCER_FENCED", Text: "fenced", Count: 1},
		{Who: "old instance", Call: "produce", Class: "fatal", Code: "BAD", Text: "bad", Count: 1},
	}
	if diff := cmp.Diff(wantErrors, l.Errors()); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestHearNonsense: what does not fit stops the story, with a reason, and a process
// that ended too early is not waited for.
func TestHearNonsense(t *testing.T) {
	for line, want := range map[string]string{
		`nonsense`:                             "understand a line of old instance: invalid character",
		`{"event":"dance"}`:                    `understand a line of old instance: event "dance" does not fit`,
		`{"event":"produce"}`:                  `event "produce" does not fit`,
		`{"event":"report","n":0}`:             `event "report" does not fit`,
		`{"event":"report","n":-1}`:            `event "report" does not fit`,
		`{"event":"end","n":1}`:                `event "end" does not fit`,
		`{"event":"error"}`:                    `event "error" does not fit`,
		`{"event":"failed","text":"no topic"}`: "old instance could not go on: no topic",
		`{"event":"begin"}`:                    "old instance ended (signal: killed) before it did commit: panic: no memory",
	} {
		stage := &Stage{Ledger: &Ledger{}, Elapsed: func() time.Duration { return 0 }}
		if _, err := sayings(stage, line).Did(t.Context(), commitIt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("after %s: %v, expected %q", line, err, want)
		}
	}
}

// TestContestRefuses: a task that cannot be played is an error of the process, and the
// parent hears of it.
func TestContestRefuses(t *testing.T) {
	ring := func(in string, out io.Writer) Ring {
		return Ring{In: strings.NewReader(in), Out: out, Driver: func(string) (drivers.Driver, error) { return memory.New(memory.Honest), nil }}
	}
	for in, want := range map[string]string{
		"":                                      "read the task of a contestant: EOF",
		"nonsense\n":                            "read the task of a contestant: invalid character",
		`{"script":{"verbs":["dance"]}}` + "\n": `{"event":"failed","text":"dance: no such verb"}`,
	} {
		var out bytes.Buffer
		err := Contest(t.Context(), ring(in, &out))
		if err == nil || !strings.Contains(err.Error()+out.String(), want) {
			t.Errorf("%q: error %v, said %s, expected %q", in, err, &out, want)
		}
	}
}

// TestOrphan: the end of stdin ends a contestant that would stay for ever.
func TestOrphan(t *testing.T) {
	var out bytes.Buffer
	err := Contest(t.Context(), Ring{
		In: strings.NewReader(`{"script":{"verbs":["stay"]}}` + "\n"), Out: &out,
		Driver: func(string) (drivers.Driver, error) { return memory.New(memory.Honest), nil },
	})
	if err == nil || err.Error() != "stay: context canceled" {
		t.Errorf("error %v, expected the end of its context", err)
	}
}
