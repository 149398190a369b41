package audit

import (
	"math"
	"testing"
)

// The index must find the first send of a number, whatever the order of the
// numbers and however wrong its guess is.
func TestIndex(t *testing.T) {
	for name, numbers := range map[string][]int{
		"empty":              {},
		"counting up":        {0, 1, 2, 3},
		"not from zero":      {5, 6, 7},
		"holes":              {0, 2, 3, 9},
		"out of order":       {3, 0, 2, 1},
		"twice":              {0, 1, 1, 2},
		"twice after a hole": {1, 3, 3, 4},
		"negative":           {-2, -1, 4},
		"far":                {math.MinInt, 0, math.MaxInt},
	} {
		x := newIndex(len(numbers),
			func(int32) string { return "group" },
			func(at int32) int { return numbers[at] })
		for n := -3; n < 12; n++ {
			wantAt, want := firstOf(numbers, n)
			if at, ok := x.find("group", n); at != wantAt || ok != want {
				t.Errorf("%s: find(%d) = %d, %t, want %d, %t", name, n, at, ok, wantAt, want)
			}
		}
		if at, ok := x.find("other", 0); ok {
			t.Errorf("%s: found 0 at %d in a group that is not there", name, at)
		}
	}
}

func firstOf(numbers []int, n int) (int32, bool) {
	for at, m := range numbers {
		if m == n {
			return int32(at), true
		}
	}
	return 0, false
}

func TestSequence(t *testing.T) {
	for _, tt := range []struct {
		base int32
		i    int64
		want int32
	}{
		{0, 0, 0}, {7, 3, 10}, {math.MaxInt32, 0, math.MaxInt32}, {math.MaxInt32, 1, 0}, {math.MaxInt32 - 1, 4, 2}, {-1, 5, -1},
	} {
		if got := sequence(tt.base, tt.i); got != tt.want {
			t.Errorf("sequence(%d, %d) = %d, want %d", tt.base, tt.i, got, tt.want)
		}
	}
}
