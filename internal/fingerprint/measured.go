package fingerprint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kcompare/internal/evidence"
)

// Batches are the record batches that a client sent, each time it sent them.
type Batches struct {
	Requests   int64 // Produce requests
	Batches    int64
	Records    int64 // in batches, copies included
	MinRecords int64 // in a batch; 0 where there was none
	MaxRecords int64
	MaxBytes   int64 // of a batch as it was sent, compressed where it was
	InFlight   int   // most Produce requests that waited for their answer at once, on one connection
}

func batchesOf(exchanges []evidence.Exchange) Batches {
	b := Batches{InFlight: inFlight(exchanges), MaxBytes: int64(maximum(exchanges, batchBytes))}
	for _, e := range exchanges {
		if e.API == "Produce" {
			b.Requests++
		}
		for _, one := range e.Batches {
			n := int64(one.Records)
			if b.Batches == 0 {
				b.MinRecords = n
			}
			b.Batches, b.Records = b.Batches+1, b.Records+n
			b.MinRecords, b.MaxRecords = min(b.MinRecords, n), max(b.MaxRecords, n)
		}
	}
	return b
}

// batchBytes is the size of the largest batch of a request, 0 where there is none.
func batchBytes(e evidence.Exchange) int {
	n, _ := strconv.Atoi(e.Fields["batch_bytes"])
	return n
}

// batchRecords is how many records the largest batch of a request has.
func batchRecords(e evidence.Exchange) int {
	most := 0
	for _, b := range e.Batches {
		most = max(most, int(b.Records))
	}
	return most
}

func maximum(exchanges []evidence.Exchange, of func(evidence.Exchange) int) int {
	most := 0
	for _, e := range exchanges {
		most = max(most, of(e))
	}
	return most
}

// most is the largest figure of any request, which is a lower bound of the setting.
func most(what string, of func(evidence.Exchange) int) func(string, []evidence.Exchange) (Trait, bool) {
	return func(key string, exchanges []evidence.Exchange) (Trait, bool) {
		n := maximum(exchanges, of)
		t := Trait{Key: key, Value: strconv.Itoa(n), Precision: AtLeast, Seen: fmt.Sprintf("up to %d %s in a batch of Produce", n, what)}
		for _, e := range exchanges {
			if n > 0 && of(e) == n {
				t.Requests++
			}
		}
		return t, n > 0
	}
}

func mostInFlight(key string, exchanges []evidence.Exchange) (Trait, bool) {
	n := inFlight(exchanges)
	t := Trait{Key: key, Value: strconv.Itoa(n), Precision: AtLeast, Seen: fmt.Sprintf("up to %d Produce on a connection waited at once", n)}
	for _, e := range exchanges {
		if e.API == "Produce" {
			t.Requests++
		}
	}
	return t, n > 0
}

// inFlight is the most Produce requests that waited for their answer at once, on one
// connection. With acks=0 none ever does.
func inFlight(exchanges []evidence.Exchange) int {
	most := 0
	byConn := map[int64][]change{}
	last := lastMoments(exchanges)
	for _, e := range exchanges {
		if e.API != "Produce" || e.Fields["acks"] == "0" {
			continue
		}
		end := e.AnsweredAt
		switch {
		case e.Answered:
		case e.Delivered: // the proxy answered, at once
			end = e.At
		default:
			end = last[e.Conn] // it waited until its connection ended
		}
		byConn[e.Conn] = append(byConn[e.Conn], change{e.At, 1}, change{max(end, e.At+1), -1})
	}
	for _, changes := range byConn {
		// An answer that comes at the moment of the next request came before it: the client waited for it.
		slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
		waiting := 0
		for _, c := range changes {
			waiting += c.by
			most = max(most, waiting)
		}
	}
	return most
}

// change is one request more, or one less, that waits at a moment.
type change struct {
	at int64
	by int
}

// lastMoments is when something last happened on each connection.
func lastMoments(exchanges []evidence.Exchange) map[int64]int64 {
	last := map[int64]int64{}
	for _, e := range exchanges {
		last[e.Conn] = max(last[e.Conn], e.At, e.AnsweredAt)
	}
	return last
}

// fewestHeartbeats make a measurement: the first ones come when a group is still
// rebalancing.
const fewestHeartbeats = 3

// heartbeats measures how often a member of a classic group reports. With KIP-848 the
// broker says how often.
func heartbeats(key string, exchanges []evidence.Exchange) (Trait, bool) {
	var gaps []int64
	last := map[int64]int64{}
	for _, e := range exchanges {
		if e.API != "Heartbeat" {
			continue
		}
		if before, known := last[e.Conn]; known {
			gaps = append(gaps, e.At-before)
		}
		last[e.Conn] = e.At
	}
	if len(gaps) < fewestHeartbeats {
		return Trait{}, false
	}
	return measured(key, gaps, "between one Heartbeat and the next"), true
}

// measured is the median of microseconds, told in milliseconds.
func measured(key string, micros []int64, what string) Trait {
	slices.Sort(micros)
	median := time.Duration(micros[len(micros)/2]) * time.Microsecond
	ms := strconv.FormatInt(median.Round(time.Millisecond).Milliseconds(), 10)
	return Trait{Key: key, Value: ms, Precision: About, Seen: fmt.Sprintf("%s ms %s", ms, what), Requests: len(micros)}
}
