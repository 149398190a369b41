package audit

import (
	"cmp"
	"slices"
)

// span is ordinals or numbers that count up: from is the first of them, to the
// first behind them.
type span struct{ from, to int }

func (s span) has(n int) bool { return s.from <= n && n < s.to }
func (s span) end() int       { return s.to }
func (s span) count() int     { return s.to - s.from }

// firstBehind is the index of the first of rising spans that ends behind n. What
// is asked for mostly comes last.
func firstBehind[S interface{ end() int }](spans []S, n int) int {
	if last := len(spans) - 1; last < 0 || spans[last].end() <= n {
		return len(spans)
	}
	at, _ := slices.BinarySearchFunc(spans, n, func(s S, n int) int { return cmp.Compare(s.end(), n+1) })
	return at
}
