package audit

// order finds records that stand before one that the same producer sent
// earlier. It sees the first copy of each send only: A B A is a duplicate of A
// and not a reordering, B A is a reordering of B.
//
// For each instance it keeps the sends behind which nothing earlier has come
// yet, ordinals rising. A send that comes removes those with a higher ordinal,
// and each is removed at most once.
type order map[int][]sent

type sent struct {
	ordinal int
	send    int32
}

// add takes the next first copy and returns the sends that it shows to stand
// too far ahead.
func (o order) add(instance int, s sent) (ahead []sent) {
	stack := o[instance]
	keep := len(stack)
	for keep > 0 && stack[keep-1].ordinal > s.ordinal {
		keep--
	}
	if keep == len(stack) {
		o[instance] = append(stack, s)
		return nil
	}
	ahead = append(ahead, stack[keep:]...)
	o[instance] = append(stack[:keep], s)
	return ahead
}
