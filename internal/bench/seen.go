package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Effective settings, from what the proxy has seen. Pure: a trace in, figures out.

// lateness is how late answers come while batches are to fill: by then a client has
// handed over more than it may have in flight.
const lateness = 300 * time.Millisecond

// of are the requests of an API.
func of(trace []evidence.Exchange, api string) []evidence.Exchange {
	return slices.DeleteFunc(slices.Clone(trace), func(e evidence.Exchange) bool { return e.API != api })
}

// writes are the Produce requests to a topic, as they came.
func writes(trace []evidence.Exchange, topic string) []evidence.Exchange {
	return slices.DeleteFunc(of(trace, "Produce"), func(e evidence.Exchange) bool {
		return !slices.ContainsFunc(e.Batches, func(b evidence.TraceBatch) bool { return b.Topic == topic })
	})
}

// seeWrites fills in what Produce requests tell. Late are those whose answers were late,
// all of them those of the whole run.
func seeWrites(seen *evidence.BenchSeen, late, all []evidence.Exchange) {
	if len(all) == 0 {
		return
	}
	seen.Acks = words(all, func(e evidence.Exchange) []string { return []string{acksOf(e)} })
	seen.Idempotent = words(all, func(e evidence.Exchange) []string { return batchWords(e, idempotent) })
	seen.Codec = words(all, func(e evidence.Exchange) []string { return batchWords(e, codec) })
	seen.LargestBatch = largest(late, batchBytes)
	seen.LargestRecords = largest(late, batchRecords)
	seen.InFlight = inFlight(late, lateness)
	seen.BatchesInRequest = batchesInRequest(late)
	seen.Requests += int64(len(all))
	seen.Versions = append(seen.Versions, versions(all)...)
}

// acksOf is as producers spell it.
func acksOf(e evidence.Exchange) string {
	if e.Fields["acks"] == "-1" {
		return "all"
	}
	return e.Fields["acks"]
}

// words are all different values, sorted: more than one is as telling as another one.
func words(trace []evidence.Exchange, of func(evidence.Exchange) []string) string {
	var all []string
	for _, e := range trace {
		all = append(all, of(e)...)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " and ")
}

func batchWords(e evidence.Exchange, of func(evidence.TraceBatch) string) []string {
	var all []string
	for _, b := range e.Batches {
		all = append(all, of(b))
	}
	return all
}

func idempotent(b evidence.TraceBatch) string { return strconv.FormatBool(b.ProducerID >= 0) }

func codec(b evidence.TraceBatch) string { return cmp.Or(b.Codec, "none") }

// partitions is how many are written to.
func partitions(trace []evidence.Exchange) int {
	seen := map[int32]bool{}
	for _, e := range trace {
		for _, b := range e.Batches {
			seen[b.Partition] = true
		}
	}
	return len(seen)
}

func largest(trace []evidence.Exchange, size func(evidence.Exchange) int64) int64 {
	var most int64
	for _, e := range trace {
		most = max(most, size(e))
	}
	return most
}

// batchBytes is the largest batch of a request, as encoded.
func batchBytes(e evidence.Exchange) int64 {
	n, _ := strconv.ParseInt(e.Fields["batch_bytes"], 10, 64)
	return n
}

func batchRecords(e evidence.Exchange) int64 {
	var most int64
	for _, b := range e.Batches {
		most = max(most, int64(b.Records))
	}
	return most
}

// inFlight is the most requests of a connection of which the client had no answer, while
// answers were late by so much: of the last two thirds, when it was warm. An answer was not
// there before it was due; what the proxy took longer can only make the figure smaller, and
// only for a moment.
func inFlight(trace []evidence.Exchange, late time.Duration) int {
	trace = slices.DeleteFunc(slices.Clone(trace), func(e evidence.Exchange) bool { return e.Fault != string(fault.Delay) })
	due := map[int64][]int64{} // by connection
	most := 0
	for i, e := range trace {
		due[e.Conn] = slices.DeleteFunc(due[e.Conn], func(at int64) bool { return at <= e.At })
		due[e.Conn] = append(due[e.Conn], e.AnsweredAt+late.Microseconds())
		if i >= len(trace)/3 {
			most = max(most, len(due[e.Conn]))
		}
	}
	return most
}

func batchesInRequest(trace []evidence.Exchange) float64 {
	batches := 0
	for _, e := range trace {
		batches += len(e.Batches)
	}
	if len(trace) == 0 {
		return 0
	}
	return float64(batches) / float64(len(trace))
}

// versions are those of the APIs in a trace: "Produce v12".
func versions(trace []evidence.Exchange) []string {
	seen := map[string]bool{}
	for _, e := range trace {
		seen[fmt.Sprintf("%s v%d", e.API, e.Version)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// seeReads fills in what Fetch requests tell.
func seeReads(seen *evidence.BenchSeen, fetches []evidence.Exchange) {
	if len(fetches) == 0 {
		return
	}
	seen.Isolation = words(fetches, func(e evidence.Exchange) []string { return []string{isolationOf(e)} })
	seen.LargestFetch = largest(fetches, func(e evidence.Exchange) int64 { return int64(e.ResponseBytes) })
	seen.Requests += int64(len(fetches))
	seen.Versions = append(seen.Versions, versions(fetches)...)
}

func isolationOf(e evidence.Exchange) string {
	if e.Fields["isolation_level"] == "1" {
		return "read_committed"
	}
	return "read_uncommitted"
}

// lingered is the least time from the hand-over of a record to its request: what the
// client took for the record, without what its answer took. A busy machine only adds to
// it, and may let records go together, which are left out; so are the first ones, and the
// last one, behind which a client flushes. ok is false where too few went alone, or where
// some went twice.
func lingered(requests []evidence.Exchange, latencies []uint32) (ms float64, ok bool) {
	var alone []int64
	record := 0
	for _, e := range requests {
		if batchRecords(e) == 1 && len(e.Batches) == 1 && record >= firstOnes && record < len(latencies)-1 {
			alone = append(alone, int64(latencies[record])-answering(e))
		}
		for _, b := range e.Batches {
			record += int(b.Records)
		}
	}
	if record != len(latencies) || len(alone) < fewestAlone {
		return 0, false
	}
	return float64(max(slices.Min(alone), 0)) / 1000, true
}

const (
	firstOnes   = 2 // records whose time is that of a client that warms up
	fewestAlone = 3
)

// answering is how long the broker took; without acks no answer is waited for.
func answering(e evidence.Exchange) int64 {
	if !e.Answered {
		return 0
	}
	return e.AnsweredAt - e.At
}
