package drivertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kcompare/drivers"
)

// ledger keeps what was handed to a producer, and everything that was reported
// of it. Records in it are told apart by their value.
type ledger struct {
	mu      sync.Mutex
	entries []entry
}

type entry struct {
	record  drivers.Record
	reports []drivers.Delivery
}

// produce hands the records over and returns without waiting for reports.
func (l *ledger) produce(ctx context.Context, p drivers.Producer, records ...drivers.Record) {
	for _, r := range records {
		l.mu.Lock()
		i := len(l.entries)
		l.entries = append(l.entries, entry{record: r})
		l.mu.Unlock()
		p.Produce(ctx, r, func(d drivers.Delivery) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.entries[i].reports = append(l.entries[i].reports, d)
		})
	}
}

// send produces records and flushes.
func (l *ledger) send(ctx context.Context, p drivers.Producer, records ...drivers.Record) error {
	l.produce(ctx, p, records...)
	return p.Flush(ctx)
}

// snapshot is the ledger as it stands now.
func (l *ledger) snapshot() []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := slices.Clone(l.entries)
	for i := range entries {
		entries[i].reports = slices.Clone(entries[i].reports)
	}
	return entries
}

// name is how findings call a record: by its value, the beginning of it.
func (e entry) name() string {
	const enough = 40
	if v := e.record.Value; len(v) > enough {
		return fmt.Sprintf("record %s... (%d bytes)", v[:enough], len(v))
	}
	return "record " + string(e.record.Value)
}

// outcome is Unknown for a record without a report.
func (e entry) outcome() drivers.Outcome {
	if len(e.reports) == 0 {
		return drivers.Unknown
	}
	return e.reports[0].Outcome
}

// eachAcked finds every record that does not have exactly one report, or that was
// not acknowledged.
func (l *ledger) eachAcked() error {
	var f findings
	for _, e := range l.snapshot() {
		switch {
		case len(e.reports) != 1:
			f.add("%s: expected one report, %s, got %d: %v", e.name(), drivers.Acked, len(e.reports), e.reports)
		case e.outcome() != drivers.Acked:
			f.add("%s: expected %s, reported %s: %v", e.name(), drivers.Acked, e.outcome(), e.reports[0].Err)
		}
	}
	return f.err()
}

// noneAcked finds every record that was reported Acked.
func (l *ledger) noneAcked(because string) error {
	var f findings
	for _, e := range l.snapshot() {
		if slices.ContainsFunc(e.reports, func(d drivers.Delivery) bool { return d.Outcome == drivers.Acked }) {
			f.add("%s was reported acked, although %s", e.name(), because)
		}
	}
	return f.err()
}

// agreesWith compares what was acked with what stands in the log: each acked
// record once, where the driver said, and nothing else.
func (l *ledger) agreesWith(log []LogRecord) error {
	var f findings
	places := placesByValue(log)
	for _, e := range l.snapshot() {
		in := places[string(e.record.Value)]
		delete(places, string(e.record.Value))
		if e.outcome() != drivers.Acked {
			if len(in) > 0 {
				f.add("%s was reported %s, but stands in the log at %s", e.name(), e.outcome(), strings.Join(in, ", "))
			}
			continue
		}
		d := e.reports[0]
		told := position(e.record.Topic, d.Partition, d.Offset).String()
		switch {
		case len(in) == 0:
			f.add("%s acked at %s, but the log does not have it", e.name(), told)
		case len(in) > 1:
			f.add("%s acked once, but the log has it %d times: %s", e.name(), len(in), strings.Join(in, ", "))
		case in[0] != told:
			f.add("%s acked at %s, but the log has it at %s", e.name(), told, in[0])
		}
	}
	for value, in := range places {
		f.add("record %s stands in the log at %s, but was never produced", value, strings.Join(in, ", "))
	}
	return f.err()
}

func placesByValue(log []LogRecord) map[string][]string {
	places := map[string][]string{}
	for _, r := range log {
		at := placeOf(r.Record)
		places[string(r.Value)] = append(places[string(r.Value)], at)
	}
	return places
}

// findings collects what a check found wrong.
type findings []string

func (f *findings) add(format string, args ...any) {
	*f = append(*f, fmt.Sprintf(format, args...))
}

// err is nil when nothing was found. It shows the first few: after them comes
// more of the same.
func (f findings) err() error {
	const shown = 5
	switch {
	case len(f) == 0:
		return nil
	case len(f) > shown:
		return fmt.Errorf("%s\n... and %d more", strings.Join(f[:shown], "\n"), len(f)-shown)
	}
	return fmt.Errorf("%s", strings.Join(f, "\n"))
}
