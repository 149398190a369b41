package sequence

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// tape is a trace with what is needed to find parts of it.
type tape struct {
	seen      *evidence.Observed
	exchanges []*evidence.Exchange         // in the order in which requests reached the proxy
	keys      map[evidence.RecordID]string // by record, as the application called it
	ordinals  map[evidence.SendID]int      // the order of sending
}

func newTape(seen *evidence.Observed) *tape {
	t := &tape{seen: seen, keys: map[evidence.RecordID]string{}, ordinals: map[evidence.SendID]int{}}
	for i := range seen.Trace.Exchanges {
		t.exchanges = append(t.exchanges, &seen.Trace.Exchanges[i])
	}
	for i, s := range seen.Sends {
		t.ordinals[s.Send] = i
		t.keys[s.ID] = s.Key
	}
	return t
}

// background is what a client asks on its own account, at times of its own.
func background(e *evidence.Exchange) bool {
	switch e.API {
	case "ApiVersions", "Metadata", "FindCoordinator", "GetTelemetrySubscriptions", "PushTelemetry",
		"Heartbeat", "ConsumerGroupHeartbeat", "ConsumerGroupDescribe", "DescribeCluster", "Fetch", "ListOffsets":
		return true
	}
	return false
}

// start is what leads to the first record, and that. Of the questions that a client asks
// before it, each kind is told once: how often it asks again, how many topics it asks for
// at a time and which connections it opens for that is a matter of chance.
func (t *tape) start() ([]*evidence.Exchange, error) {
	writes := t.that(func(e *evidence.Exchange) bool { return e.API == "Produce" })
	if len(writes) == 0 {
		return nil, errors.New("the trace has no Produce request")
	}
	var part []*evidence.Exchange
	asked := map[string]bool{}
	before := t.exchanges[:slices.Index(t.exchanges, writes[0])]
	named := slices.ContainsFunc(before, func(e *evidence.Exchange) bool { return e.API == "Metadata" && e.Summary != "" })
	for _, e := range before {
		switch what := question(e, named); {
		case what != "" && !asked[what]:
			asked[what] = true
			part = append(part, e)
		case !background(e) && e.API != "AddPartitionsToTxn":
			part = append(part, e)
		}
	}
	first := slices.MinFunc(writes, t.rank)
	for _, e := range t.transactionOf(first) {
		if e.API == "AddPartitionsToTxn" {
			part = append(part, e)
		}
	}
	return append(part, first), nil
}

// question tells the requests of a start that are told once from each other. Metadata is
// told where it is about topics that the story has, if that was asked at all: librdkafka
// asks for the brokers alone first, unless somebody has sent a record by then.
func question(e *evidence.Exchange, named bool) string {
	switch e.API {
	case "ApiVersions":
		return e.API
	case "Metadata":
		if named && e.Summary == "" {
			return ""
		}
		return e.API
	case "FindCoordinator":
		return e.API + " " + e.Summary
	}
	return ""
}

func (t *tape) all() ([]*evidence.Exchange, error) {
	part := t.that(func(e *evidence.Exchange) bool { return !background(e) })
	if len(part) == 0 {
		return nil, errors.New("the trace is empty")
	}
	return part, nil
}

func (t *tape) that(has func(*evidence.Exchange) bool) []*evidence.Exchange {
	var part []*evidence.Exchange
	for _, e := range t.exchanges {
		if has(e) {
			part = append(part, e)
		}
	}
	return part
}

// fault: of several records that were hit the one that was sent first, whichever the
// proxy met first.
func (t *tape) fault() ([]*evidence.Exchange, error) {
	hit := t.that(func(e *evidence.Exchange) bool { return e.Fault != "" })
	if len(hit) == 0 {
		return nil, fmt.Errorf("no fault fired; the trace has: %s", t.there())
	}
	return t.struck(slices.MinFunc(hit, func(a, b *evidence.Exchange) int {
		return cmp.Or(cmp.Compare(t.ordinal(a), t.ordinal(b)), cmp.Compare(a.N, b.N))
	})), nil
}

func (t *tape) struck(e *evidence.Exchange) []*evidence.Exchange {
	switch {
	case len(e.Batches) > 0 && len(e.Batches[0].Sends) > 0:
		return t.withProducer(t.that(func(o *evidence.Exchange) bool { return sameSend(o, e.Batches[0]) }))
	case len(e.Batches) > 0:
		return t.withProducer(t.that(func(o *evidence.Exchange) bool { return sameBatch(o, e.Batches[0]) }))
	}
	if part := t.transactionOf(e); part != nil {
		return part
	}
	return t.that(func(o *evidence.Exchange) bool { return o.API == e.API && o.Summary == e.Summary })
}

// sameSend: it is the same act of sending, and not a record that the application sent again
// or somewhere else.
func sameSend(e *evidence.Exchange, b evidence.TraceBatch) bool {
	return slices.ContainsFunc(e.Batches, func(o evidence.TraceBatch) bool {
		return o.Topic == b.Topic && slices.Contains(o.Sends, b.Sends[0])
	})
}

func sameBatch(e *evidence.Exchange, b evidence.TraceBatch) bool {
	return slices.ContainsFunc(e.Batches, func(o evidence.TraceBatch) bool {
		return o.Topic == b.Topic && o.Partition == b.Partition && o.ProducerID == b.ProducerID &&
			o.ProducerEpoch == b.ProducerEpoch && o.BaseSequence == b.BaseSequence
	})
}

// withProducer puts the last InitProducerId before a part to its beginning.
func (t *tape) withProducer(part []*evidence.Exchange) []*evidence.Exchange {
	var last *evidence.Exchange
	for _, e := range t.exchanges {
		if len(part) == 0 || e.N >= part[0].N {
			break
		}
		if e.API == "InitProducerId" {
			last = e
		}
	}
	if last == nil {
		return part
	}
	return append([]*evidence.Exchange{last}, part...)
}

func (t *tape) record(key string) ([]*evidence.Exchange, error) {
	var ids []evidence.RecordID
	for _, s := range t.seen.Sends {
		if (s.Key == key || s.ID.String() == key) && !slices.Contains(ids, s.ID) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no record has the key %q; the trace has: %s", key, t.there())
	}
	part := t.withProducer(t.that(func(e *evidence.Exchange) bool { return slices.ContainsFunc(ids, e.Carries) }))
	if len(part) == 0 {
		return nil, fmt.Errorf("no request carries %q: the client never sent it, or the trace was cut; it has: %s", key, t.there())
	}
	return part, nil
}

// there is what could be asked for, in a few words.
func (t *tape) there() string {
	var keys []string
	for _, s := range t.seen.Sends {
		if t.keys[s.ID] != "" && !slices.Contains(keys, s.Key) {
			keys = append(keys, s.Key)
		}
	}
	all := []string{"start", "all"}
	switch len(keys) {
	case 0:
	case 1:
		all = append(all, "record "+keys[0])
	default:
		all = append(all, fmt.Sprintf("record %s to record %s", keys[0], keys[len(keys)-1]))
	}
	if n := len(t.transactions()); n > 0 {
		all = append(all, fmt.Sprintf("transaction 1 to transaction %d", n))
	}
	return strings.Join(all, ", ")
}
