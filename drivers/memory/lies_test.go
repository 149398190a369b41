package memory_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/memory"
)

// cluster shows the suite the broker inside a driver.
type cluster struct {
	*memory.Broker
	topics atomic.Int64
}

func (c *cluster) Config() map[string]string {
	return map[string]string{"bootstrap.servers": memory.Address}
}

func (c *cluster) CreateTopic(_ context.Context, partitions int32) (string, error) {
	topic := fmt.Sprintf("topic-%d", c.topics.Add(1))
	c.Broker.CreateTopic(topic, partitions)
	return topic, nil
}

func (c *cluster) Log(_ context.Context, topic string) ([]drivertest.LogRecord, error) {
	states := map[memory.State]drivertest.State{
		memory.Pending: drivertest.Pending, memory.Visible: drivertest.Visible, memory.Aborted: drivertest.Aborted,
	}
	var log []drivertest.LogRecord
	for _, e := range c.Broker.Log(topic) {
		log = append(log, drivertest.LogRecord{Record: e.Record, State: states[e.State], BatchRecords: e.BatchRecords})
	}
	return log, nil
}

func (c *cluster) Undecided(_ context.Context, group string, _ drivers.TopicPartition) (bool, error) {
	return c.Broker.Undecided(group), nil
}

func (c *cluster) Offsets(_ context.Context, group string) ([]drivers.Position, error) {
	return c.Broker.Offsets(group), nil
}

func TestHonestPasses(t *testing.T) {
	driver := memory.New(memory.Honest)
	drivertest.Run(t, &cluster{Broker: driver.Broker()}, driver)
}

// caught says of each lie which checks must find it out, whatever others do,
// and in which words: a check that fails for another reason caught nothing.
var caught = map[memory.Lie][]string{
	memory.LoseAcked: {
		"producer/each-record-once: record payments/2 acked at topic-1-0@0, but the log does not have it",
		"producer/acks-0: the last of 50 records never came",
		"producer/close-plainly: record payments/2 acked at topic-1-0@2, but the log does not have it",
	},
	memory.DuplicateRecord: {"producer/each-record-once: acked once, but the log has it 2 times: topic-1-0@0, topic-1-0@1"},
	memory.Reorder:         {"producer/order: got topic-1-0@0 key=nil value=\"payments/3\""},
	memory.WrongOffset:     {"producer/each-record-once: acked at topic-1-0@1, but the log has it at topic-1-0@0"},
	memory.WrongPartition:  {"producer/each-record-once: acked at topic-1-1@0, but the log has it at topic-1-0@0"},
	memory.Misplace: {
		"producer/content: expected topic-1-2@0 key=\"order-1\"",
		"producer/partitioner: expected topic-1-2@0 key=\"order-4\"",
	},
	memory.ReportTwice: {"producer/each-record-once: expected one report, acked, got 2"},
	memory.NeverReport: {
		"producer/each-record-once: expected one report, acked, got 0",
		"producer/reports-unasked: record payments/2: expected a report without a flush, none came within 10s",
	},
	memory.FailWritten: {"producer/each-record-once: reported failed, but stands in the log at"},
	memory.AckFailed: {
		"producer/too-large: expected one report, failed, got 1: [{acked",
		"producer/missing-topic: reported acked, although its topic does not exist",
		"producer/close-gives-up: reported acked, although no broker was reachable",
	},
	memory.NoClass: {
		"producer/too-large: expected an error of class application",
		"transaction/calls-out-of-order: expected an error of class application",
	},
	memory.FlushTooEarly: {"producer/flush-waits: record payments/0: expected one report, acked, got 0"},
	memory.DeafFlush:     {"producer/flush-ends-with-context: expected to return within 5s"},
	memory.Miscount:      {"producer/figures: records sent: expected 20, it says 21"},
	memory.BlockingClose: {"producer/close-gives-up: close without a broker: expected to return within 5s"},
	memory.SharedBatches: {"producer/one-record-per-batch: it shares one of 100 records"},
	memory.CorruptValue:  {"producer/content: got topic-1-2@0 key=\"order-1\" value=\"!\""},
	memory.DropHeader:    {"producer/content: expected topic-1-2@0 key=\"order-1\" value=nil set=\"x\""},
	memory.EmptyForNil:   {"producer/content: got topic-1-0@0 key=\"\" value=\"no key\""},

	memory.LeakAborted:      {"transaction/abort: record aborted/0 at topic-1-0@0: expected aborted"},
	memory.LeakOpen:         {"transaction/open: expected pending, because its transaction is open, got visible"},
	memory.TearTransaction:  {"transaction/commit: expected visible, because its transaction was committed, got aborted"},
	memory.CommitLies:       {"transaction/commit: record order-0/0 at topic-1-0@0: expected visible"},
	memory.CommitTooEarly:   {"transaction/commit-flushes: record payments/0: expected one report, acked, got 0"},
	memory.UnknownAsAborted: {"transaction/lost-answer: expected outcome unknown and an error, got aborted"},
	memory.CommittedAlways: {
		"transaction/fencing: expected an error of class fenced or fatal and not committed, got committed",
		"transaction/lost-answer: expected outcome unknown and an error, got committed",
	},
	memory.ForgetOffsets:  {"transaction/offsets-commit: in the cluster: expected topic-1-0@10 topic-1-1@10, got none"},
	memory.OffsetsDespite: {"transaction/offsets-abort: in the cluster: expected none, got topic-1-0@10 topic-1-1@10"},
	memory.NoFencing:      {"transaction/fencing: record older/0 at topic-1-0@0: expected aborted"},

	memory.SkipRecord: {
		"consumer/subscribe: expected 20 records, only 14 came",
		"consumer/assign: expected 16 records, only 11 came",
	},
	memory.RepeatRecord:    {"consumer/subscribe: expected topic-1-0@3 key=nil value=\"orders/6\""},
	memory.ShufflePoll:     {"consumer/subscribe: got topic-1-0@9 key=nil value=\"orders/18\""},
	memory.StartAtZero:     {"consumer/assign: got topic-1-1@0", "consumer/assign-at-end: expected offset 10 or more, got topic-1-0@0"},
	memory.SeekIgnored:     {"consumer/seek: positions after a seek: expected topic-1-0@2, got topic-1-0@10"},
	memory.PositionOff:     {"consumer/positions: expected topic-1-0@10 topic-1-1@10, got topic-1-0@9 topic-1-1@9"},
	memory.IsolationOff:    {"consumer/isolation: read_committed: expected topic-1-0@6"},
	memory.CommitOff:       {"consumer/commit: in the cluster: expected topic-1-0@4, got topic-1-0@3"},
	memory.WrongCommitted:  {"consumer/commit: as the consumer tells: expected topic-1-0@4, got topic-1-0@5"},
	memory.InventCommitted: {"consumer/commit: as the consumer tells: expected topic-1-0@4, got topic-1-0@4 topic-1-1@0"},
	memory.CommittedEarly:  {"transaction/offsets-pending: expected to wait until the end of its context, got none"},
	memory.CommitUnasked:   {"consumer/no-commit-unasked: expected none, got topic-1-0@10 topic-1-1@10"},
	memory.StayInGroup:     {"consumer/close-leaves: expected 20 records, only 10 came"},
	memory.PollError:       {"consumer/poll-ends-with-context: expected neither records nor an error"},
	memory.DeafPoll:        {"consumer/poll-ends-with-context: expected to return within 5s"},
	memory.DeafClose:       {"consumer/close-ends-poll: expected to return within 5s"},
	memory.WrongGroup:      {"consumer/group-metadata: expected group \"topic-1-group\""},
	memory.HideRebalance:   {"consumer/tells-assignment: expected to be told of topic-1-0 topic-1-1 before the first record, got none"},
	memory.StoreOff:        {"consumer/store: in the cluster: expected topic-1-0@4, got topic-1-0@3"},

	memory.AcceptUnknown:       {"driver/unknown-setting: expected a *drivers.ConfigError that names the key, got: <nil>"},
	memory.InventAbility:       {"driver/abilities: expected a drivers.RawDriver to have the ability for raw requests"},
	memory.DenyAbility:         {"driver/abilities: expected a library with transactions to have idempotence"},
	memory.NoVersion:           {"driver/names-library: expected a client and a library with a version"},
	memory.UnsortedDifferences: {"driver/differences: expected them sorted"},
}

func TestEveryLieIsCaught(t *testing.T) {
	for _, lie := range memory.Lies() {
		t.Run(string(lie), func(t *testing.T) {
			t.Parallel()
			if len(caught[lie]) == 0 {
				t.Fatal("expected a check that must catch it, none is named")
			}
			found := complaints(t, lie)
			for _, want := range caught[lie] {
				check, words, _ := strings.Cut(want, ": ")
				if !strings.Contains(found[check], words) {
					t.Errorf("%s: expected a complaint %q, got %q", check, words, found[check])
				}
			}
		})
	}
}

// The clock of the lies must not make an honest driver fail.
func TestHonestIsNotAccused(t *testing.T) {
	if found := complaints(t, memory.Honest); len(found) > 0 {
		t.Errorf("expected no complaints, got %q", found)
	}
}

// A check that no lie can fail proves nothing.
func TestEveryCheckCatchesALie(t *testing.T) {
	named := map[string]bool{}
	for _, wants := range caught {
		for _, want := range wants {
			check, _, _ := strings.Cut(want, ": ")
			named[check] = true
		}
	}
	for _, check := range drivertest.Checks() {
		switch check.Needs {
		case drivertest.Bulk, drivertest.Paced, drivertest.BulkTransactions:
			continue // they are for programs; those of package clients lie about them
		}
		if !named[check.Name] {
			t.Errorf("%s: expected a lie that it must catch, there is none", check.Name)
		}
	}
}

// complaints is what the checks say of a driver that lies. They run on a clock
// that jumps ahead when everybody waits, so patience costs nothing.
func complaints(t *testing.T, lie memory.Lie) map[string]string {
	found := map[string]string{}
	for _, check := range drivertest.Checks() {
		synctest.Test(t, func(t *testing.T) {
			driver := memory.New(lie)
			result := check.Try(t.Context(), drivertest.Subject{Driver: driver, Cluster: &cluster{Broker: driver.Broker()}})
			if result.Wrong != nil {
				found[check.Name] = result.Wrong.Error()
			}
		})
	}
	return found
}
