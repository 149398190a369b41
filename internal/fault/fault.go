// Package fault holds plans: which requests are to be hit, and how. A decision
// is a pure function of the seed and of what is hit, never of a clock, a port,
// a client name or the order of arrival, so libraries that batch and pipeline
// differently are hit at the same logical points, and a seed replays.
//
// It knows nothing of the network: package proxy carries the faults out.
package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Action is what is done to a request or a connection.
type Action string

// The actions. Each that loses something closes the connection afterwards,
// because a client needs answers in the order of its requests.
const (
	DropResponse     Action = "drop-response"     // the broker did it, the answer is lost
	DropRequest      Action = "drop-request"      // the request is lost, the broker never sees it
	ReplaceResponse  Action = "replace-response"  // the broker did it, the answer is replaced by Code
	AnswerInstead    Action = "answer-instead"    // the broker never sees it, the answer is Code
	Delay            Action = "delay"             // the answer, and those behind it, come Wait later
	ResetConnection  Action = "reset-connection"  // TCP reset instead of forwarding
	RefuseConnection Action = "refuse-connection" // a new connection is closed at once

	// The connection stays up, and the client is told nothing.
	Stall    Action = "stall"     // neither this answer nor any later one of the connection comes; requests still reach the broker
	HalfOpen Action = "half-open" // the request and all after it are taken and go nowhere, nothing comes back
	Throttle Action = "throttle"  // from this answer on, answers of the connection come at Rate bytes a second

	Truncate         Action = "truncate"          // the first Bytes bytes of the answer's frame come, then the connection closes
	DuplicateRequest Action = "duplicate-request" // the broker gets the request twice, the second answer is swallowed
	HoldRequest      Action = "hold-request"      // the connection closes; the request reaches the broker later, see Until and Wait

	// These change the cluster before the request is forwarded, and so need one
	// that is the run's own (see ChangesCluster).
	MoveLeader      Action = "move-leader"      // of the first partition that the rule selects, to another node
	MoveCoordinator Action = "move-coordinator" // of the group or transactional id of the request, to another node
	KillNode        Action = "kill-node"        // the node that the request is for, as a crash does; it stays away until the trial has ended
	PauseNode       Action = "pause-node"       // it does nothing for Wait, its connections stay up
	RestartNode     Action = "restart-node"     // it is stopped in an orderly way and started again, perhaps on another port
)

// ChangesCluster says whether the action does something to brokers, not only to
// what is on the wire.
func (a Action) ChangesCluster() bool {
	switch a {
	case MoveLeader, MoveCoordinator, KillNode, PauseNode, RestartNode:
		return true
	}
	return false
}

// Plan is the faults of a trial. The first rule that hits a request wins.
type Plan []Rule

// Rule is one planned fault.
type Rule struct {
	Name   string // part of the decision: two rules decide independently
	Action Action
	Select Selector
	Code   int16         // ReplaceResponse, AnswerInstead: Kafka's error code
	Wait   time.Duration // Delay, PauseNode; HoldRequest: the latest moment of delivery
	Until  string        // HoldRequest: it is delivered when the next request of this API was answered; "": after Wait
	Bytes  int           // Truncate: how much of the frame comes, its size field included
	Rate   int           // Throttle: bytes a second

	// NotSent says why a client may never send such a request to this broker, as
	// with AddPartitionsToTxn since KIP-890. A rule that has a reason and met no
	// request is not applicable, neither planned nor missing.
	NotSent string
}

// Selector says which requests a rule may hit. Zero values select everything;
// all that are set must agree.
type Selector struct {
	API        string // "Produce"; RefuseConnection has none
	Client     string // client.id of the request
	Node       *int32
	Role       string // topic role, "payments"
	Partition  *int32
	Record     string // logical record, "payments/42"
	ProducerID *int64
	Epoch      *int16
	Sequence   *int32
	End        string // EndTxn only: "commit" or "abort"

	Attempts    int     // only the first so many attempts of a record; 0: every attempt
	Nth         int     // only the nth request that the above selects, from 1; 0: any
	First       int     // only the first so many of them; 0: all
	Probability float64 // of a hit, decided by the seed; 0 never hits, 1 always
}

// Validate says what is wrong with the plan.
func (p Plan) Validate() error {
	names := map[string]bool{}
	for _, r := range p {
		if r.Name == "" || names[r.Name] {
			return fmt.Errorf("fault rule %q: every rule needs a name of its own", r.Name)
		}
		names[r.Name] = true
		if err := r.validate(); err != nil {
			return fmt.Errorf("fault rule %q: %w", r.Name, err)
		}
	}
	return nil
}

func (r Rule) validate() error {
	s := r.Select
	switch {
	case !slices.Contains(actions(), r.Action):
		return fmt.Errorf("action %q: expected one of %s", r.Action, join(actions()))
	case !(s.Probability >= 0 && s.Probability <= 1): // so put that NaN is refused
		return fmt.Errorf("probability %v: expected 0 to 1", s.Probability)
	case (s.API == "") != (r.Action == RefuseConnection):
		return fmt.Errorf("api %q: every action but %s names one", s.API, RefuseConnection)
	case (r.Code != 0) != (r.Action == ReplaceResponse || r.Action == AnswerInstead):
		return fmt.Errorf("code %d: %s and %s need one, other actions have none", r.Code, ReplaceResponse, AnswerInstead)
	case r.Wait < 0 || (r.Wait != 0) != (r.Action == Delay):
		return fmt.Errorf("wait %v: %s needs a positive one, other actions have none", r.Wait, Delay)
	case !r.byRecord() && s.Nth == 0 && s.First == 0 && s.Probability < 1:
		return fmt.Errorf("api %s: a chance needs a bound, nth or first, where no record is involved", s.API)
	}
	return cmp.Or(r.validateCounting(), s.validateReach(r.Action))
}

// validateCounting refuses bounds that contradict each other, and rules whose
// points nobody could plan.
func (r Rule) validateCounting() error {
	s := r.Select
	switch {
	case s.Nth < 0 || s.First < 0 || s.Attempts < 0:
		return fmt.Errorf("nth %d, first %d, attempts %d: expected 0 or more", s.Nth, s.First, s.Attempts)
	case s.Nth > 0 && s.First > 0:
		return fmt.Errorf("nth %d and first %d: set one of them", s.Nth, s.First)
	case s.Attempts > 0 && !r.byRecord():
		return fmt.Errorf("attempts %d: only where records are decided one by one: %s without nth and first", s.Attempts, produce)
	case r.byRecord() && (s.Node != nil || s.ProducerID != nil || s.Epoch != nil || s.Sequence != nil):
		return fmt.Errorf("node, producer id, epoch and sequence of a record are not known before the run: count requests with nth or first")
	}
	return nil
}

// validateReach refuses selectors that no request of the API could match.
func (s Selector) validateReach(a Action) error {
	produceOnly := s.Record != "" || s.ProducerID != nil || s.Epoch != nil || s.Sequence != nil
	switch {
	case s.End != "" && s.End != "commit" && s.End != "abort":
		return fmt.Errorf("end %q: expected commit or abort", s.End)
	case s.End != "" && s.API != "EndTxn":
		return fmt.Errorf("end %q: only EndTxn has it, not %q", s.End, s.API)
	case a == RefuseConnection && (produceOnly || s.Client != "" || s.Role != "" || s.Partition != nil):
		return fmt.Errorf("%s selects by node alone: nothing else is known of a new connection", a)
	case produceOnly && s.API != produce:
		return fmt.Errorf("record, producer id, epoch and sequence: only %s has them, not %s", produce, s.API)
	}
	return nil
}

func actions() []Action {
	return []Action{DropResponse, DropRequest, ReplaceResponse, AnswerInstead, Delay, ResetConnection, RefuseConnection}
}

func join(as []Action) string {
	words := make([]string, len(as))
	for i, a := range as {
		words[i] = string(a)
	}
	return strings.Join(words, ", ")
}

// produce is the API whose requests carry records.
const produce = "Produce"

// byRecord: Produce is decided record by record unless requests are counted.
func (r Rule) byRecord() bool {
	return r.Select.API == produce && r.Select.Nth == 0 && r.Select.First == 0
}

// NeedsRecords says whether the rule looks at the records of a request: who
// carries it out has to decode them first.
func (r Rule) NeedsRecords() bool { return r.byRecord() || r.Select.Record != "" }

// Point is where a fault is planned, and where it fired: one attempt at a
// record, or the nth request of an API.
type Point struct {
	Rule      string
	Role      string
	Partition int32  // with Record
	Record    string // logical record; empty where requests are counted
	Attempt   int    // with Record, from 1
	API       string // without Record
	Ordinal   int    // without Record, from 1
}

// String is the point as evidence prints it: "payments/42 attempt 1",
// "EndTxn 3", "Fetch payments 2", "connection 1".
func (p Point) String() string {
	switch {
	case p.Record != "":
		return fmt.Sprintf("%s attempt %d", p.Record, p.Attempt)
	case p.Role != "":
		return fmt.Sprintf("%s %s %d", p.API, p.Role, p.Ordinal)
	}
	return fmt.Sprintf("%s %d", cmp.Or(p.API, "connection"), p.Ordinal)
}

// Compare orders points for printing.
func (p Point) Compare(q Point) int {
	return cmp.Or(
		strings.Compare(p.Rule, q.Rule), strings.Compare(p.API, q.API), strings.Compare(p.Role, q.Role),
		cmp.Compare(p.Ordinal, q.Ordinal), cmp.Compare(p.Partition, q.Partition),
		strings.Compare(p.Record, q.Record), cmp.Compare(p.Attempt, q.Attempt))
}
