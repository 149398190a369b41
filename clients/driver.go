package clients

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"kcompare/drivers"
	"kcompare/internal/child"
)

// Program says how a client program is started.
type Program struct {
	Client  string   // the name that users give: "java"
	Command []string // program and arguments
	Dir     string   // where it is started; empty: here
	Env     []string // beside our own, "NAME=value"

	// Library and Version are what the program must find at run time, as hello tells
	// them; where they are empty everything is right.
	Library, Version string

	// Patience is how much later than its time limit an answer may come before the
	// program counts as hanging; 0: thirty seconds, as the protocol says.
	Patience time.Duration
}

// program is drivers.Program. Its own process is there for questions about settings.
type program struct {
	*running
	starter *child.Starter
	like    Program // what every further process is held to

	mu   sync.Mutex
	idle []*running // that have played, and may play again
}

// New starts one process of the program and asks who it is; it answers questions about
// settings until the starter closes. The error says what is wrong with it.
func New(ctx context.Context, starter *child.Starter, p Program) (drivers.Program, error) {
	first, err := begin(ctx, starter, p, &verdicts{known: map[string]verdict{}})
	if err != nil {
		return nil, err
	}
	p.Library, p.Version = first.hello.Library, first.hello.Version
	return &program{running: first, starter: starter, like: p}, nil
}

// Start takes a process that may play again, or starts another one, which must find the
// same library; see drivers.Program.
func (p *program) Start(ctx context.Context) (drivers.Running, error) {
	r := p.takeIdle()
	if r == nil {
		var err error
		if r, err = begin(ctx, p.starter, p.like, p.verdicts); err != nil {
			return nil, err
		}
	}
	return &played{running: r, of: p}, nil
}

func (p *program) takeIdle() *running {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		last := len(p.idle) - 1
		r := p.idle[last]
		p.idle = p.idle[:last]
		if !r.isWrong() {
			return r
		}
	}
	return nil
}

// played is a process while one story has it.
type played struct {
	*running
	of   *program
	once sync.Once
}

// Close keeps a process that may play again, and ends any other; see drivers.Running.
func (p *played) Close() {
	p.once.Do(func() {
		if !p.mayPlayAgain() {
			p.close()
			return
		}
		p.forgetLog()
		p.of.mu.Lock()
		defer p.of.mu.Unlock()
		p.of.idle = append(p.of.idle, p.running)
	})
}

// Process is its id; see drivers.Running.
func (p *played) Process() int { return p.child.Cmd.Process.Pid }

// running is drivers.Running.
type running struct {
	*process
	hello    hello
	verdicts *verdicts
	clients  atomic.Int64 // made so far
}

// begin starts a process and greets it. One that does not answer as it should is ended.
func begin(ctx context.Context, starter *child.Starter, p Program, v *verdicts) (*running, error) {
	process, err := start(starter, p)
	if err != nil {
		return nil, err
	}
	r := &running{process: process, verdicts: v}
	if err := r.greet(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// greet asks who the program is, and holds it to what is expected.
func (r *running) greet(ctx context.Context) error {
	a, err := r.ask(ctx, &request{Verb: "hello", Protocol: protocol}, r.patience)
	if err != nil {
		return err
	}
	if a.Error != nil {
		r.fail("refused hello: %w", a.Error.callError("hello"))
		return r.dead()
	}
	h := &r.hello
	if err := json.Unmarshal(a.raw, h); err != nil {
		r.fail("answered hello with what is no answer to it: %w: %s", err, r.quote(a.raw))
		return r.dead()
	}
	switch want := r.program; {
	case h.Protocol != protocol:
		r.fail("speaks version %d of the protocol, expected %d", h.Protocol, protocol)
	case h.Library == "" || h.Version == "":
		r.fail("does not say which library it has and in which version: %s", r.quote(a.raw))
	case want.Library != "" && h.Library != want.Library || want.Version != "" && h.Version != want.Version:
		r.fail("found %s %s, expected %s %s", h.Library, h.Version, want.Library, want.Version)
	}
	if r.isWrong() {
		return r.dead()
	}
	return nil
}

// Client is the name of the program.
func (r *running) Client() string { return r.program.Client }

// Library is what hello told.
func (r *running) Library() drivers.Library {
	return drivers.Library{Name: r.hello.Library, Version: r.hello.Version, Via: r.hello.Via}
}

// Language is what hello told; see drivers.Speaking.
func (r *running) Language() string { return r.hello.Language }

// The abilities of the protocol.
const (
	idempotence  = "idempotence"
	transactions = "transactions"
	groups       = "groups"
	rebalances   = "rebalances"
	store        = "store"
	plainClose   = "plain-close"
	manyRecords  = "bulk"
	paced        = "paced"
	manyTransact = "bulk-transactions"
	again        = "again"
)

// Abilities is what hello told. Nobody but a driver in process sends batches made by
// hand, gives up single records or tells figures.
func (r *running) Abilities() drivers.Abilities {
	return drivers.Abilities{
		Idempotence: r.has(idempotence), Transactions: r.has(transactions), Groups: r.has(groups), PlainClose: r.has(plainClose),
		Rebalances: r.has(rebalances), Store: r.has(store), Bulk: r.has(manyRecords),
		Paced: r.has(paced), BulkTransactions: r.has(manyTransact),
	}
}

func (r *running) has(ability string) bool { return slices.Contains(r.hello.Abilities, ability) }

// Differences asks the program; see drivers.Driver.
func (r *running) Differences(role drivers.Role, s drivers.Settings) ([]string, error) {
	o, err := prepare(r.program.Client, role, r.Abilities(), s)
	if err != nil {
		return nil, err
	}
	return r.verdicts.of(context.Background(), r.process, role, o)
}

// NewProducer makes a producer; see producer.go.
func (r *running) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	p := newProducer()
	if err := r.make(drivers.RoleProducer, "p", s, p); err != nil {
		return nil, err
	}
	return r.producing(p), nil
}

// NewTransactionalProducer makes a transactional producer; see transactions.go.
func (r *running) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p := newProducer()
	if err := r.make(drivers.RoleTransactionalProducer, "t", s, p); err != nil {
		return nil, err
	}
	return r.transacting(&transactional{p}), nil
}

// NewConsumer makes a consumer; see consumer.go.
func (r *running) NewConsumer(s drivers.Settings) (drivers.Consumer, error) {
	c := &consumer{}
	if err := r.make(drivers.RoleConsumer, "c", s, c); err != nil {
		return nil, err
	}
	return r.consuming(c), nil
}

// client is what has a handle.
type client interface {
	hearer
	attach(h *handle)
}

// make has the program make a client, whose handle is a letter and a number.
func (r *running) make(role drivers.Role, letter string, s drivers.Settings, c client) error {
	o, err := prepare(r.program.Client, role, r.Abilities(), s)
	if err != nil {
		return err
	}
	r.secrets.note(o.Settings)
	h := &handle{process: r.process, name: letter + strconv.FormatInt(r.clients.Add(1), 10), turn: make(chan struct{}, 1), log: s.Log}
	c.attach(h)
	r.enter(h.name, c, s.Log)
	verb := "new-" + roleName(role)
	a, err := r.ask(context.Background(), &request{Verb: verb, Handle: h.name, options: o}, r.patience)
	err = r.settingsError(callName(verb), o, a, err)
	if err == nil {
		r.open.Add(1)
	}
	return err
}

// Fault is what the program did wrong; see drivers.Running.
func (r *running) Fault() error { return r.faultNow() }

// mayPlayAgain says whether nothing is left of what was played: every client was closed,
// and every call answered.
func (r *running) mayPlayAgain() bool {
	return r.has(again) && r.open.Load() == 0 && !r.isWrong() && !r.isWaiting()
}

var (
	_ drivers.Program = (*program)(nil)
	_ drivers.Running = (*played)(nil)
)
