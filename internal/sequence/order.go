package sequence

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// inOrder puts a part into the order of cause and effect. Requests that wait for nothing of
// each other reach the proxy in another order each time; they stand in the order in which
// the application sent their records. What has to follow, follows:
//
//   - what is written to a partition, in the order in which it was sent, attempts included
//   - a partition's AddPartitionsToTxn before what is written to it
//   - an InitProducerId, the end of a transaction and all that a client waits for: what came
//     before stands before it
func (t *tape) inOrder(part []*evidence.Exchange) []*evidence.Exchange {
	var out []*evidence.Exchange
	begin := 0
	for i, e := range part {
		if isBarrier(e) {
			out = append(out, t.sorted(part[begin:i])...)
			out = append(out, e)
			begin = i + 1
		}
	}
	return append(out, t.sorted(part[begin:])...)
}

// isBarrier: a client waits for the answer before it goes on, and sends these when it has
// all answers that it waits for. Requests of groups and of the start are told in their
// order as well.
func isBarrier(e *evidence.Exchange) bool {
	switch e.API {
	case "Produce", "AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit":
		return false
	}
	return true
}

// window bounds how far a request is looked for among those that came later.
const window = 256

// sorted takes, again and again, of all that wait for nothing the one with the least rank.
func (t *tape) sorted(part []*evidence.Exchange) []*evidence.Exchange {
	rest := slices.Clone(part)
	out := make([]*evidence.Exchange, 0, len(rest))
	for len(rest) > 0 {
		best := 0
		for i := range rest[:min(len(rest), window)] {
			if t.rank(rest[i], rest[best]) < 0 && !waits(rest[i], rest[:i]) {
				best = i
			}
		}
		out = append(out, rest[best])
		rest = slices.Delete(rest, best, best+1)
	}
	return out
}

func (t *tape) rank(a, b *evidence.Exchange) int {
	return cmp.Or(
		cmp.Compare(phase(a), phase(b)),
		cmp.Compare(t.ordinal(a), t.ordinal(b)),
		cmp.Compare(attempt(a), attempt(b)),
		cmp.Compare(a.N, b.N),
	)
}

// phase is the order in which a program does these.
func phase(e *evidence.Exchange) int {
	return slices.Index([]string{"AddPartitionsToTxn", "Produce", "AddOffsetsToTxn", "TxnOffsetCommit"}, e.API)
}

// ordinal is the place of a request's first record in the order of sending; what carries
// none that is known comes last.
func (t *tape) ordinal(e *evidence.Exchange) int {
	first := math.MaxInt
	for _, b := range e.Batches {
		first = min(first, t.first(b))
	}
	return first
}

func (t *tape) first(b evidence.TraceBatch) int {
	first := math.MaxInt
	for _, send := range b.Sends {
		if n, known := t.ordinals[send]; known {
			first = min(first, n)
		}
	}
	return first
}

func attempt(e *evidence.Exchange) int {
	if len(e.Batches) == 0 {
		return 0
	}
	return e.Batches[0].Attempt
}

// waits says whether a request needs one of those that came before it. Of two Produce
// requests on one connection, for different partitions, neither does.
func waits(e *evidence.Exchange, before []*evidence.Exchange) bool {
	return slices.ContainsFunc(before, func(o *evidence.Exchange) bool {
		if e.API == "Produce" && o.API == "Produce" {
			return sharePartition(o, e)
		}
		return o.Conn == e.Conn || o.API == e.API || adds(o, e)
	})
}

func sharePartition(a, b *evidence.Exchange) bool {
	return slices.ContainsFunc(a.Batches, func(o evidence.TraceBatch) bool {
		return slices.ContainsFunc(b.Batches, func(p evidence.TraceBatch) bool {
			return o.Topic == p.Topic && o.Partition == p.Partition
		})
	})
}

// adds says whether o adds a partition that e writes to.
func adds(o, e *evidence.Exchange) bool {
	return o.API == "AddPartitionsToTxn" && slices.ContainsFunc(e.Batches, func(b evidence.TraceBatch) bool {
		return slices.Contains(strings.Fields(o.Summary), partitionName(b))
	})
}
