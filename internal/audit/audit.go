// Package audit compares what a client said of its records with what the log
// holds, what its own consumer returned and what the wire carried, and names
// every disagreement: values in, values out.
package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// Audit returns o's trial with its counts, its anomalies and the audit's part of
// its conditions (Leaks, FirstLeak, Unchecked, SharedBatches). Whoever ran a
// trial calls it before asking for a verdict. It does not change o.
//
// When the read-back is not complete, nothing is said about the log: what is
// missing in it may only not have been read. Its counts are absent then. Of a
// trial that is not supported nothing is known at all.
func Audit(o *evidence.Observed) evidence.Trial {
	if o.Trial.Conditions.Unsupported != "" {
		return o.Trial
	}
	a := newAuditor(o)
	for i := range o.Trace.Exchanges {
		a.exchange(&o.Trace.Exchanges[i])
	}
	if a.complete() {
		for i := range o.Reads {
			a.read(int32(i))
		}
		for _, p := range sorted(o.Log.Partitions) {
			a.partitionLog(p)
		}
		a.strayPartitions()
		a.settle()
	}
	return a.trial()
}

// auditor is a fold: sends, then exchanges, then reads, then the partitions of
// the log one after the other, each batch once and in order. What it keeps grows
// with the number of sends, requests and reads, never with the log itself.
type auditor struct {
	o        *evidence.Observed
	sends    account
	wire     wire
	readings map[place]*reading
	keyed    map[string]keyed
	found    findings
	log      tally
	cond     evidence.Conditions
}

// tally counts what stands in the log.
type tally struct {
	delta, records, visible, unique int64
}

func newAuditor(o *evidence.Observed) *auditor {
	a := &auditor{
		o: o, sends: newAccount(o.Sends), wire: newWire(),
		readings: map[place]*reading{}, found: findings{}, cond: o.Trial.Conditions,
	}
	a.keyed = a.declared(o.Keys)
	return a
}

func (a *auditor) complete() bool { return a.cond.ReadBack == evidence.ReadBackComplete }

func (a *auditor) trial() evidence.Trial {
	t := a.o.Trial
	a.reportLeaks()
	t.Anomalies = a.found.anomalies(t.Allowed)
	t.Counts = a.counts()
	t.Conditions = a.cond
	return t
}

// unchecked notes what could not be checked, as a sentence.
func (a *auditor) unchecked(format string, args ...any) {
	if a.cond.Unchecked != "" {
		a.cond.Unchecked += "; "
	}
	a.cond.Unchecked += fmt.Sprintf(format, args...)
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
