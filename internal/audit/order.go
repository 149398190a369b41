package audit

// order finds records that stand before one that the same producer sent
// earlier. It sees the first copy of each send only: A B A is a duplicate of A
// and not a reordering, B A is a reordering of B.
//
// It keeps the sends of one instance behind which nothing earlier has come yet,
// as intervals of ordinals, rising. A send that comes removes those with a higher
// ordinal, and each is removed at most once.
type order []interval

// interval is ordinals, both ends included.
type interval struct{ from, to int }

// add takes the next first copy and returns the sends that it shows to stand
// too far ahead. They are valid until the next call.
func (o *order) add(ordinal int) (ahead []interval) {
	stack := *o
	keep := len(stack)
	for keep > 0 && stack[keep-1].from > ordinal {
		keep--
	}
	if keep > 0 && stack[keep-1].to == ordinal-1 {
		stack[keep-1].to = ordinal
		*o = stack[:keep]
		return stack[keep:]
	}
	ahead = append(ahead, stack[keep:]...) // the new one takes the place of the first of them
	*o = append(stack[:keep], interval{ordinal, ordinal})
	return ahead
}
