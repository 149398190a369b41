package franz

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
)

// TestPolledDuringRebalance: of records that one Poll returned while a partition was
// taken away and given back nobody knows to which assignment they belong, so a second
// assignment is told behind them. Otherwise what comes again would look like a fault of
// the consumer's.
func TestPolledDuringRebalance(t *testing.T) {
	parts := map[string][]int32{"orders": {0}}
	orders := []drivers.TopicPartition{{Topic: "orders", Partition: 0}}
	change := func(c drivers.Change, after int64) drivers.Rebalance {
		return drivers.Rebalance{Change: c, Partitions: orders, After: after}
	}
	for name, tt := range map[string]struct {
		during  []drivers.Change
		records int
		want    []drivers.Rebalance
	}{
		"nothing happened": {nil, 3, []drivers.Rebalance{change(drivers.Assigned, 0)}},
		"given": {[]drivers.Change{drivers.Assigned}, 3,
			[]drivers.Rebalance{change(drivers.Assigned, 0), change(drivers.Assigned, 2)}},
		"taken": {[]drivers.Change{drivers.Revoked}, 3,
			[]drivers.Rebalance{change(drivers.Assigned, 0), change(drivers.Revoked, 2)}},
		"taken and given": {[]drivers.Change{drivers.Revoked, drivers.Assigned}, 3,
			[]drivers.Rebalance{change(drivers.Assigned, 0), change(drivers.Revoked, 2), change(drivers.Assigned, 2), change(drivers.Assigned, 5)}},
		"lost and given, no records": {[]drivers.Change{drivers.Lost, drivers.Assigned}, 0,
			[]drivers.Rebalance{change(drivers.Assigned, 0), change(drivers.Lost, 2), change(drivers.Assigned, 2)}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPositions()
			p.changed(drivers.Assigned, parts)
			p.polled(2, p.untold())
			before := p.untold()
			for _, c := range tt.during {
				p.changed(c, parts)
			}
			p.polled(tt.records, before)
			if diff := cmp.Diff(tt.want, p.take()); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if again := p.take(); len(again) > 0 {
				t.Errorf("told again: %+v", again)
			}
		})
	}
}
