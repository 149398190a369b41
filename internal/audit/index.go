package audit

import (
	"cmp"
	"slices"
)

// index finds sends by group and number, 4 bytes a send: by instance and ordinal,
// or by role and number of the logical record.
type index[G comparable] struct {
	groups map[G][]int32      // positions of sends, numbers rising
	number func(at int32) int // of the send at a position
}

func newIndex[G comparable](sends int, group func(at int32) G, number func(at int32) int) index[G] {
	x := index[G]{groups: map[G][]int32{}, number: number}
	for at := range int32(sends) {
		g := group(at)
		x.groups[g] = append(x.groups[g], at)
	}
	byNumber := func(p, q int32) int { return cmp.Compare(number(p), number(q)) }
	for _, at := range x.groups {
		if !slices.IsSortedFunc(at, byNumber) {
			slices.SortStableFunc(at, byNumber)
		}
	}
	return x
}

// find is the position of the send; of several, the first. Numbers mostly count
// up without a hole, so that the place of a number can be guessed.
func (x index[G]) find(g G, number int) (int32, bool) {
	at := x.groups[g]
	if len(at) == 0 {
		return 0, false
	}
	guess := number - x.number(at[0])
	if guess > 0 && guess < len(at) && x.number(at[guess]) == number && x.number(at[guess-1]) < number {
		return at[guess], true
	}
	i, ok := slices.BinarySearchFunc(at, number, func(p int32, n int) int { return cmp.Compare(x.number(p), n) })
	if !ok {
		return 0, false
	}
	return at[i], true
}
