// Package audit compares what a client said of its records with what the log
// holds, what its own consumer returned and what the wire carried, and names
// every disagreement: values in, values out.
//
// It reads the log as it streams by. What it keeps of the sends is runs, one bit
// a send that says whether a copy was met, the stretches of the log in which the
// first copies stand, and an exception for each send that is out of the ordinary.
package audit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// Audit returns o's trial with its counts, its anomalies and the audit's part of
// its conditions (Leaks, FirstLeak, Unchecked, SharedBatches). Whoever ran a
// trial and has its log in memory calls it before asking for a verdict. It does
// not change o.
//
// When the read-back is not complete, nothing is said about the log: what is
// missing in it may only not have been read. Its counts are absent then. Of a
// trial that is not supported nothing is known at all.
func Audit(o *evidence.Observed) evidence.Trial {
	a := New(o)
	if a.supported() && a.complete() {
		for _, p := range sorted(o.Log.Partitions) {
			a.Partition(p.Topic, p.Partition, p.Before)
			for i := range p.Batches {
				a.Batch(&p.Batches[i])
			}
			a.End(p.After)
		}
	}
	return a.Trial()
}

// Auditor is an audit under way: New, then for each partition of the log
// Partition, Batch for each of its batches in order, and End; Trial at last. The
// partitions may come in any order, but the first anomaly of a cause that has no
// send is that of the partition that came first.
//
// What it keeps grows with runs, requests, reads and exceptions, and by one bit
// for each send. Methods must not be called concurrently.
type Auditor struct {
	o            *evidence.Observed
	sends        *sends
	transactions transactions
	processing   *processing // nil for a story without
	committed    *consumer
	uncommitted  *consumer
	members      members
	keyed        map[string]keyed
	wire         *wire
	copies       copies
	late         *lateEnds // nil until somebody asks for them
	found        *findings
	log          tally
	notes        []string // what could not be checked
	walk         *walk    // through the partition that is being read
}

// tally counts what stands in the log.
type tally struct {
	delta, records, visible, aborted, unique int64
}

// New begins an audit of all that o has but its log: the sends, the trace and
// what the client's consumer returned are complete. Conditions are looked at by
// Trial only, because whether the log could be read is not known before.
func New(o *evidence.Observed) *Auditor {
	a := &Auditor{
		o: o, transactions: newTransactions(o.Transactions), processing: newProcessing(o.Processing),
		found: newFindings(),
	}
	a.sends = newSends(o, a.transactions)
	a.copies = newCopies(a.sends.count)
	a.wire = newWire(o)
	a.committed = newConsumer(o.Reads, "", a.found)
	a.uncommitted = newConsumer(o.Uncommitted, UnderUncommitted, a.found)
	a.members = newMembers(o.Consumers, a.found)
	a.keyed, a.notes = declared(o.Keys)
	return a
}

// Partition begins the next partition; before is its end offset before the trial.
func (a *Auditor) Partition(topic string, partition int32, before int64) {
	a.walk = a.newWalk(place{topic, partition}, before)
}

// Batch takes the next batch of the partition. It keeps neither b nor its
// records, so the caller may reuse them.
func (a *Auditor) Batch(b *evidence.Batch) { a.walk.take(b) }

// End ends the partition; after is its end offset when it was read back.
func (a *Auditor) End(after int64) {
	a.walk.end(after)
	a.walk = nil
}

// Trial is what Audit returns. It ends the audit and is called once.
func (a *Auditor) Trial() evidence.Trial {
	t := a.o.Trial
	if !a.supported() {
		return t
	}
	if a.complete() {
		a.committed.strayPartitions()
		a.uncommitted.strayPartitions()
		a.settle()
		a.reportLeaks(&t.Conditions)
	} else {
		a.found = newFindings()
	}
	t.Conditions.SharedBatches += a.wire.shared
	t.Conditions.Unchecked = a.unchecked()
	t.Anomalies = a.found.anomalies(t.Allowed)
	t.Counts = a.counts()
	return t
}

func (a *Auditor) supported() bool { return a.o.Trial.Conditions.Unsupported == "" }

func (a *Auditor) complete() bool {
	return a.o.Trial.Conditions.ReadBack == evidence.ReadBackComplete
}

// unchecked is what could not be checked, as sentences.
func (a *Auditor) unchecked() string {
	notes := a.notes
	if already := a.o.Trial.Conditions.Unchecked; already != "" {
		notes = append([]string{already}, notes...)
	}
	return strings.Join(notes, "; ")
}

// place is one partition of a topic.
type place struct {
	topic     string
	partition int32
}

func (p place) compare(q place) int {
	return cmp.Or(strings.Compare(p.topic, q.topic), cmp.Compare(p.partition, q.partition))
}

// at names an offset, "orders-0 offset 17".
func (p place) at(offset int64) string {
	return p.topic + "-" + strconv.Itoa(int(p.partition)) + " offset " + strconv.FormatInt(offset, 10)
}

// sorted puts partitions into an order that does not depend on how they were
// read.
func sorted(ps []evidence.PartitionLog) []evidence.PartitionLog {
	return slices.SortedStableFunc(slices.Values(ps), func(p, q evidence.PartitionLog) int {
		return place{p.Topic, p.Partition}.compare(place{q.Topic, q.Partition})
	})
}
