package audit

import (
	"slices"

	"kcompare/internal/evidence"
)

// The bounds of a case. Its records are named in full, what stands around them on the
// wire is there to make them understood.
const (
	mostSends  = 20
	mostStored = 20
	nearby     = 3 // exchanges before and behind each that carries one of the records
)

// Case is the first anomaly of a judged trial that its variant does not permit, with
// what client, log and wire have of the records it is about. Where what is wrong is no
// anomaly it is the beginning of what the faults did. Whoever has the trial in memory
// calls it when the verdict is violated.
func Case(o *evidence.Observed, judged evidence.Trial) *evidence.Case {
	c := &evidence.Case{Records: []evidence.RecordID{}, Sends: []evidence.Send{}, Stored: []evidence.Stored{}, Wire: []evidence.Exchange{}}
	forbidden := func(a evidence.Anomaly) bool { return !a.Allowed }
	if i := slices.IndexFunc(judged.Anomalies, forbidden); i >= 0 {
		a := judged.Anomalies[i]
		c.Kind, c.Cause, c.First = a.Kind, a.Cause, a.First
		c.Records = append(c.Records, concerned(o, a.First)...)
	}
	for _, s := range o.Sends {
		if slices.Contains(c.Records, s.ID) && len(c.Sends) < mostSends {
			c.Sends = append(c.Sends, s)
		}
	}
	c.Stored = append(c.Stored, stored(o.Log, c.Records)...)
	c.Wire = append(c.Wire, excerpt(o.Trace.Exchanges, c.Records)...)
	c.LeftOut = int64(len(o.Trace.Exchanges)-len(c.Wire)) + o.Trace.Cut
	return c
}

// concerned is the record that an anomaly names, and those that had its sequence
// number: for the broker they are the same.
func concerned(o *evidence.Observed, name string) []evidence.RecordID {
	first, known := named(o, name)
	if !known {
		return nil
	}
	records := []evidence.RecordID{first}
	own := map[slot]bool{}
	eachSlot(o.Trace.Exchanges, func(id evidence.RecordID, s slot) { own[s] = own[s] || id == first })
	eachSlot(o.Trace.Exchanges, func(id evidence.RecordID, s slot) {
		if own[s] && !slices.Contains(records, id) {
			records = append(records, id)
		}
	})
	return records
}

// named finds the record behind the name that an anomaly gives it: its key, its
// identity, or its place in the log.
func named(o *evidence.Observed, name string) (evidence.RecordID, bool) {
	for _, s := range o.Sends {
		if s.Key == name {
			return s.ID, true
		}
	}
	for _, p := range o.Log.Partitions {
		for _, b := range p.Batches {
			for _, r := range b.Records {
				if r.Key == name || (place{p.Topic, p.Partition}).at(r.Offset) == name {
					return r.ID, !r.Foreign
				}
			}
		}
	}
	id, err := evidence.ParseRecordID(name)
	return id, err == nil
}

// slot is what an idempotent producer's record is known by to a broker.
type slot struct {
	place      place
	producerID int64
	epoch      int16
	sequence   int32
}

// eachSlot goes through the records of all Produce requests of idempotent producers.
func eachSlot(all []evidence.Exchange, visit func(evidence.RecordID, slot)) {
	for _, e := range all {
		for _, b := range e.Batches {
			if b.ProducerID < 0 || int(b.Records) != len(b.IDs) {
				continue // where some records are not named, the position of the others is not known
			}
			for i, id := range b.IDs {
				visit(id, slot{place{b.Topic, b.Partition}, b.ProducerID, b.ProducerEpoch, sequence(b.BaseSequence, int64(i))})
			}
		}
	}
}

// stored is the copies of these records in the log.
func stored(log evidence.Log, records []evidence.RecordID) []evidence.Stored {
	var all []evidence.Stored
	for _, p := range sorted(log.Partitions) {
		for _, b := range p.Batches {
			for _, r := range b.Records {
				if slices.Contains(records, r.ID) && len(all) < mostStored {
					all = append(all, storedCopy(p, b, r))
				}
			}
		}
	}
	return all
}

func storedCopy(p evidence.PartitionLog, b evidence.Batch, r evidence.LogRecord) evidence.Stored {
	s := evidence.Stored{
		Topic: p.Topic, Partition: p.Partition, Offset: r.Offset, ID: r.ID, Send: r.Send,
		ProducerID: b.ProducerID, ProducerEpoch: b.ProducerEpoch, Sequence: -1, Transactional: b.Transactional,
	}
	if b.ProducerID >= 0 {
		s.Sequence = sequence(b.BaseSequence, r.Offset-b.BaseOffset)
	}
	return s
}

// excerpt is the requests that carry one of the records and what happened around them,
// all of a trace that is short, or the beginning of what the faults did where no request
// carries any.
func excerpt(all []evidence.Exchange, records []evidence.RecordID) []evidence.Exchange {
	if len(all) <= evidence.MostExchanges {
		return all
	}
	var telling []evidence.Exchange
	near := map[int]bool{} // by index in telling
	for _, e := range all {
		carries := slices.ContainsFunc(records, e.Carries)
		if !carries && !tells(e) {
			continue
		}
		telling = append(telling, e)
		for i := len(telling) - 1 - nearby; carries && i < len(telling)+nearby; i++ {
			near[i] = true
		}
	}
	if len(near) == 0 {
		from := max(0, slices.IndexFunc(all, func(e evidence.Exchange) bool { return e.Fault != "" }))
		return all[from:min(len(all), from+evidence.MostExchanges)]
	}
	var kept []evidence.Exchange
	for i, e := range telling {
		if near[i] && len(kept) < evidence.MostExchanges {
			kept = append(kept, e)
		}
	}
	return kept
}

// tells leaves out what clients ask all the time, and what consumers ask, of whom an
// excerpt shows nothing.
func tells(e evidence.Exchange) bool {
	switch e.API {
	case "ApiVersions", "Metadata", "GetTelemetrySubscriptions", "PushTelemetry", "FindCoordinator",
		"Fetch", "ListOffsets", "OffsetFetch", "JoinGroup", "SyncGroup", "LeaveGroup", "Heartbeat":
		return e.Fault != "" || e.Collateral
	}
	return true
}
