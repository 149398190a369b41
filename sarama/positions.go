package sarama

import (
	"maps"
	"slices"
	"sync"

	"kcompare/drivers"
)

// positions is the next offset of each assigned partition, and what changed about the
// assignment. sarama calls from goroutines of its own, each of which knows that what it
// handed over before was counted.
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

// clear forgets an assignment, and not what is to be told.
func (p *positions) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.assigned)
	clear(p.next)
}

func (p *positions) assign(tp drivers.TopicPartition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.assigned[tp] = true
}

// changed notes what is to be told, unless there is nothing. A partition that is taken
// away has no position any more.
func (p *positions) changed(change drivers.Change, all []drivers.TopicPartition) {
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, drivers.TopicPartition.Compare)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, tp := range all {
		if change == drivers.Assigned {
			p.assigned[tp] = true
		} else {
			delete(p.assigned, tp)
			delete(p.next, tp)
		}
	}
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

// polled counts records that Poll is about to return.
func (p *positions) polled(records []drivers.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.returned += int64(len(records))
	for _, r := range records {
		p.next[drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition}] = r.Offset + 1
	}
}

func (p *positions) isAssigned(tp drivers.TopicPartition) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.assigned[tp]
}

func (p *positions) set(to drivers.Position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next[to.TopicPartition] = to.Offset
}

// assignment is what is assigned, with the positions that are known.
func (p *positions) assignment() map[drivers.TopicPartition]*int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[drivers.TopicPartition]*int64{}
	for tp := range p.assigned {
		all[tp] = nil
		if offset, known := p.next[tp]; known {
			all[tp] = &offset
		}
	}
	return all
}

// restore keeps an assignment between two sessions, until the next one says what it has.
func (p *positions) restore(all map[drivers.TopicPartition]*int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for tp, offset := range all {
		p.assigned[tp] = true
		if offset != nil {
			p.next[tp] = *offset
		}
	}
}

// begin is the assignment of a new session. What it does not have any more is forgotten.
func (p *positions) begin(all []drivers.TopicPartition) {
	p.mu.Lock()
	clear(p.assigned)
	for tp := range p.next {
		if !slices.Contains(all, tp) {
			delete(p.next, tp)
		}
	}
	p.mu.Unlock()
	p.changed(drivers.Assigned, all)
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
