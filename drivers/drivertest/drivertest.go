// Package drivertest is the suite that every driver passes: does it report what
// its library said, and is that what stands in the log?
//
// A check looks at a driver from both sides. It acts through the driver, and
// reads the outcome through a Cluster, which knows nothing of the driver.
// Where libraries legitimately differ the check says so and accepts each of
// their ways. The suite itself is tested in drivers/memory, against a driver
// that lies in one named way at a time.
package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"kcompare/drivers"
)

// Cluster is the broker of a suite, seen without the driver under test. It
// creates no topic by itself. Its methods may be called concurrently, because
// checks run side by side.
type Cluster interface {
	// Config is the settings with which a client reaches the cluster:
	// bootstrap.servers, and whatever else it needs.
	Config() map[string]string

	// CreateTopic makes a topic whose name nothing else uses, and waits until
	// every partition has a leader.
	CreateTopic(ctx context.Context, partitions int32) (string, error)

	// Log is every data record of a topic as it stands there now, decided or
	// not, ordered by partition and offset.
	Log(ctx context.Context, topic string) ([]LogRecord, error)

	// Offsets is what the cluster stores for a group, ordered by topic and
	// partition. A group that it does not know has none.
	Offsets(ctx context.Context, group string) ([]drivers.Position, error)

	// Undecided says whether an open transaction has an offset of this partition for
	// the group.
	Undecided(ctx context.Context, group string, partition drivers.TopicPartition) (bool, error)

	// LoseEndTxn makes the cluster drop every later request to end a
	// transaction of this transactional.id, unanswered.
	LoseEndTxn(transactionalID string)
}

// LogRecord is a record as it stands in the log.
type LogRecord struct {
	drivers.Record
	State        State
	BatchRecords int // records in its batch, this one included
}

// State says what a read_committed reader makes of a record.
type State int

// The states of a record. A record of an open transaction, and everything
// behind it, is Pending.
const (
	Pending State = iota
	Visible
	Aborted
)

// String is the state in words.
func (s State) String() string {
	return [...]string{"pending", "visible", "aborted"}[s]
}

// Check is one thing that a driver must do right.
type Check struct {
	Name  string // "producer/order"
	Needs Needs

	// Run says in its error what was expected and what came. It shares the
	// cluster with other checks, and works on topics, groups and transactional
	// ids of its own.
	Run func(context.Context, Subject) error
}

// Subject is what a check looks at.
type Subject struct {
	Driver  drivers.Driver
	Cluster Cluster
}

// Needs is the ability without which a check is skipped.
type Needs string

// The abilities that a check may need.
const (
	Nothing      Needs = ""
	Transactions Needs = "transactions"
	Groups       Needs = "groups"
	Both         Needs = "transactions and groups"
	PlainClose   Needs = "close of its own"
	Figures      Needs = "figures"
	Rebalances   Needs = "rebalances"
	Store        Needs = "store"
	Bulk         Needs = "bulk"
	Paced        Needs = "paced"

	// BulkTransactions needs bulk and groups, too: what is read in bulk is read by a group.
	BulkTransactions Needs = "bulk transactions"
)

// In says whether a driver with these abilities can run the check.
func (n Needs) In(a drivers.Abilities) bool {
	switch n {
	case Transactions:
		return a.Transactions
	case Groups:
		return a.Groups
	case Both:
		return a.Transactions && a.Groups
	case PlainClose:
		return a.PlainClose
	case Figures:
		return a.Figures
	case Rebalances:
		return a.Groups && a.Rebalances
	case Store:
		return a.Groups && a.Store
	case Bulk:
		return a.Bulk
	case Paced:
		return a.Bulk && a.Paced
	case BulkTransactions:
		return a.Bulk && a.BulkTransactions && a.Transactions && a.Groups
	}
	return true
}

// Patience bounds a check. What has not come until then never comes.
const Patience = 30 * time.Second

// Result is what became of a check: it is right where Unable and Wrong are empty.
type Result struct {
	Unable string // why it says nothing: an ability that is missing, a setting that the library cannot express
	Key    string // that setting; empty for an ability
	Wrong  error  // what was expected, and what came
}

// Try runs the check, if the driver is able to. What the library has no way to express
// is not wrong, unless the driver has the ability that is about nothing else.
func (c Check) Try(ctx context.Context, s Subject) Result {
	can := s.Driver.Abilities()
	if !c.Needs.In(can) {
		return Result{Unable: "no " + string(c.Needs)}
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	err := c.Run(ctx, s)
	var unsupported *drivers.UnsupportedError
	switch {
	case !errors.As(err, &unsupported) || saysMore(err):
		return Result{Wrong: err}
	case promised(can, unsupported):
		return Result{Wrong: fmt.Errorf("it says that it has the ability, and refuses the setting: %w", err)}
	}
	return Result{Unable: unsupported.Error(), Key: unsupported.Key}
}

// saysMore finds an error beside those about settings that cannot be expressed.
func saysMore(err error) bool {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		return slices.ContainsFunc(joined.Unwrap(), saysMore)
	}
	var unsupported *drivers.UnsupportedError
	return !errors.As(err, &unsupported)
}

// promised says whether an ability is that the library can express this setting.
func promised(can drivers.Abilities, refused *drivers.UnsupportedError) bool {
	switch refused.Key {
	case "enable.idempotence":
		return can.Idempotence && refused.Value == "true"
	case "transactional.id":
		return can.Transactions
	case "group.id":
		return can.Groups
	}
	return false
}

// Run runs every check as a subtest, side by side. They mostly wait: with
// go test -parallel=8 a suite takes a third of the time on two cores. A check that
// needs an ability that the driver does not have is skipped, and the test log says so.
// A setting that it cannot express is an error here: the drivers that are tested like
// this can express all that the suite sets, and a check that says nothing is none.
func Run(t *testing.T, cluster Cluster, driver drivers.Driver) {
	for _, check := range Checks() {
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			switch r := check.Try(t.Context(), Subject{Driver: driver, Cluster: cluster}); {
			case r.Wrong != nil:
				t.Error(r.Wrong)
			case r.Key != "":
				t.Error(r.Unable)
			case r.Unable != "":
				t.Skipf("%s: %s", driver.Client(), r.Unable)
			}
		})
	}
}
