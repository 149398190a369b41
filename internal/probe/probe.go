// Package probe runs a program that nobody prepared against a recorded broker, and tells
// what its Kafka clients did on the wire.
//
//	program ── TCP ──> proxy ── TCP ──> broker
//	                     └ trace ─> fingerprints
package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/fingerprint"
	"kcompare/internal/proxy"
)

// Options say what to run, against what.
type Options struct {
	Cluster broker.Cluster // nobody else uses it
	Topics  []broker.Topic // are made before the program starts

	// MakeTopics makes a topic that a client asks for and that is not there, with one
	// partition, also where the client does not let the broker make it.
	MakeTopics bool

	Plan             fault.Plan
	Seed             int64
	Roles            map[string]string // of topics, as in proxy.Options
	TransactionalIDs map[string]string // as in proxy.Options

	Command []string // "{}" in it, alone or within a word, is replaced by the address for bootstrap.servers
	Env     []string // of the program, as in exec.Cmd; the address is added to it
	Timeout time.Duration
	Output  io.Writer // takes what the program prints

	Now func() time.Time
}

// Result is what was seen of a program.
type Result struct {
	Ended        Ended
	Elapsed      time.Duration
	Observed     proxy.Observed
	Fingerprints []fingerprint.Fingerprint
	Copies       *Copies  // of records whose acknowledgement was lost; nil where none was
	Made         []string // topics that MakeTopics made
	Problems     []string // why the result may not be the whole truth: a leak, traffic that nobody could read
}

// keptExchanges bounds the trace. The proxy keeps ten times as many of Produce.
const keptExchanges = 100_000

// Run makes the topics, starts the program and waits for its end, at most for
// Options.Timeout. The end of ctx ends the program as well, and what was seen until then
// is the result. The error is that of a topic that could not be made or a program that
// could not be started. The caller closes the cluster.
func Run(ctx context.Context, o Options) (Result, error) {
	reader, err := broker.NewReader(o.Cluster.Addrs(), o.Cluster.Access())
	if err != nil {
		return Result{}, err
	}
	defer reader.Close()
	s := &session{Options: o, reader: reader, began: o.Now()}
	return s.run(ctx)
}

// session is one run.
type session struct {
	Options
	reader *broker.Reader
	began  time.Time
}

func (s *session) clock() time.Duration { return s.Now().Sub(s.began) }

const (
	makingTime  = 30 * time.Second // bounds the making of topics
	lookingTime = 5 * time.Second  // bounds the look at the log, and at who connected
)

func (s *session) run(ctx context.Context) (Result, error) {
	if err := s.makeTopics(ctx); err != nil {
		return Result{}, err
	}
	missing := newMissing(s.reader, s.MakeTopics)
	p, err := s.startProxy(missing)
	if err != nil {
		return Result{}, errors.Join(err, missing.close())
	}
	began := s.clock()
	ended, err := s.runProgram(ctx, p.Bootstrap())
	elapsed := s.clock() - began
	if err := errors.Join(err, p.Close()); err != nil {
		return Result{}, errors.Join(err, missing.close())
	}
	r := Result{Ended: ended, Elapsed: elapsed, Observed: p.Observed()}
	r.note(missing.close())
	r.Made = missing.made
	r.Fingerprints = fingerprint.Of(r.Observed.Trace.Exchanges)
	r.Problems = append(r.Problems, r.Observed.Problems...)

	// After Ctrl-C, too: what was seen is worth this look.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookingTime)
	defer cancel()
	r.Copies, err = s.copies(ctx, r.Observed.Trace.Exchanges)
	r.note(err)
	r.note(s.strangers(ctx, r.Observed.BrokerSide))
	return r, nil
}

// note keeps what keeps the result from being the whole truth.
func (r *Result) note(err error) {
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
	}
}

func (s *session) makeTopics(ctx context.Context) error {
	if len(s.Topics) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, makingTime)
	defer cancel()
	if _, err := s.reader.CreateTopics(ctx, s.Topics); err != nil {
		return fmt.Errorf("make the topics: %w", err)
	}
	return nil
}

func (s *session) startProxy(missing *missing) (*proxy.Proxy, error) {
	opts := proxy.Options{
		Upstreams: s.Cluster.Addrs(), Roles: s.Roles, TransactionalIDs: s.TransactionalIDs,
		Engine: fault.NewEngine(s.Plan, s.Seed), Clock: s.clock,
		Keep: keptExchanges, HeadersOnly: true, Fields: true,
		OnExchange: missing.look,
	}
	opts.Control, _ = s.Cluster.(proxy.Control)
	return proxy.Start(opts)
}

// strangers is an error where a client reached the broker past the proxy.
func (s *session) strangers(ctx context.Context, proxySide []string) error {
	known := map[string]bool{}
	for _, addr := range append(proxySide, s.reader.Connections()...) {
		known[addr] = true
	}
	var strangers []string
	var err error
	switch c := s.Cluster.(type) {
	case *broker.Embedded:
		strangers = c.Strangers(known)
	case interface {
		Strangers(context.Context, map[string]bool) ([]string, error)
	}:
		strangers, err = c.Strangers(ctx, known)
	}
	switch {
	case err != nil:
		return fmt.Errorf("whether a client went past the proxy is not known: %w", err)
	case len(strangers) > 0:
		return fmt.Errorf("%d connections reached the broker past the proxy: what they did is not in this fingerprint", len(strangers))
	}
	return nil
}

// Seen says whether any client asked for anything.
func (r Result) Seen() bool { return len(r.Fingerprints) > 0 }

// lostAcks are the batches that a broker wrote, and whose answer no client got.
func lostAcks(exchanges []evidence.Exchange) []evidence.TraceBatch {
	var lost []evidence.TraceBatch
	for _, e := range exchanges {
		if e.Delivered || e.API != "Produce" {
			continue
		}
		for _, b := range e.Batches {
			if b.Code == "ok" && b.BaseOffset >= 0 {
				lost = append(lost, b)
			}
		}
	}
	return lost
}
