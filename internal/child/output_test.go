package child_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/child"
)

// TestLines cuts a text at every place: lines do not depend on how it arrives.
func TestLines(t *testing.T) {
	const text = "first\n\nthird line\ncut off by the end"
	want := []string{"first", "", "third line"}
	for size := 1; size <= len(text); size++ {
		var got []string
		l := &child.Lines{Hear: func(line []byte) { got = append(got, string(line)) }}
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			fmt.Fprint(l, rest[:min(size, len(rest))])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in pieces of %d bytes (-want +got):\n%s", size, diff)
		}
	}
}

// TestLongLine: nothing is heard behind a line that is too long.
func TestLongLine(t *testing.T) {
	var got []string
	long := 0
	l := &child.Lines{Hear: func(line []byte) { got = append(got, string(line)) }, Most: 10, Long: func() { long++ }}
	for _, piece := range []string{"short\nno", "t yet", " and now it is", "\nshort\n"} {
		fmt.Fprint(l, piece)
	}
	if diff := cmp.Diff([]string{"short"}, got); diff != "" || long != 1 {
		t.Errorf("%d complaints (-want +got):\n%s", long, diff)
	}
}

func TestTail(t *testing.T) {
	var tail child.Tail
	for i := range 1000 {
		fmt.Fprintf(&tail, "line %d\n", i)
	}
	if s := tail.String(); len(s) != 2000 || !strings.HasSuffix(s, "line 998\nline 999\n") {
		t.Errorf("kept %d bytes, which end with %q", len(s), s[max(0, len(s)-20):])
	}
}
