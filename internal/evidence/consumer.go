package evidence

// Consumer is what one consumer of a story did and was given, in its order. The
// audit holds it to two things: nothing visible is stepped over, and nothing comes
// again without a seek or a rebalance.
type Consumer struct {
	Who         string // which part of the story it is
	Uncommitted bool   // isolation.level=read_uncommitted: every data record is due
	Steps       []Step
}

// Step is one thing that happened to a partition of a consumer.
type Step struct {
	Kind      StepKind
	Topic     string
	Partition int32
	Offset    int64 // of a Sought: the next to come; of a Returned: that of the first record
	Count     int64 // of a Returned: so many records, at consecutive offsets
}

// StepKind is what happened.
type StepKind string

// The kinds of steps. Where a consumer begins after it was assigned a partition is a
// matter of what its group has committed, so the audit takes the first offset as it
// comes.
const (
	StepAssigned StepKind = "assigned"
	StepRevoked  StepKind = "revoked" // lost ones too
	StepSought   StepKind = "sought"
	StepReturned StepKind = "returned"
)
