package probe

import (
	"time"

	"kcompare/internal/fault"
)

// Fault is a plan with a short name, for a program of which nobody knows what it sends:
// each strikes at the first request that it is about, so that it happens in a short
// program too. The name is what --fault takes.
type Fault struct {
	Name string
	Does string // in a line
	Plan fault.Plan
}

// Kafka's codes of the faults that answer with one.
const (
	requestTimedOut = 7
	notLeader       = 6
	notCoordinator  = 16
	rebalancing     = 27
	producerFenced  = 90
)

const (
	mostLosses = 10  // requests among which the seed chooses: one can cost a program seconds
	lossRate   = 0.3 // of them
	slowness   = 2 * time.Second
)

// Faults are all of them, in the order in which help and errors list them.
func Faults() []Fault {
	return []Fault{
		{"lost-ack", "the broker writes the records, its answer is lost with the connection: the first, and some of the next ten", losses("lost-ack", fault.DropResponse, "Produce")},
		{"lost-request", "records are lost on the way to the broker, with the connection: the first, and some of the next ten", losses("lost-request", fault.DropRequest, "Produce")},
		{"late-ack", "the answer to the first Produce comes 2 s later", fault.Plan{{Name: "late-ack", Action: fault.Delay, Wait: slowness, Select: first("Produce")}}},
		{"stall", "no answer comes any more on the connection of the first Produce, which stays up", fault.Plan{{Name: "stall", Action: fault.Stall, Select: first("Produce")}}},
		{"timed-out", "the first records are written, and answered by REQUEST_TIMED_OUT", coded("timed-out", fault.ReplaceResponse, "Produce", requestTimedOut)},
		{"not-leader", "the first Produce is refused by NOT_LEADER_OR_FOLLOWER", coded("not-leader", fault.AnswerInstead, "Produce", notLeader)},
		{"fenced", "the first Produce is refused by PRODUCER_FENCED", coded("fenced", fault.AnswerInstead, "Produce", producerFenced)},
		{"leader-move", "the partition of the first Produce gets another leader before the request comes to it", fault.Plan{{Name: "leader-move", Action: fault.MoveLeader, Select: first("Produce")}}},
		{"lost-commit", "the first transaction ends, the answer to its EndTxn is lost", fault.Plan{{Name: "lost-commit", Action: fault.DropResponse, Select: first("EndTxn")}}},
		{"lost-fetch", "records are lost on the way to the consumer, with the connection: the first, and some of the next ten", losses("lost-fetch", fault.DropResponse, "Fetch")},
		{"lost-offset-commit", "the first offsets are committed, the answer is lost", fault.Plan{{Name: "lost-offset-commit", Action: fault.DropResponse, Select: first("OffsetCommit")}}},
		{"rebalance", "the first Heartbeat is answered by REBALANCE_IN_PROGRESS, and the member joins again", coded("rebalance", fault.AnswerInstead, "Heartbeat", rebalancing)},
		{"not-coordinator", "the first JoinGroup is refused by NOT_COORDINATOR", coded("not-coordinator", fault.AnswerInstead, "JoinGroup", notCoordinator)},
		{"refused", "the first three connections are closed at once", fault.Plan{{Name: "refused", Action: fault.RefuseConnection, Select: fault.Selector{First: 3, Probability: 1}}}},
	}
}

func first(api string) fault.Selector { return fault.Selector{API: api, Nth: 1, Probability: 1} }

func coded(name string, action fault.Action, api string, code int16) fault.Plan {
	return fault.Plan{{Name: name, Action: action, Code: code, Select: first(api)}}
}

// losses hit the first request for certain, and then as the seed says.
func losses(name string, action fault.Action, api string) fault.Plan {
	return fault.Plan{
		{Name: name, Action: action, Select: first(api)},
		{Name: name + "-again", Action: action, Select: fault.Selector{API: api, First: mostLosses, Probability: lossRate}},
	}
}
