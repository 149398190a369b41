package fingerprint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// Again is one request that was sent more than once.
//
// A batch of a Produce is known by producer id, epoch and sequence, or by its checksum
// where it has no producer id; so a library that puts the records of a lost batch into
// another one, without a producer id, is not found out here. A request of another API
// counts where a fault hit it: the next one of that API about the same things is the
// same, until one was answered.
type Again struct {
	API     string
	About   string  // "orders-0, 10 records"; the summary of the trace for others than Produce
	Fault   string  // what happened to the first: a fault's action, "collateral", "no answer", an error code
	Times   int     // how often it was sent in all
	Waits   []int64 // microseconds from the end of each attempt to the next one
	Written int     // Produce only: how many offsets brokers said that they wrote it at
	Result  string  // of the last attempt: "ok", an error code, "no answer"
}

// attempt is one request, or one batch of a Produce.
type attempt struct {
	e      evidence.Exchange
	about  string
	code   string // the broker's answer, "" where it gave none
	offset int64  // where the batch was written
}

// chain is attempts at the same.
type chain []attempt

func againOf(exchanges []evidence.Exchange) []Again {
	var chains []*chain
	open := map[string]*chain{}
	for _, e := range exchanges {
		if strings.HasPrefix(e.Result, "copy of request ") {
			continue // which the proxy made, not the client
		}
		for _, k := range known(e) {
			c := open[k.name]
			if c == nil || e.API != "Produce" && (*c)[len(*c)-1].settled() {
				c = &chain{}
				chains, open[k.name] = append(chains, c), c
			}
			*c = append(*c, k.attempt)
		}
	}
	var all []Again
	for _, c := range chains {
		if len(*c) > 1 {
			all = append(all, c.again())
		}
	}
	return all
}

// named is an attempt with the name of what it is an attempt at.
type named struct {
	name string
	attempt
}

func known(e evidence.Exchange) []named {
	if e.API != "Produce" {
		return []named{{e.API + " " + e.Summary, attempt{e, e.Summary, e.Result, evidence.NoOffset}}}
	}
	var all []named
	sums := strings.Split(e.Fields["batch_sums"], ",")
	for i, b := range e.Batches {
		name := fmt.Sprintf("%s-%d %d.%d.%d", b.Topic, b.Partition, b.ProducerID, b.ProducerEpoch, b.BaseSequence)
		if b.ProducerID < 0 {
			if i >= len(sums) || sums[i] == "" {
				continue // nothing to know it by
			}
			name = fmt.Sprintf("%s-%d %s", b.Topic, b.Partition, sums[i])
		}
		about := fmt.Sprintf("%s-%d, %d records", b.Topic, b.Partition, b.Records)
		if b.Records == 1 {
			about = strings.TrimSuffix(about, "s")
		}
		all = append(all, named{name, attempt{e, about, b.Code, b.BaseOffset}})
	}
	return all
}

// settled says that no fault hit the request, so that the next one is another.
func (a attempt) settled() bool { return a.e.Fault == "" && !a.e.Collateral }

func (c chain) again() Again {
	first, last := c[0], c[len(c)-1]
	a := Again{API: first.e.API, About: first.about, Fault: first.fate(), Times: len(c), Result: last.fate()}
	var offsets []int64
	for i, one := range c {
		if i > 0 {
			a.Waits = append(a.Waits, max(0, one.e.At-max(c[i-1].e.At, c[i-1].e.AnsweredAt)))
		}
		if one.code == "ok" && one.offset >= 0 && !slices.Contains(offsets, one.offset) {
			offsets = append(offsets, one.offset)
		}
	}
	a.Written = len(offsets)
	return a
}

// fate is what became of an attempt, as the client had it.
func (a attempt) fate() string {
	switch {
	case a.e.Fault != "":
		return a.e.Fault
	case a.e.Collateral:
		return "collateral"
	case a.code == "":
		return "no answer"
	}
	return a.code
}

// retries is the most often that one request was sent again.
func retries(key string, exchanges []evidence.Exchange) (Trait, bool) {
	most := 0
	t := Trait{Key: key, Precision: AtLeast}
	for _, a := range againOf(exchanges) {
		if a.API == "Produce" {
			most = max(most, a.Times-1)
			t.Requests += a.Times - 1
		}
	}
	t.Value, t.Seen = strconv.Itoa(most), fmt.Sprintf("a batch of Produce was sent up to %d times in all", most+1)
	return t, most > 0
}

// backoff is the least that a client waited before it sent a batch again that was lost
// with its connection, or refused by an error. It may have waited for more than its
// backoff within that time: franz-go asks for Metadata first, and not again within 5 s.
func backoff(key string, exchanges []evidence.Exchange) (Trait, bool) {
	var waits []int64
	for _, a := range againOf(exchanges) {
		switch {
		case a.API != "Produce" || a.Fault == "collateral" || a.Fault == "no answer":
		case slices.Contains([]string{"stall", "half-open", "delay", "throttle"}, a.Fault): // the client waits for an answer first
		default:
			waits = append(waits, a.Waits[0])
		}
	}
	if len(waits) == 0 {
		return Trait{}, false
	}
	ms := strconv.FormatInt(slices.Min(waits)/1000, 10)
	return Trait{Key: key, Value: ms, Precision: AtMost, Requests: len(waits), Seen: "a lost or refused batch was sent again after " + ms + " ms, at the soonest"}, true
}
