package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"kcompare/internal/child"
)

const (
	// mostLine bounds a line of a program: many records of the largest size that brokers take.
	mostLine = 64 << 20

	// patience is how much later than its own time limit an answer may come. It is generous:
	// on a machine with forty processes for two cores, Python alone took eleven seconds to start.
	patience = 30 * time.Second

	// endTime is how long a program may take to end after shutdown.
	endTime = 5 * time.Second

	// lingering bounds the wait for what a program has started itself, and holds its stdout.
	lingering = 2 * time.Second
)

// process is a program that runs, and the lines between it and us. Requests are
// answered in any order; what makes no sense is its fault, and its end.
type process struct {
	program  Program
	patience time.Duration
	child    *child.Process
	stdin    *os.File
	stderr   child.Tail
	out      *outbox
	secrets  *secrets
	started  chan struct{} // closed when child is there
	wrong    chan struct{} // closed with the first fault
	stopping chan struct{} // closed when nothing more is to be written
	gone     chan struct{} // closed when the child and the writer have ended

	mu       sync.Mutex
	fault    error
	shutting bool // its end is no fault any more
	over     bool // the child has ended: no answer comes, nobody hangs
	last     int64
	waiting  map[int64]*call // asked and not answered, given up or not
	handles  map[string]hearer
	log      func(string) // of the last client that has one

	open atomic.Int64 // clients that were made and not closed
}

// hearer is a client that hears what the program says of it.
type hearer interface {
	// reported takes a report; its error says what makes no sense.
	reported(s *said) error
	// logged takes a line of the library's log.
	logged(line string)
}

// call is a request that was sent.
type call struct {
	verb, handle string
	answer       chan answer // has room for the one that comes
	answered     func()      // called by the reader before the answer is there; nil for nothing
	deadline     *time.Timer // nil where it may take as long as a broker does
}

// answer is what the program said; raw has the members of the verb.
type answer struct {
	*said
	raw []byte
}

// start runs the program. Nothing was said yet.
func start(starter *child.Starter, program Program) (*process, error) {
	p := &process{
		program: program, patience: program.Patience, out: newOutbox(), secrets: &secrets{},
		started: make(chan struct{}), wrong: make(chan struct{}), stopping: make(chan struct{}), gone: make(chan struct{}),
		waiting: map[int64]*call{}, handles: map[string]hearer{},
	}
	if p.patience == 0 {
		p.patience = patience
	}
	if len(program.Command) == 0 {
		return nil, fmt.Errorf("%s: its command is empty", program.Client)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.stdin = ours
	cmd := exec.Command(program.Command[0], program.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = program.Dir, append(os.Environ(), program.Env...), lingering
	cmd.Stdin, cmd.Stderr = theirs, &p.stderr
	cmd.Stdout = &child.Lines{Hear: p.hear, Most: mostLine, Long: p.tooLong}
	p.child, err = starter.Start(cmd)
	_ = theirs.Close() // the child has its own
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("%s: start its program: %w", program.Client, err)
	}
	close(p.started)
	go p.watch()
	return p, nil
}

// watch owns the writer, and ends when the child has.
func (p *process) watch() {
	defer close(p.gone)
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = p.out.write(p.stdin, p.stopping) // fails only when nobody reads, of which the end of the child tells
		_ = p.stdin.Close()
	}()
	<-p.child.Done()
	p.child.KillGroup() // what it has started itself
	if !p.mayEnd() {
		p.fail("ended before it was asked to: %s", p.child.Cmd.ProcessState)
	}
	_ = p.stdin.Close() // wakes a writer
	p.stopWriting()
	<-written
	p.stopTimers()
}

func (p *process) mayEnd() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shutting
}

// stopTimers ends the time limits of all calls, later ones too. One that ran out when the
// child is gone would kill a group whose number may be somebody else's by then.
func (p *process) stopTimers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, c := range p.waiting {
		c.stopTimer()
	}
}

func (c *call) stopTimer() {
	if c.deadline != nil {
		c.deadline.Stop()
	}
}

func (p *process) stopWriting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stopping:
	default:
		close(p.stopping)
	}
}

// send sends a request. With a limit, an answer that is not there then is the
// program's fault.
func (p *process) send(r *request, limit time.Duration, answered func()) *call {
	c := &call{verb: r.Verb, handle: r.Handle, answer: make(chan answer, 1), answered: answered}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	r.ID = p.last
	p.waiting[r.ID] = c
	if limit > 0 && !p.over {
		c.deadline = time.AfterFunc(limit, func() {
			p.fail("hangs: %s was not answered within %s", c.name(), limit)
		})
	}
	p.out.put(encode(r)) // here, so that ids count up
	return c
}

// encode cannot fail: these values are all of text and numbers.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// name is the verb and whose it is: "flush of p1".
func (c *call) name() string {
	if c.handle == "" {
		return c.verb
	}
	return c.verb + " of " + c.handle
}

// errGivenUp is the end of a context before the answer came.
var errGivenUp = errors.New("given up before the program answered")

// lastWord is how long an answer may still come after the context has ended: the
// program was given the same time.
const lastWord = 200 * time.Millisecond

// wait returns the answer. Where ctx ends first it gives up, and a later answer is not
// wanted by anybody but who keeps the call.
func (p *process) wait(ctx context.Context, c *call, word time.Duration) (answer, error) {
	select {
	case a := <-c.answer:
		return a, nil
	case <-p.wrong:
		return p.lastAnswer(c)
	case <-p.gone:
		return p.lastAnswer(c)
	case <-ctx.Done():
	}
	late := time.NewTimer(word)
	defer late.Stop()
	select {
	case a := <-c.answer:
		return a, nil
	case <-p.wrong:
		return p.lastAnswer(c)
	case <-p.gone:
		return p.lastAnswer(c)
	case <-late.C:
		return answer{}, errGivenUp
	}
}

// lastAnswer prefers an answer that came before the end.
func (p *process) lastAnswer(c *call) (answer, error) {
	select {
	case a := <-c.answer:
		return a, nil
	default:
		return answer{}, p.dead()
	}
}

// ask is send and wait for what belongs to no handle.
func (p *process) ask(ctx context.Context, r *request, limit time.Duration) (answer, error) {
	return p.wait(ctx, p.send(r, limit, nil), 0)
}

// hear takes a line of the program.
func (p *process) hear(line []byte) {
	if p.isWrong() {
		return // what it says cannot be relied on
	}
	s := &said{}
	if err := json.Unmarshal(line, s); err != nil {
		p.fail("printed what is no line of the protocol: %s", p.quote(line))
		return
	}
	if s.Error != nil {
		s.Error.Text = p.secrets.hide(s.Error.Text)
	}
	switch {
	case s.ID != nil:
		p.hearAnswer(s, line)
	case s.Record != nil:
		p.hearReport(s, line)
	case s.Log != nil:
		p.hearLog(s)
	default:
		p.fail("printed a line that is neither an answer nor a report: %s", p.quote(line))
	}
}

func (p *process) hearAnswer(s *said, line []byte) {
	p.mu.Lock()
	c, asked := p.waiting[*s.ID]
	delete(p.waiting, *s.ID)
	last := p.last
	p.mu.Unlock()
	switch {
	case asked:
	case *s.ID >= 1 && *s.ID <= last:
		p.fail("answered request %d twice: %s", *s.ID, p.quote(line))
		return
	default:
		p.fail("answered request %d, which nobody made: %s", *s.ID, p.quote(line))
		return
	}
	c.stopTimer()
	if s.Error != nil && !s.Error.known() {
		p.fail("answered %s with an error of class %q, which the protocol does not have: %s", c.name(), s.Error.Class, p.quote(line))
		return
	}
	c.answer <- answer{said: s, raw: append([]byte(nil), line...)}
	if c.answered != nil {
		c.answered()
	}
}

func (p *process) hearReport(s *said, line []byte) {
	p.mu.Lock()
	h, known := p.handles[s.Handle]
	p.mu.Unlock()
	err := fmt.Errorf("there is no such handle")
	if known {
		err = h.reported(s)
	}
	if err != nil {
		p.fail("reported on record %d of %s: %w: %s", *s.Record, s.Handle, err, p.quote(line))
	}
}

func (p *process) hearLog(s *said) {
	p.mu.Lock()
	h, known := p.handles[s.Handle]
	log := p.log
	p.mu.Unlock()
	line := p.secrets.hide(*s.Log)
	switch {
	case known:
		h.logged(line)
	case log != nil:
		log(line)
	}
}

func (p *process) tooLong() { p.fail("printed a line of more than %d MiB", mostLine>>20) }

// enter lets a client hear what is said of its handle.
func (p *process) enter(handle string, h hearer, log func(string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handles[handle] = h
	if log != nil {
		p.log = log
	}
}

// forgetLog drops what the program says of no client.
func (p *process) forgetLog() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = nil
}

// close asks the program to end, and ends it.
func (p *process) close() {
	p.mu.Lock()
	p.shutting = true
	p.mu.Unlock()
	if !p.isWrong() {
		p.shutDown()
	}
	p.child.KillGroup()
	<-p.gone
}

// shutDown waits until the program has answered and ended by itself, or had its time.
func (p *process) shutDown() {
	late := time.NewTimer(endTime)
	defer late.Stop()
	answered := make(chan struct{})
	p.send(&request{Verb: "shutdown"}, 0, func() { close(answered) })
	for {
		select {
		case <-answered:
			answered = nil
			p.stopWriting() // which ends its stdin
		case <-p.gone:
			p.noteEnd(answered != nil)
			return
		case <-p.wrong:
			return
		case <-late.C:
			p.fail("hangs: it did not end within %s of shutdown", endTime)
			return
		}
	}
}

// noteEnd finds an end that is not the one asked for.
func (p *process) noteEnd(silent bool) {
	state := p.child.Cmd.ProcessState
	switch {
	case silent && len(p.unanswered("shutdown")) > 0:
		p.fail("ended without an answer to shutdown: %s", state)
	case !state.Success():
		p.fail("ended after shutdown with %s, expected exit status 0", state)
	}
}

// isWaiting says whether a call was not answered, given up or not.
func (p *process) isWaiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
}

// unanswered is the calls of a verb that have no answer.
func (p *process) unanswered(verb string) []*call {
	p.mu.Lock()
	defer p.mu.Unlock()
	var open []*call
	for _, c := range p.waiting {
		if c.verb == verb {
			open = append(open, c)
		}
	}
	return open
}
