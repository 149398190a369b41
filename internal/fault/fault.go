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
	FalseAck         Action = "false-ack"         // the broker never sees it, the answer says that it was written; Produce only
	Delay            Action = "delay"             // the answer comes Wait later than it would, and none that is behind it comes before it
	ResetConnection  Action = "reset-connection"  // TCP reset instead of forwarding
	RefuseConnection Action = "refuse-connection" // a new connection is closed at once

	// The connection stays up, and the client is told nothing.
	Stall    Action = "stall"     // neither this answer nor any later one of the connection comes; requests still reach the broker
	HalfOpen Action = "half-open" // the request and all after it are taken and go nowhere, nothing comes back
	Throttle Action = "throttle"  // from this answer on, answers of the connection come at Rate bytes a second

	Truncate         Action = "truncate"          // the first Bytes bytes of the answer's frame come, then the connection closes
	DuplicateRequest Action = "duplicate-request" // the broker gets the request twice, the second answer is swallowed
	HoldRequest      Action = "hold-request"      // the connection closes; the request reaches the broker later (see Until and Wait), nobody gets the answer

	// These change the cluster before the request is forwarded, and so need one
	// that is the run's own (see ChangesCluster).
	MoveLeader      Action = "move-leader"      // of the first partition that the rule selects, to another node
	MoveCoordinator Action = "move-coordinator" // of the group or transactional id of the request, to another node
	KillNode        Action = "kill-node"        // the node that the request is for, as a crash does; it stays away until the trial has ended
	PauseNode       Action = "pause-node"       // it does nothing for Wait, its connections stay up
	RestartNode     Action = "restart-node"     // it is stopped in an orderly way and started again, perhaps on another port
)

// Actions lists all of them, in the order in which an error does.
func Actions() []Action {
	return []Action{
		DropResponse, DropRequest, ReplaceResponse, AnswerInstead, FalseAck, Delay, ResetConnection, RefuseConnection,
		Stall, HalfOpen, Throttle, Truncate, DuplicateRequest, HoldRequest,
		MoveLeader, MoveCoordinator, KillNode, PauseNode, RestartNode,
	}
}

// ChangesCluster says whether the action does something to brokers, not only to
// what is on the wire.
func (a Action) ChangesCluster() bool {
	switch a {
	case MoveLeader, MoveCoordinator, KillNode, PauseNode, RestartNode:
		return true
	}
	return false
}

// spares says whether the client gets an answer without an error after all, so
// that it has no reason to send a record again.
func (a Action) spares() bool {
	switch a {
	case FalseAck, Delay, Throttle, DuplicateRequest, MoveCoordinator, PauseNode:
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
	Wait   time.Duration // Delay, PauseNode; HoldRequest: so long after it came it is delivered at the latest
	Until  string        // HoldRequest: it is delivered when a broker has done the next request of this API, or of any of several ("Produce,EndTxn"); "": after Wait
	Bytes  int           // Truncate: how much of the frame comes, its size field included
	Rate   int           // Throttle: bytes a second

	// Certain bounds what is planned of a rule that is decided record by record: only
	// the first so many attempts at a record are, because it is a matter of time whether
	// a client comes to the later ones. 0: all of them.
	Certain int

	// NotSent says why a client may never send such a request to this broker, as
	// with AddPartitionsToTxn since KIP-890. A rule that has a reason and met no
	// request is not applicable, neither planned nor missing.
	NotSent string
}

// Releases are the APIs of Until, none for "".
func (r Rule) Releases() []string {
	if r.Until == "" {
		return nil
	}
	apis := strings.Split(r.Until, ",")
	for i := range apis {
		apis[i] = strings.TrimSpace(apis[i])
	}
	return apis
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

	// TransactionalID is one that the request names: as the story calls it where there
	// is a story, because on a cluster that trials share each has ids of its own.
	TransactionalID string

	Warmup      int     // not the first so many requests of a connection: their answers pass
	Attempts    int     // only the first so many attempts of a record; 0: every attempt
	Nth         int     // only the nth request that the above selects, from 1; 0: any
	First       int     // only the first so many of them; 0: all
	Probability float64 // of a hit, decided by the seed; 0 never hits, 1 always
}

// produce is the API whose requests carry records.
const produce = "Produce"

// byRecord: Produce is decided record by record unless requests are counted.
func (r Rule) byRecord() bool {
	return r.Select.API == produce && r.Select.Nth == 0 && r.Select.First == 0
}

// Unplanned says why nobody knows before the run at which points the rule strikes;
// empty if that is known. Such a rule plans nothing, and has to fire at least once.
func (r Rule) Unplanned() string {
	if r.Select.Warmup > 0 {
		return "which request comes how late on its connection is up to the client"
	}
	return ""
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
	ID        string // without Record: the transactional id that the rule selects
	Ordinal   int    // without Record, from 1
}

// String is the point as evidence prints it: "payments/42 attempt 1",
// "EndTxn 3", "EndTxn shop-1 3", "Fetch payments 2", "connection 1".
func (p Point) String() string {
	switch {
	case p.Record != "":
		return fmt.Sprintf("%s attempt %d", p.Record, p.Attempt)
	case p.ID != "" || p.Role != "":
		return fmt.Sprintf("%s %s %d", p.API, strings.TrimSpace(p.Role+" "+p.ID), p.Ordinal)
	}
	return fmt.Sprintf("%s %d", cmp.Or(p.API, "connection"), p.Ordinal)
}

// Compare orders points for printing.
func (p Point) Compare(q Point) int {
	return cmp.Or(
		strings.Compare(p.Rule, q.Rule), strings.Compare(p.API, q.API), strings.Compare(p.Role, q.Role),
		strings.Compare(p.ID, q.ID), cmp.Compare(p.Ordinal, q.Ordinal), cmp.Compare(p.Partition, q.Partition),
		strings.Compare(p.Record, q.Record), cmp.Compare(p.Attempt, q.Attempt))
}
