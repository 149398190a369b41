package trial

import (
	"slices"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/proxy"
)

// collect joins what the ledger, the proxy and the plan know. The proxy is
// closed first, so that its account is complete.
func (r *run) collect(h *house) {
	_ = h.proxy.Close() // closing again later does no harm
	seen := h.proxy.Observed()
	o := r.observed
	o.Sends, o.Transactions, o.Trace = r.ledger.Sends(), r.ledger.Transactions(), seen.Trace
	o.Consumers = r.ledger.Consumers()
	o.Processing, o.Standing, o.Told = r.processing(h), r.ledger.Standing(), r.ledger.Told()
	o.Intended, o.OneRecordPerBatch = int64(r.records), r.settings.OneRecordPerBatch
	o.Keys = r.keyed(h)
	t := &o.Trial
	t.Errors = append(t.Errors, r.ledger.Errors()...)
	t.Requests = r.requests
	t.Counts[evidence.ProduceRequests] = seen.ProduceRequests
	t.Counts[evidence.ResponsesDropped] = seen.ResponsesDropped
	t.Counts[evidence.RequestsDropped] = seen.RequestsDropped
	t.Conditions.Exchanges = int64(len(seen.Trace.Exchanges)) + seen.Trace.Cut
	t.Conditions.Pending = r.pending(o.Sends)
	t.Conditions.Problems = slices.Concat(seen.Problems, h.strangers(seen.BrokerSide))
	for _, api := range seen.Lowered {
		t.Notes = append(t.Notes, "the proxy hides an API version that it cannot read: "+api)
	}
	t.ClientLog = r.log.lines()
	for _, rule := range r.plan {
		t.Faults = append(t.Faults, r.faultOf(rule, seen))
	}
	for _, s := range r.spec.Variant.Staged {
		t.Faults = append(t.Faults, evidence.Fault{Rule: s.Rule, Kind: s.Kind, Planned: 1, Fired: r.ledger.Staged(s.Rule)})
	}
}

// keyed are the topics with their declared partitioner; none where the library's own
// default chose.
func (r *run) keyed(h *house) []evidence.KeyedTopic {
	declared, is := r.settings.Config["partitioner"]
	if !is {
		return nil
	}
	var all []evidence.KeyedTopic
	for _, t := range r.spec.Scenario.Topics {
		all = append(all, evidence.KeyedTopic{Topic: h.topics[t.Role], Partitioner: declared, Partitions: r.partitions(t.Role)})
	}
	return all
}

// conclude adds what the variant finds in all that was seen. A log that was not read
// tells nothing.
func (r *run) conclude() {
	t := &r.observed.Trial
	t.Answers = r.ledger.Answers()
	if find := r.spec.Variant.Conclude; find != nil && t.Conditions.ReadBack == evidence.ReadBackComplete {
		t.Answers = append(t.Answers, find(r.observed)...)
	}
}

// pending counts records without a report, those that were never handed over
// included.
func (r *run) pending(sends []evidence.Send) int64 {
	type record struct {
		topic string
		id    evidence.RecordID
	}
	reported := map[record]bool{}
	for _, s := range sends {
		if s.Outcome != evidence.OutcomeUnknown {
			reported[record{s.Topic, s.ID}] = true
		}
	}
	return int64(r.records - len(reported))
}

// processing is what the story had to do with its inputs, nil without any.
func (r *run) processing(h *house) *evidence.Processing {
	inputs := r.inputs
	if r.spec.Variant.Orders != nil {
		inputs = slices.Concat(inputs, r.spec.Variant.Orders(r.spec.Parameters))
	}
	if len(inputs) == 0 {
		return nil
	}
	p := &evidence.Processing{}
	for _, in := range inputs {
		p.Inputs = append(p.Inputs, evidence.Input{ID: in.ID, Key: string(in.Key), Valid: in.Valid})
	}
	for _, role := range r.spec.Variant.Outputs {
		p.Outputs = append(p.Outputs, h.topics[role])
	}
	return p
}

// mostMissed bounds the examples that a fault keeps.
const mostMissed = 3

func (r *run) faultOf(rule fault.Rule, seen proxy.Observed) evidence.Fault {
	planned, fired := r.planned[rule.Name], seen.Fired[rule.Name]
	f := evidence.Fault{
		Rule: rule.Name, Kind: string(rule.Action), API: rule.Select.API,
		Unplanned: rule.Unplanned(), Planned: int64(len(planned)), Fired: int64(len(fired)), Collateral: seen.Collateral[rule.Name],
	}
	if rule.NotSent != "" && seen.Requests[rule.Select.API] == 0 {
		f.Planned, f.NotApplicable = 0, rule.NotSent
		return f
	}
	happened := map[fault.Point]bool{}
	for _, p := range fired {
		happened[p] = true
	}
	for _, p := range planned {
		if !happened[p] && len(f.Missed) < mostMissed {
			f.Missed = append(f.Missed, p.String())
		}
	}
	slices.Sort(f.Missed)
	return f
}
