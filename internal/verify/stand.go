package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/proxy"
)

// Stand is where one experiment is played with one client.
type Stand struct {
	Settings Settings         // of the client
	Broker   *broker.Embedded // past the proxy; to change the cluster there are faults
	Reader   *broker.Reader   // past the proxy as well: to write what is to be consumed, and to read back

	candidate candidate
	began     time.Time
	now       func() time.Time
	proxy     *proxy.Proxy
	closers   []func() error // of broker, reader and proxy

	news signal // a request was settled or hit by a fault, or the client reported on a record

	mu      sync.Mutex
	clients []func() error // how to close them
	sends   []Send
	over    bool // Play has ended
	notes   map[string]Observation
}

const (
	settingUp = 10 * time.Second // for the stand, and for what an experiment does beside its effect
	playTime  = 30 * time.Second // that nobody needs; it only ends what hangs
)

// play plays one experiment with one client.
func play(ctx context.Context, now func() time.Time, e Experiment, c candidate) (Seen, error) {
	limit := playTime
	if e.Takes != nil {
		limit += e.Takes(c.settings(e))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s := &Stand{Settings: c.settings(e), candidate: c, began: now(), now: now, notes: map[string]Observation{}}
	err := s.open(ctx, e)
	if err == nil {
		err = e.Play(ctx, s)
	}
	s.playEnded() // what a client says when it is closed is no part of it
	err = errors.Join(err, s.closeClients())
	if s.proxy == nil {
		return Seen{}, errors.Join(err, s.close())
	}
	return s.seen(e.Name, err)
}

func (s *Stand) seen(experiment string, err error) (Seen, error) {
	err = errors.Join(err, s.close())
	observed := s.proxy.Observed()
	if err == nil && len(observed.Problems) > 0 {
		err = errors.New("the proxy could not follow: " + strings.Join(observed.Problems, "; "))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Seen{
		Experiment: experiment, Client: s.candidate.Driver.Client(), Settings: s.Settings,
		Trace: observed.Trace.Exchanges, Sends: slices.Clone(s.sends), Notes: s.notes,
	}, err
}

// open starts broker, topics and proxy.
func (s *Stand) open(ctx context.Context, e Experiment) (err error) {
	if s.Broker, err = broker.StartEmbedded(max(e.Nodes, 1)); err != nil {
		return err
	}
	s.closers = append(s.closers, s.Broker.Close)
	if s.Reader, err = broker.NewReader(s.Broker.Addrs(), s.Broker.Access()); err != nil {
		return err
	}
	s.closers = append(s.closers, func() error { s.Reader.Close(); return nil })
	ids, err := s.Reader.CreateTopics(ctx, e.Topics)
	if err != nil {
		return err
	}
	options := proxy.Options{
		Upstreams: s.Broker.Addrs(), Roles: map[string]string{}, TopicIDs: map[[16]byte]string{},
		Clock: s.Elapsed, Keep: 100_000, HeadersOnly: true, Fields: true, Control: s.Broker,
		OnFault:    func(proxy.FaultFired) { s.news.send() },
		OnExchange: func(evidence.Exchange) { s.news.send() },
	}
	for _, t := range e.Topics {
		options.Roles[t.Name], options.TopicIDs[ids[t.Name]] = t.Name, t.Name
	}
	if e.Faults != nil {
		options.Engine = fault.NewEngine(e.Faults(s.Settings), 1)
	}
	if s.proxy, err = proxy.Start(options); err != nil {
		return err
	}
	s.closers = append(s.closers, s.proxy.Close)
	return nil
}

func (s *Stand) playEnded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// closeClients closes them, the last one first.
func (s *Stand) closeClients() error {
	s.mu.Lock()
	closing := s.clients
	s.clients = nil
	s.mu.Unlock()
	for _, stop := range slices.Backward(closing) {
		if err := closed(stop()); err != nil {
			return err
		}
	}
	return nil
}

// closed is the error of closing a client. That a library does not come back in time is
// no failure of the experiment, which is over: its stand ends anyway.
func closed(err error) error {
	if drivers.ClassOf(err) == drivers.UnknownOutcome {
		return nil
	}
	return err
}

// close stops what was started, the last part first.
func (s *Stand) close() error {
	var errs []error
	for _, stop := range slices.Backward(s.closers) {
		errs = append(errs, stop())
	}
	s.closers = nil
	return errors.Join(errs...)
}

func (s *Stand) closeLater(stop func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients = append(s.clients, stop)
}

// Elapsed is the time since the stand was opened, that of exchanges too.
func (s *Stand) Elapsed() time.Duration { return s.now().Sub(s.began) }

// Pause lets time pass, where the experiment is about time.
func (s *Stand) Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Trace is what the proxy has seen so far.
func (s *Stand) Trace() []evidence.Exchange { return s.proxy.Observed().Trace.Exchanges }

// Await waits until the trace meets a condition. It looks again whenever a request was
// settled or hit by a fault, or the client reported on a record. The error says what
// never came.
func (s *Stand) Await(ctx context.Context, what string, meets func([]evidence.Exchange) bool) error {
	return s.news.await(ctx, what, func() bool { return meets(s.Trace()) })
}

// Hold keeps back what the client sends from now on, its first connection included.
// The error is an *impossible: nobody knows the client.id of this version of the library.
func (s *Stand) Hold() (lift func(), err error) {
	id, err := s.clientID()
	if err != nil {
		return nil, err
	}
	s.proxy.Hold(id)
	return func() { s.proxy.Lift(id) }, nil
}

// Disconnect ends the client's connections, and lets nothing through on new ones until
// lift: the client knows where everything is, and cannot send. The error is that of
// Hold.
func (s *Stand) Disconnect() (lift func(), err error) {
	id, err := s.clientID()
	if err != nil {
		return nil, err
	}
	s.proxy.Cut(id)
	return s.Hold()
}

// clientID is what the client calls itself.
func (s *Stand) clientID() (string, error) {
	id, given := s.Settings["client.id"]
	if !given {
		library := s.candidate.Driver.Library()
		id = config.Defaults(library.Name, library.Version, config.Producer)["client.id"]
	}
	if id == "" {
		return "", &impossible{fmt.Sprintf("nobody knows the client.id of %s, and so nothing of it can be held back", s.candidate.Driver.Library())}
	}
	return id, nil
}

// Note keeps an observation for a Sight that sees it with noted.
func (s *Stand) Note(name string, o Observation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes[name] = o
}

// Proxy is the recording proxy, to cut or hold the client.
func (s *Stand) Proxy() *proxy.Proxy { return s.proxy }

// Consumer makes a consumer of the settings. The stand closes it, and does no harm to
// one that is closed.
func (s *Stand) Consumer() (drivers.Consumer, error) {
	c, err := s.candidate.Driver.NewConsumer(bare(s.Settings, s.proxy.Bootstrap()))
	if err != nil {
		return nil, err
	}
	s.closeLater(c.Close)
	return c, nil
}

// Client makes a client of either role that only has to connect: a producer that has
// asked for its producer id where it is transactional, or a consumer that has not
// subscribed.
func (s *Stand) Client(ctx context.Context, role config.Role) error {
	if role == config.Consumer {
		_, err := s.Consumer()
		return err
	}
	_, err := s.Producer(ctx)
	return err
}

// signal wakes everybody who waits for a condition.
type signal struct {
	mu sync.Mutex
	ch chan struct{} // closed by the next send; nil while nobody waits
}

func (g *signal) send() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ch != nil {
		close(g.ch)
		g.ch = nil
	}
}

func (g *signal) next() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ch == nil {
		g.ch = make(chan struct{})
	}
	return g.ch
}

func (g *signal) await(ctx context.Context, what string, met func() bool) error {
	for {
		next := g.next() // before the look, so that nothing falls between the two
		if met() {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		}
	}
}
