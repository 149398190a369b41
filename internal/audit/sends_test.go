package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// Of several sends under one ordinal the first one counts, in whatever order
// they come, as sends or as runs.
func TestFind(t *testing.T) {
	for name, ordinals := range map[string][]int{
		"none":               {},
		"counting up":        {0, 1, 2, 3},
		"not from zero":      {5, 6, 7},
		"holes":              {0, 2, 3, 9},
		"out of order":       {3, 0, 2, 1},
		"twice":              {0, 1, 1, 2},
		"twice after a hole": {1, 3, 3, 4},
		"a run over another": {4, 5, 2, 3, 4, 5, 6, 7},
		"a run around holes": {3, 5, 1, 2, 3, 4, 5, 6},
		"negative":           {-2, -1, 4},
	} {
		o := &evidence.Observed{}
		for _, n := range ordinals {
			o.Sends = append(o.Sends, evidence.Send{Send: evidence.SendID{Instance: 7, Ordinal: n}, ID: evidence.RecordID{N: n}})
		}
		all := newSends(o, nil)
		for _, n := range []int{math.MinInt, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, math.MaxInt} {
			s, ok := all.find(evidence.SendID{Instance: 7, Ordinal: n})
			want, wantOK := firstOf(ordinals, n)
			if ok != wantOK || ok && s.position() != want {
				t.Errorf("%s: ordinal %d found: %t, want %t at %d", name, n, ok, wantOK, want)
			}
			if ok && all.at(s.position()) != s {
				t.Errorf("%s: another send stands at position %d", name, s.position())
			}
		}
		if _, ok := all.find(evidence.SendID{Instance: 8}); ok {
			t.Errorf("%s: found 0 of an instance that is not there", name)
		}
	}
}

func firstOf(ordinals []int, n int) (int, bool) {
	for at, m := range ordinals {
		if m == n {
			return at, true
		}
	}
	return 0, false
}

func TestRepeated(t *testing.T) {
	of := func(from, count int) evidence.Run {
		return evidence.Run{Topic: "orders", Role: "payments", Number: from, Count: count, Instance: from}
	}
	elsewhere := of(0, 100)
	elsewhere.Topic = "events"
	for name, tt := range map[string]struct {
		runs     []evidence.Run
		distinct int
		repeated []numbers
	}{
		"one after the other":    {[]evidence.Run{of(0, 5), of(5, 5)}, 10, nil},
		"in two topics":          {[]evidence.Run{of(0, 5), elsewhere}, 5, nil},
		"a hole":                 {[]evidence.Run{of(7, 5), of(0, 5)}, 10, nil},
		"overlapping":            {[]evidence.Run{of(3, 5), of(0, 5)}, 8, []numbers{{3, 5}}},
		"within":                 {[]evidence.Run{of(0, 9), of(3, 2), of(6, 1)}, 9, []numbers{{3, 5}, {6, 7}}},
		"three times":            {[]evidence.Run{of(0, 9), of(0, 9), of(0, 4)}, 9, []numbers{{0, 9}}},
		"twice, next to another": {[]evidence.Run{of(0, 9), of(0, 2), of(2, 2)}, 9, []numbers{{0, 4}}},
	} {
		all := newSends(&evidence.Observed{Runs: tt.runs}, nil)
		got := all.records[topicRole{"orders", "payments"}]
		if diff := cmp.Diff(tt.repeated, got.repeated, cmp.AllowUnexported(numbers{})); diff != "" || got.distinct != tt.distinct {
			t.Errorf("%s: %d distinct, want %d (-want +got):\n%s", name, got.distinct, tt.distinct, diff)
		}
		for i := range all.runs {
			for n := range all.runs[i].count {
				s := sent{&all.runs[i], n}
				if again := s.record() != nil; again != inside(tt.repeated, s) {
					t.Errorf("%s: %v sent more than once: %t", name, s.id(), again)
				}
			}
		}
	}
}

func inside(repeated []numbers, s sent) bool {
	for _, n := range repeated {
		if s.topic == "orders" && n.from <= s.id().N && s.id().N < n.to {
			return true
		}
	}
	return false
}

// What stands before a smaller ordinal is ahead, once.
func TestOrder(t *testing.T) {
	const seed = 3
	chance := rand.New(rand.NewPCG(seed, seed))
	for range 500 {
		ordinals := chance.Perm(1 + chance.IntN(12))
		got, want := map[int]int{}, map[int]int{}
		var o order
		for at, n := range ordinals {
			for _, ahead := range o.add(n) {
				for m := ahead.from; m <= ahead.to; m++ {
					got[m]++
				}
			}
			for _, m := range ordinals[:at] {
				if m > n {
					want[m] = 1
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%v (-want +got):\n%s", ordinals, diff)
		}
	}
}

// First copies come in any order, and each is found where it stands.
func TestTrail(t *testing.T) {
	const seed = 4
	chance := rand.New(rand.NewPCG(seed, seed))
	o := &origin{producer: 9}
	for range 300 {
		in := &instance{trails: []*trail{{number: 0}, {number: 1}}}
		ordinals := nearlyInOrder(chance, 40)
		want := map[int]first{}
		for offset, n := range ordinals {
			tr := in.trails[offset*2/len(ordinals)]
			seq := int32(math.MaxInt32 - 20 + offset) // wraps on the way
			if offset > 20 {
				seq = int32(offset - 21)
			}
			tr.add(o, n, int64(offset), seq)
			want[n] = first{tr, o, int64(offset), seq}
		}
		for _, n := range chance.Perm(len(ordinals)) {
			if got := in.first(n); got != want[n] {
				t.Fatalf("%v: first copy of %d is %+v, want %+v", ordinals, n, got, want[n])
			}
		}
	}
}

// nearlyInOrder counts up, in blocks that are out of place here and there.
func nearlyInOrder(chance *rand.Rand, n int) (ordinals []int) {
	const block = 4
	for _, b := range chance.Perm(n / block) {
		for i := range block {
			ordinals = append(ordinals, b*block+i)
		}
	}
	return ordinals
}

func TestExceptions(t *testing.T) {
	const seed = 6
	chance := rand.New(rand.NewPCG(seed, seed))
	x := exceptions{pages: map[int]*page{}}
	r := &run{count: 300}
	added := map[int]bool{}
	for range 1000 {
		position := chance.IntN(r.count)
		e := x.get(position)
		if (e != nil) != added[position] || e != nil && e.position() != position {
			t.Fatalf("exception at %d: %+v, added: %t", position, e, added[position])
		}
		if e == nil {
			added[position] = true
			x.add(sent{r, position})
		}
	}
	found := map[int]bool{}
	for e := range x.all() {
		found[e.position()] = true
	}
	if diff := cmp.Diff(added, found); diff != "" || x.count != len(added) {
		t.Errorf("all, of %d (-want +got):\n%s", x.count, diff)
	}
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
