package franz

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// positions is the next offset of each assigned partition. kgo calls assigned
// and revoked from its own goroutine while Poll may be returning records of a
// partition that is being taken away; so what Poll adds counts only while the
// partition is assigned, and an assignment forgets what was before.
type positions struct {
	mu       sync.Mutex
	assigned map[drivers.TopicPartition]bool
	next     map[drivers.TopicPartition]int64
	returned int64               // records so far
	changes  []drivers.Rebalance // that nobody has asked for yet
}

func newPositions() *positions {
	return &positions{assigned: map[drivers.TopicPartition]bool{}, next: map[drivers.TopicPartition]int64{}}
}

func (p *positions) assign(tp drivers.TopicPartition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.assigned[tp] = true
	delete(p.next, tp)
}

func (p *positions) revoke(tp drivers.TopicPartition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.assigned, tp)
	delete(p.next, tp)
}

// onAssigned, onRevoked and onLost are kgo's callbacks.
func (p *positions) onAssigned(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
	p.changed(drivers.Assigned, parts)
	each(parts, p.assign)
}

// onRevoked replaces kgo's own callback, which commits when automatic commits are
// on (kgo/consumer_group.go, defaultRevoke); so it must do that as well. What a
// failed commit leaves out, the next owner of the partition reads again.
func (p *positions) onRevoked(ctx context.Context, cl *kgo.Client, parts map[string][]int32) {
	switch {
	case cl.OptValue(kgo.AutoCommitMarks) == true:
		_ = cl.CommitMarkedOffsets(ctx)
	case cl.OptValue(kgo.GreedyAutoCommit) == true:
		_ = cl.CommitUncommittedOffsets(ctx)
	}
	p.changed(drivers.Revoked, parts)
	each(parts, p.revoke)
}

func (p *positions) onLost(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
	p.changed(drivers.Lost, parts)
	each(parts, p.revoke)
}

// changed notes what is to be told. A callback without partitions tells nothing.
func (p *positions) changed(change drivers.Change, parts map[string][]int32) {
	var all []drivers.TopicPartition
	each(parts, func(tp drivers.TopicPartition) { all = append(all, tp) })
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, drivers.TopicPartition.Compare)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes = append(p.changes, drivers.Rebalance{Change: change, Partitions: all, After: p.returned})
}

// take hands over the changes that were not told yet.
func (p *positions) take() []drivers.Rebalance {
	p.mu.Lock()
	defer p.mu.Unlock()
	changes := p.changes
	p.changes = nil
	return changes
}

// untold is how many changes there are to tell.
func (p *positions) untold() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.changes)
}

// polled counts the records of one Poll, before which there were so many changes to
// tell. kgo takes a partition away and gives it back in a goroutine of its own, so of
// records that came meanwhile nobody knows to which assignment they belong: they are
// told between two.
func (p *positions) polled(records int, before int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.returned += int64(records)
	meanwhile := p.changes[min(before, len(p.changes)):]
	for i, again := range meanwhile {
		taken := slices.ContainsFunc(meanwhile[:i], func(c drivers.Rebalance) bool { return c.Change != drivers.Assigned })
		if records > 0 && taken && again.Change == drivers.Assigned {
			p.changes = append(p.changes, drivers.Rebalance{Change: drivers.Assigned, Partitions: again.Partitions, After: p.returned})
			return
		}
	}
}

func each(parts map[string][]int32, do func(drivers.TopicPartition)) {
	for topic, partitions := range parts {
		for _, partition := range partitions {
			do(drivers.TopicPartition{Topic: topic, Partition: partition})
		}
	}
}

func (p *positions) isAssigned(tp drivers.TopicPartition) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.assigned[tp]
}

func (p *positions) has(tp drivers.TopicPartition) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.next[tp]
	return ok
}

func (p *positions) set(to drivers.Position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next[to.TopicPartition] = to.Offset
}

func (p *positions) sorted() []drivers.Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []drivers.Position
	for _, tp := range slices.SortedFunc(maps.Keys(p.next), drivers.TopicPartition.Compare) {
		if p.assigned[tp] {
			all = append(all, drivers.Position{TopicPartition: tp, Offset: p.next[tp]})
		}
	}
	return all
}
