package plot

import "testing"

func TestTicks(t *testing.T) {
	for _, c := range []struct{ highest, step, last float64 }{
		{0, 1, 1}, {1, 1, 1}, {3, 1, 3}, {5, 1, 5}, {6, 2, 6}, {7, 2, 8}, {42, 10, 50}, {200, 50, 200}, {252, 100, 300}, {501, 200, 600}, {10000, 2000, 10000},
	} {
		if step, last := ticks(c.highest); step != c.step || last != c.last {
			t.Errorf("%v: a tick every %v up to %v, want %v and %v", c.highest, step, last, c.step, c.last)
		}
	}
}
