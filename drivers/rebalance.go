package drivers

// Rebalancing is a Consumer that tells how its share of the group's partitions
// changed. Without it nobody can say whether an offset that comes again was to be
// expected.
type Rebalancing interface {
	// Rebalances is what the library told since the last call, oldest first. It is
	// called from the goroutine of Poll, and once more after Close.
	Rebalances() []Rebalance
}

// Rebalance is one change of an assignment, as the library told it.
type Rebalance struct {
	Change     Change
	Partitions []TopicPartition

	// After is how many records Poll had returned in all when it happened, those
	// included that the Poll under way returned before it.
	After int64
}

// Change is what happened to an assignment.
type Change string

// The changes of an assignment. Of Lost partitions somebody else may have read on
// already.
const (
	Assigned Change = "assigned"
	Revoked  Change = "revoked"
	Lost     Change = "lost"
)

// Storing is a Consumer that commits automatically what the program says it is done
// with, where enable.auto.offset.store=false.
type Storing interface {
	// Store notes positions (the next to read) for the next automatic commit. It sends
	// nothing.
	Store(next []Position) error
}
