package fault

import (
	"slices"
	"sync"
)

// Request is a request as a rule sees it.
type Request struct {
	Client string
	API    string
	Node   int32
	Number int    // on its connection, from 1
	End    string // EndTxn only: "commit" or "abort"

	// TransactionalIDs are those that it names, as rules call them; empty where it names
	// none that a rule is about.
	TransactionalIDs []string

	Parts []Part // the partitions that it names; empty where it names none
}

// Part is one partition of a request. Producer and records are set for Produce.
type Part struct {
	Topic         string // as the cluster names it, for MoveLeader; no decision looks at it
	Role          string
	Partition     int32
	ProducerID    int64
	ProducerEpoch int16
	BaseSequence  int32
	Records       []string // logical records
}

// Engine decides request by request. It is the only thing here that remembers:
// how often each record was attempted, and how many requests each rule has
// counted. Methods may be called concurrently.
type Engine struct {
	plan Plan
	seed int64

	mu       sync.Mutex
	attempts map[Record]int
	older    map[Record]int // what attempts was before it was full: see Bound
	bound    int
	ordinals map[string]int // by rule
}

// NewEngine makes an engine for a valid plan.
func NewEngine(plan Plan, seed int64) *Engine {
	return &Engine{plan: plan, seed: seed, attempts: map[Record]int{}, ordinals: map[string]int{}}
}

// Bound makes the engine forget how often a record was attempted when that many
// other records or more have come since, up to twice as many: for an engine that
// runs for so long that it must not remember all. Without it nothing is forgotten.
func (e *Engine) Bound(records int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bound = records
}

// Plan is the rules that the engine decides by.
func (e *Engine) Plan() Plan { return e.plan }

// Hit is a decision: this rule, because of these points.
type Hit struct {
	Rule   Rule
	Points []Point
	Part   Part // the first partition that the rule selects, of the first point where records are decided; zero if the request names none
}

// Request counts an attempt at every record of the request, and decides. It is
// to be called once for each request that is about to be forwarded. A request
// is hit if any of its points is hit; attempts has the attempt of each part's
// first record.
func (e *Engine) Request(r Request) (hit Hit, isHit bool, attempts []int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	attempts = e.count(r)
	for _, rule := range e.plan {
		if rule.Action == RefuseConnection {
			continue
		}
		h, isHitToo := e.decide(rule, r)
		if isHitToo && !isHit {
			hit, isHit = h, true
		}
	}
	return hit, isHit, attempts
}

// Connection decides on a new connection to a node.
func (e *Engine) Connection(node int32) (Hit, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, rule := range e.plan {
		if rule.Action != RefuseConnection || rule.Select.Node != nil && *rule.Select.Node != node {
			continue
		}
		if points := e.countedPoint(rule); len(points) > 0 {
			return Hit{Rule: rule, Points: points}, true
		}
	}
	return Hit{}, false
}

// count adds one attempt for each record of the request. A record that stands
// in it twice, because the application sent it twice, was attempted once.
func (e *Engine) count(r Request) []int {
	first := make([]int, len(r.Parts))
	counted := map[Record]bool{}
	for i, part := range r.Parts {
		for j, record := range part.Records {
			key := Record{Role: part.Role, Partition: part.Partition, Record: record}
			if !counted[key] {
				counted[key] = true
				e.attempt(key)
			}
			if j == 0 {
				first[i] = e.attempted(key)
			}
		}
	}
	return first
}

// attempt counts one attempt at a record.
func (e *Engine) attempt(r Record) {
	n := e.attempted(r) + 1
	if _, known := e.attempts[r]; !known && e.bound > 0 && len(e.attempts) >= e.bound {
		e.attempts, e.older = map[Record]int{}, e.attempts
	}
	e.attempts[r] = n
}

// attempted is how often a record was attempted so far.
func (e *Engine) attempted(r Record) int {
	if n, known := e.attempts[r]; known {
		return n
	}
	return e.older[r]
}

// decide is what one rule says of a request.
func (e *Engine) decide(rule Rule, r Request) (Hit, bool) {
	parts, selected := rule.Select.selects(r)
	if !selected {
		return Hit{}, false
	}
	hit := Hit{Rule: rule}
	if rule.byRecord() {
		hit.Points = e.recordPoints(rule, parts)
	} else {
		hit.Points = e.countedPoint(rule)
	}
	if len(hit.Points) == 0 {
		return Hit{}, false
	}
	hit.Part = partOf(hit.Points[0], parts)
	return hit, true
}

// partOf is where a point is.
func partOf(p Point, parts []Part) Part {
	for _, part := range parts {
		if p.Record == "" || part.Role == p.Role && part.Partition == p.Partition {
			return part
		}
	}
	return Part{}
}

func (e *Engine) recordPoints(rule Rule, parts []Part) []Point {
	var points []Point
	for _, part := range parts {
		for _, record := range part.Records {
			rec := Record{Role: part.Role, Partition: part.Partition, Record: record}
			attempt := e.attempted(rec)
			point := Point{Rule: rule.Name, Role: rec.Role, Partition: rec.Partition, Record: record, Attempt: attempt}
			if rule.Select.selectsRecord(rec) && rule.Select.selectsAttempt(attempt) && rule.hits(e.seed, point) {
				points = append(points, point)
			}
		}
	}
	slices.SortFunc(points, Point.Compare)
	return slices.Compact(points)
}

func (s Selector) selectsAttempt(attempt int) bool {
	return s.Attempts == 0 || attempt <= s.Attempts
}

// countedPoint counts a request that the rule selects, and decides on it.
func (e *Engine) countedPoint(rule Rule) []Point {
	e.ordinals[rule.Name]++
	ordinal := e.ordinals[rule.Name]
	if rule.Select.Nth > 0 && ordinal != rule.Select.Nth || rule.Select.First > 0 && ordinal > rule.Select.First {
		return nil
	}
	point := Point{Rule: rule.Name, API: rule.Select.API, Role: rule.Select.Role, ID: rule.Select.TransactionalID, Ordinal: ordinal}
	if !rule.hits(e.seed, point) {
		return nil
	}
	return []Point{point}
}

// selects says whether the rule looks at this request at all, and at which of
// its parts.
func (s Selector) selects(r Request) ([]Part, bool) {
	if s.API != r.API || s.Client != "" && s.Client != r.Client ||
		s.Node != nil && *s.Node != r.Node || s.End != "" && s.End != r.End ||
		s.TransactionalID != "" && !slices.Contains(r.TransactionalIDs, s.TransactionalID) ||
		s.Warmup > 0 && r.Number <= s.Warmup {
		return nil, false
	}
	var parts []Part
	for _, part := range r.Parts {
		if s.selectsPart(part) {
			parts = append(parts, part)
		}
	}
	return parts, len(parts) > 0 || !s.needsPart()
}

func (s Selector) needsPart() bool {
	return s.Role != "" || s.Partition != nil || s.Record != "" ||
		s.ProducerID != nil || s.Epoch != nil || s.Sequence != nil
}

func (s Selector) selectsPart(p Part) bool {
	return (s.Role == "" || s.Role == p.Role) &&
		(s.Partition == nil || *s.Partition == p.Partition) &&
		(s.ProducerID == nil || *s.ProducerID == p.ProducerID) &&
		(s.Epoch == nil || *s.Epoch == p.ProducerEpoch) &&
		(s.Sequence == nil || *s.Sequence == p.BaseSequence) &&
		(s.Record == "" || slices.Contains(p.Records, s.Record))
}
