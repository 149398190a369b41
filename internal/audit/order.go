package audit

// order finds records that stand before one that the same producer sent
// earlier. It sees the first copy of each send only: A B A is a duplicate of A
// and not a reordering, B A is a reordering of B.
//
// It keeps the ordinals of one instance behind which nothing earlier has come
// yet, as rising spans. A send that comes removes the higher ones, and each is
// removed at most once.
type order []span

// add takes the next first copy and returns the sends that it shows to stand
// too far ahead. They are valid until the next call.
func (o *order) add(ordinal int) (ahead []span) {
	stack := *o
	keep := len(stack)
	for keep > 0 && stack[keep-1].from > ordinal {
		keep--
	}
	if keep > 0 && stack[keep-1].to == ordinal {
		stack[keep-1].to++
		*o = stack[:keep]
		return stack[keep:]
	}
	ahead = append(ahead, stack[keep:]...) // the new one takes the place of the first of them
	stack = append(stack[:keep], span{ordinal, ordinal + 1})
	*o = stack
	return ahead
}
