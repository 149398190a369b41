package proxy

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Observed is all that the proxy saw and did. A trial reads it after Close.
type Observed struct {
	Trace      evidence.Trace           // in the order in which requests were read
	Fired      map[string][]fault.Point // by rule: faults that really happened; empty with LongLived
	Hits       map[string]int64         // by rule: requests and connections that a fault happened to
	Collateral map[string]int64         // by rule: innocent answers lost with or on a connection, and requests that have no answer

	// Requests by API, and those of Produce, have what came while its connection
	// stood, what a fault then lost included. What a client still writes into a
	// connection that a fault has ended is in the trace, as not forwarded, and in no
	// count: it is a matter of how fast the client notices, and it sends it again.
	// With acks=0 it does not, so such a request counts like one that came in time.
	// The second copy that DuplicateRequest makes is in the trace alone.
	Requests        map[string]int64
	ProduceRequests int64

	// ByClient is Requests by client id: client id to API to requests. What comes
	// from more than 100 client ids is counted under OtherClients.
	ByClient map[string]map[string]int64

	ResponsesDropped int64 // answers to Produce that a fault lost, collateral included
	RequestsDropped  int64 // Produce requests that a fault kept from the broker, collateral included

	// BrokerSide are the proxy's own addresses towards brokers, one a connection.
	// A broker that sees another peer than these was reached past the proxy. Empty
	// with LongLived.
	BrokerSide []string

	// Connections are those of clients that a broker was dialled for, in the order in
	// which they came. At most 10,000; none with LongLived.
	Connections []Connection

	// Lowered are the API versions that a broker has and kmsg does not, which
	// clients were not told of: "Fetch 19 -> 18".
	Lowered []string

	// Problems are failures of the proxy itself, or traffic that it could not
	// read: a trial that has one proves nothing. At most 100, each once.
	Problems []string
}

// Connection is one connection of a client. Times are by Options.Clock.
type Connection struct {
	ID     int64 // evidence.Exchange.Conn
	Opened time.Duration
	Ended  time.Duration // when the client hung up, or a fault ended it; 0 while it is open
}

const (
	mostProblems  = 100
	mostOpened    = 10_000
	mostClients   = 100
	produceFactor = 10 // Produce exchanges are kept up to so many times Keep
)

// OtherClients stands in Observed.ByClient for the client ids beyond its bound.
const OtherClients = "(others)"

// recorder collects what is observed. Exchanges belong to it once they were
// added: their fields change under its mutex alone.
type recorder struct {
	clock     func() time.Duration
	keep      int
	longLived bool
	hooks     hooks

	mu   sync.Mutex
	n    int64
	kept []*evidence.Exchange
	seen Observed
	ends map[place]int64 // offset behind what was written through the proxy, by partition
}

func newRecorder(opts Options) *recorder {
	return &recorder{
		clock: opts.Clock, keep: opts.Keep, longLived: opts.LongLived,
		hooks: hooks{onFault: opts.OnFault, onExchange: opts.OnExchange},
		ends:  newEnds(opts.Engine.Plan()),
		seen: Observed{
			Fired: map[string][]fault.Point{}, Hits: map[string]int64{}, Collateral: map[string]int64{},
			Requests: map[string]int64{}, ByClient: map[string]map[string]int64{},
		},
	}
}

// Observed is a copy of what was seen so far. It is complete after Close.
func (p *Proxy) Observed() Observed {
	r := p.record
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	seen.Trace.Exchanges = make([]evidence.Exchange, len(r.kept))
	for i, e := range r.kept {
		seen.Trace.Exchanges[i] = snapshot(e)
	}
	seen.Fired = map[string][]fault.Point{}
	for rule, points := range r.seen.Fired {
		seen.Fired[rule] = slices.Clone(points)
	}
	seen.Hits, seen.Collateral, seen.Requests = maps.Clone(r.seen.Hits), maps.Clone(r.seen.Collateral), maps.Clone(r.seen.Requests)
	seen.ByClient = map[string]map[string]int64{}
	for client, requests := range r.seen.ByClient {
		seen.ByClient[client] = maps.Clone(requests)
	}
	seen.BrokerSide, seen.Lowered = slices.Clone(r.seen.BrokerSide), slices.Clone(r.seen.Lowered)
	seen.Problems, seen.Connections = slices.Clone(r.seen.Problems), slices.Clone(r.seen.Connections)
	return seen
}

// snapshot is an exchange as it stands now. The caller holds the mutex.
func snapshot(e *evidence.Exchange) evidence.Exchange {
	c := *e
	c.Batches, c.Points = slices.Clone(e.Batches), slices.Clone(e.Points)
	if e.End != nil {
		end := *e.End
		c.End = &end
	}
	return c
}

// Requests is a copy of Observed.Requests as it stands now.
func (p *Proxy) Requests() map[string]int64 {
	r := p.record
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.seen.Requests)
}

// problem notes a failure that nobody may overlook.
func (r *recorder) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if len(r.seen.Problems) < mostProblems && !slices.Contains(r.seen.Problems, text) {
		r.seen.Problems = append(r.seen.Problems, text)
	}
}

// connected notes the proxy's own address of a broker connection.
func (r *recorder) connected(addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.longLived {
		r.seen.BrokerSide = append(r.seen.BrokerSide, addr)
	}
}

// opened notes a connection of a client.
func (r *recorder) opened(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.longLived && len(r.seen.Connections) < mostOpened {
		r.seen.Connections = append(r.seen.Connections, Connection{ID: id, Opened: r.clock()})
	}
}

// ended notes that a client's side of its connection has come to an end.
func (r *recorder) ended(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.seen.Connections, func(c Connection) bool { return c.ID == id }); i >= 0 {
		r.seen.Connections[i].Ended = r.clock()
	}
}

// lowered notes API versions that were hidden from clients.
func (r *recorder) lowered(versions []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range versions {
		if !slices.Contains(r.seen.Lowered, v) {
			r.seen.Lowered = append(r.seen.Lowered, v)
		}
	}
}

// add numbers an exchange and keeps it, if there is room.
func (r *recorder) add(e *evidence.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	e.N, e.At = r.n, r.clock().Microseconds()
	room := r.keep
	if e.API == produceName {
		room *= produceFactor
	}
	if len(r.kept) >= room {
		r.seen.Trace.Cut++
		return
	}
	r.kept = append(r.kept, e)
}

// took counts a request that came while its connection stood.
func (r *recorder) took(e *evidence.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.Requests[e.API]++
	r.byClient(e.Client)[e.API]++
	if e.API == produceName {
		r.seen.ProduceRequests++
	}
}

// byClient is the counts of a client id, or of the others where there are too many.
func (r *recorder) byClient(id string) map[string]int64 {
	counts, known := r.seen.ByClient[id]
	if !known && len(r.seen.ByClient) >= mostClients && id != OtherClients {
		return r.byClient(OtherClients)
	}
	if !known {
		counts = map[string]int64{}
		r.seen.ByClient[id] = counts
	}
	return counts
}

// change changes an exchange that was added.
func (r *recorder) change(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// answered notes the broker's answer. It may come before the request side has said
// that it forwarded the request.
func (r *recorder) answered(e *evidence.Exchange, size int, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Answered, e.AnsweredAt, e.ResponseBytes = true, a.at.Microseconds(), size
	e.Result = joined(e.Result, a.result)
	e.Features = a.features // nobody changes them later
	if e.End != nil {
		e.End.Code = a.ended
	}
	for i := range e.Batches {
		b := &e.Batches[i]
		if at, ok := a.appended[place{b.Topic, b.Partition}]; ok {
			b.Code, b.BaseOffset = at.code, at.offset
			r.wrote(*b)
		}
	}
}

// joined is what was done to a request, and what the broker said to it.
func joined(done, result string) string {
	if done == "" || result == "" {
		return done + result
	}
	return done + ": " + result
}

// fired notes that a fault happened, not that it was decided.
func (r *recorder) fired(e *evidence.Exchange, hit fault.Hit) {
	r.hooks.fault(r.noteFired(e, hit))
}

func (r *recorder) noteFired(e *evidence.Exchange, hit fault.Hit) FaultFired {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Fault = string(hit.Rule.Action)
	for _, p := range hit.Points {
		e.Points = append(e.Points, p.String())
	}
	r.hit(hit)
	if e.API == produceName {
		r.lost(hit.Rule.Action)
	}
	return FaultFired{At: r.clock(), Rule: hit.Rule, Points: hit.Points, Request: snapshot(e)}
}

// lost counts the answer or the Produce request that an action has lost.
func (r *recorder) lost(action fault.Action) {
	switch action {
	case fault.DropResponse, fault.Stall, fault.Truncate:
		r.seen.ResponsesDropped++
	case fault.DropRequest, fault.FalseAck, fault.ResetConnection, fault.HalfOpen, fault.KillNode, fault.RestartNode:
		r.seen.RequestsDropped++
	}
}

// hit counts what happened to a request or connection, and where unless nobody asks.
func (r *recorder) hit(hit fault.Hit) {
	r.seen.Hits[hit.Rule.Name]++
	if !r.longLived {
		r.seen.Fired[hit.Rule.Name] = append(r.seen.Fired[hit.Rule.Name], hit.Points...)
	}
}

// heldAnswer notes the answer to a request that was held: nobody gets it.
func (r *recorder) heldAnswer(e *evidence.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.API == produceName {
		r.seen.ResponsesDropped++
	}
}

// heldForGood notes that a request was held and never delivered.
func (r *recorder) heldForGood(e *evidence.Exchange, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Result = "held, not delivered: " + why.Error()
	if e.API == produceName {
		r.seen.RequestsDropped++
	}
}

// refused notes a connection that a rule closed at once.
func (r *recorder) refused(hit fault.Hit) {
	r.mu.Lock()
	r.hit(hit)
	at := r.clock()
	r.mu.Unlock()
	r.hooks.fault(FaultFired{At: at, Rule: hit.Rule, Points: hit.Points})
}

// collateral notes an innocent answer that was lost with the connection that a
// rule closed.
func (r *recorder) collateral(e *evidence.Exchange, rule string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Collateral = true
	r.seen.Collateral[rule]++
	if e.API == produceName {
		r.seen.ResponsesDropped++
	}
}

// collateralRequest notes an innocent request with acks=0 that was lost with the
// connection that a rule closed.
func (r *recorder) collateralRequest(e *evidence.Exchange, rule string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Collateral = true
	r.seen.Collateral[rule]++
	r.seen.RequestsDropped++
}

// produceName is the API that the trace treats in a way of its own.
var produceName = apiName(int16(kmsg.Produce))
