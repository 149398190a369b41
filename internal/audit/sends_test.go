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

// A run ends where anything stops counting up, or the client said something else.
func TestFold(t *testing.T) {
	send := func(ordinal, number int, offset int64, outcome evidence.Outcome) evidence.Send {
		return evidence.Send{
			Send: evidence.SendID{Ordinal: ordinal}, ID: evidence.RecordID{N: number}, Offset: offset, Outcome: outcome,
		}
	}
	acked, failed, none := evidence.OutcomeAcked, evidence.OutcomeFailed, evidence.NoOffset
	base := send(3, 8, 40, acked)
	for name, tt := range map[string]struct {
		next evidence.Send
		runs int
	}{
		"all counts up":        {send(4, 9, 41, acked), 1},
		"hole in the ordinals": {send(5, 9, 41, acked), 2},
		"hole in the numbers":  {send(4, 10, 41, acked), 2},
		"hole in the offsets":  {send(4, 9, 42, acked), 2},
		"no offset":            {send(4, 9, none, acked), 2},
		"other outcome":        {send(4, 9, 41, failed), 2},
	} {
		o := &evidence.Observed{Sends: []evidence.Send{base, tt.next}}
		if got := newSends(o, nil); len(got.runs) != tt.runs || got.count != 2 {
			t.Errorf("%s: %d sends in %d runs, want 2 in %d", name, got.count, len(got.runs), tt.runs)
		}
	}
	twoFailed := &evidence.Observed{Sends: []evidence.Send{send(3, 8, 40, failed), send(4, 9, 77, failed)}}
	if got := newSends(twoFailed, nil); len(got.runs) != 1 {
		t.Errorf("%d runs of failed sends, want 1: an offset told of them means nothing", len(got.runs))
	}
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
		repeated []span
	}{
		"one after the other":    {[]evidence.Run{of(0, 5), of(5, 5)}, 10, nil},
		"in two topics":          {[]evidence.Run{of(0, 5), elsewhere}, 5, nil},
		"a hole":                 {[]evidence.Run{of(7, 5), of(0, 5)}, 10, nil},
		"overlapping":            {[]evidence.Run{of(3, 5), of(0, 5)}, 8, []span{{3, 5}}},
		"within":                 {[]evidence.Run{of(0, 9), of(3, 2), of(6, 1)}, 9, []span{{3, 5}, {6, 7}}},
		"three times":            {[]evidence.Run{of(0, 9), of(0, 9), of(0, 4)}, 9, []span{{0, 9}}},
		"twice, next to another": {[]evidence.Run{of(0, 9), of(0, 2), of(2, 2)}, 9, []span{{0, 4}}},
	} {
		all := newSends(&evidence.Observed{Runs: tt.runs}, nil)
		got := all.records[topicRole{"orders", "payments"}]
		if diff := cmp.Diff(tt.repeated, got.repeated, cmp.AllowUnexported(span{})); diff != "" || got.distinct != tt.distinct {
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

func inside(repeated []span, s sent) bool {
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
				for m := ahead.from; m < ahead.to; m++ {
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

// First copies come in any order, from several producers, behind holes, and each
// is found where it stands.
func TestTrail(t *testing.T) {
	const seed = 4
	chance := rand.New(rand.NewPCG(seed, seed))
	origins := []*origin{{producer: 9}, {producer: 9, epoch: 1}}
	for range 1000 {
		in := &instance{trails: []*trail{{number: 0}, {number: 1}}}
		ordinals := nearlyInOrder(chance, 40)
		want := map[int]first{}
		next := first{origin: origins[0], sequence: math.MaxInt32 - 20} // wraps on the way
		for i, n := range ordinals {
			next.trail = in.trails[2*i/len(ordinals)]
			next.offset, next.sequence = next.offset+1, sequence(next.sequence, 1)
			switch chance.IntN(20) {
			case 0:
				next.offset++
			case 1:
				next.sequence = sequence(next.sequence, 1)
			case 2:
				next.origin = origins[i%2]
			}
			next.add(next.origin, n, next.offset, next.sequence)
			want[n] = next
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

// Only sequences that were asked for and under which something stands have a holder,
// wherever in a stretch they are.
func TestHolders(t *testing.T) {
	tr, o := &trail{number: 3}, &origin{producer: 9, epoch: 1}
	for i := range 10 {
		tr.add(o, 100+i, int64(i), int32(50+i))
	}
	asked := map[producer][]int32{
		{9, 3, 1}: {49, 50, 57, 57, 59, 60}, {9, 3, 2}: {51}, {9, 2, 1}: {52}, {8, 3, 1}: {53},
	}
	got := map[identity]int{} // ordinals
	tr.holders(asked, func(id identity, ordinal int) { got[id] = ordinal })
	want := map[identity]int{}
	for _, sequence := range []int32{50, 57, 59} {
		want[identity{producer: 9, partition: 3, epoch: 1, sequence: sequence}] = int(100 + sequence - 50)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(identity{})); diff != "" {
		t.Errorf("holders (-want +got):\n%s", diff)
	}
}

// Whole words of seen sends are stepped over, and no send beside them.
func TestAbsent(t *testing.T) {
	const seed = 8
	chance := rand.New(rand.NewPCG(seed, seed))
	for range 300 {
		o := &evidence.Observed{}
		for i := range 3 {
			outcome := []evidence.Outcome{evidence.OutcomeAcked, evidence.OutcomeUnknown}[chance.IntN(2)]
			o.Runs = append(o.Runs, evidence.Run{Instance: i, Count: 1 + chance.IntN(200), Outcome: outcome})
		}
		a := New(o)
		var want []int
		for position := range a.sends.count {
			switch s := a.sends.at(position); {
			case chance.IntN(100) > 0:
				a.copies.set(position)
			case s.outcome == evidence.OutcomeAcked:
				want = append(want, position)
			}
		}
		var got []int
		for _, s := range a.absent() {
			got = append(got, s.position())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("of %d sends (-want +got):\n%s", a.sends.count, diff)
		}
	}
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
