package audit

import (
	"cmp"
	"slices"
)

// Exceptions is how many sends have an entry of their own.
func (a *Auditor) Exceptions() int { return a.copies.exceptions.count }

// at is the send at a position.
func (all *sends) at(position int) sent {
	i, found := slices.BinarySearchFunc(all.runs, position, func(r run, position int) int { return cmp.Compare(r.first, position) })
	if !found {
		i--
	}
	return sent{&all.runs[i], position - all.runs[i].first}
}
