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
	each(parts, p.assign)
}

// onRevoked replaces kgo's own callback, which commits when automatic commits are
// on (kgo/consumer_group.go, defaultRevoke); so it must do that as well. What a
// failed commit leaves out, the next owner of the partition reads again.
func (p *positions) onRevoked(ctx context.Context, cl *kgo.Client, parts map[string][]int32) {
	if cl.OptValue(kgo.GreedyAutoCommit) == true {
		_ = cl.CommitUncommittedOffsets(ctx)
	}
	each(parts, p.revoke)
}

func (p *positions) onLost(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
	each(parts, p.revoke)
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
