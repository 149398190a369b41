package fault

import (
	"encoding/binary"
	"hash/fnv"
)

// hits decides one point: the same answer for the same seed, rule and point,
// always.
func (r Rule) hits(seed int64, p Point) bool {
	switch chance := r.Select.Probability; {
	case chance <= 0:
		return false
	case chance >= 1:
		return true
	default:
		return uniform(seed, p) < chance
	}
}

// uniform maps seed and point to [0,1).
func uniform(seed int64, p Point) float64 {
	h := fnv.New64a()
	var number [8]byte
	for _, n := range []int64{seed, int64(p.Partition), int64(p.Attempt), int64(p.Ordinal)} {
		binary.LittleEndian.PutUint64(number[:], uint64(n))
		h.Write(number[:])
	}
	for _, s := range []string{p.Rule, p.API, p.Role, p.Record} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	h.Write([]byte(p.ID)) // the last one, and empty in most: older decisions stay as they were
	return float64(mix(h.Sum64())>>11) / float64(uint64(1)<<53)
}

// mix is the finalizer of splitmix64. FNV alone leaves neighbouring attempts
// correlated in the high bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Record is a logical record that a scenario will send, and where to.
type Record struct {
	Role      string
	Partition int32
	Record    string
}

// Planned lists, rule by rule, the points that will fire for these records, if
// the client sends each until it is spared, at most maxAttempts times.
// It knows the seed and nothing of the run. A rule that is Unplanned has none.
func (p Plan) Planned(seed int64, records []Record, maxAttempts int) map[string][]Point {
	planned := map[string][]Point{}
	for _, r := range p {
		if r.byRecord() || r.Unplanned() != "" {
			planned[r.Name] = nil
		} else {
			planned[r.Name] = r.plannedRequests(seed)
		}
	}
	for _, rec := range records {
		for _, point := range p.chain(seed, rec, maxAttempts) {
			planned[point.Rule] = append(planned[point.Rule], point)
		}
	}
	return planned
}

// chain is the attempts at one record that are hit, whichever rule does it, up to
// the first that is spared, or that is answered in spite of its fault, or after
// which nobody knows whether there is another one.
func (p Plan) chain(seed int64, rec Record, maxAttempts int) []Point {
	var points []Point
	for attempt := 1; attempt <= maxAttempts; attempt++ {
		point, rule := p.recordPoint(seed, rec, attempt)
		if rule.Action == "" || rule.Certain > 0 && attempt > rule.Certain {
			break
		}
		points = append(points, point)
		if rule.Action.spares() {
			break
		}
	}
	return points
}

// recordPoint is that of the first rule that hits this attempt, as the engine
// has it, and the rule; without an action if none does.
func (p Plan) recordPoint(seed int64, rec Record, attempt int) (Point, Rule) {
	for _, r := range p {
		point := Point{Rule: r.Name, Role: rec.Role, Partition: rec.Partition, Record: rec.Record, Attempt: attempt}
		if r.byRecord() && r.Unplanned() == "" && r.Select.selectsRecord(rec) && r.Select.selectsAttempt(attempt) && r.hits(seed, point) {
			return point, r
		}
	}
	return Point{}, Rule{}
}

func (s Selector) selectsRecord(rec Record) bool {
	return (s.Role == "" || s.Role == rec.Role) &&
		(s.Partition == nil || *s.Partition == rec.Partition) &&
		(s.Record == "" || s.Record == rec.Record)
}

// plannedRequests counts requests: the nth, or each of the first n that the
// seed picks. A rule with neither bound hits whatever comes and plans nothing.
func (r Rule) plannedRequests(seed int64) []Point {
	from, to := 1, r.Select.First
	if r.Select.Nth > 0 {
		from, to = r.Select.Nth, r.Select.Nth
	}
	var points []Point
	for ordinal := from; ordinal <= to; ordinal++ {
		point := Point{Rule: r.Name, API: r.Select.API, Role: r.Select.Role, ID: r.Select.TransactionalID, Ordinal: ordinal}
		if r.hits(seed, point) {
			points = append(points, point)
		}
	}
	return points
}

// MaxAttempts bounds a chain for a client that retries so many times.
func MaxAttempts(retries int) int {
	const enough = 10_000 // a longer chain has no chance of being spared in time
	return min(retries, enough-1) + 1
}
