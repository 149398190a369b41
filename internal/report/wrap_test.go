package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A command line that is broken must still be the same command to a shell: only
// blanks outside quotes may become a backslash and a newline.
func TestBreakCommand(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"run", []string{"run"}},
		{"run all --seed=1", []string{"run all", "--seed=1"}},
		{"run -X 'a b c d e f'", []string{"run -X", "'a b c d e f'"}},
		{`run "it's here" too`, []string{"run", `"it's here"`, "too"}},
		{`run 'it'\''s here' b`, []string{"run", `'it'\''s here'`, "b"}},
		{`run a\ b\ c\ d e f`, []string{"run", `a\ b\ c\ d`, "e f"}},
		{"", []string{""}},
	} {
		if diff := cmp.Diff(c.want, breakCommand(c.command, 10)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.command, diff)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name string
		in   phrase
		want []phrase
	}{
		{"nothing is an empty line", nil, []phrase{{}}},
		{"between words", say("eight of ten"), []phrase{say("eight of"), say("ten")}},
		{"not at glue", say("a franz" + glue + "20"), []phrase{say("a"), say("franz" + glue + "20")}},
		{"a long word is cut", say("order-0042-x yes"), []phrase{say("order-00"), say("42-x yes")}},
		{"wide letters take two columns", say("日本語日本語"), []phrase{say("日本語日"), say("本語")}},
		{
			"marks stay with their words",
			phrase{{text: "VIOLATED:", mark: bad}, word("a b")},
			[]phrase{{{text: "VIOLATED", mark: bad}}, {{text: ":", mark: bad}, word("a b")}},
		},
	} {
		if diff := cmp.Diff(c.want, wrap(c.in, 8), cmp.AllowUnexported(span{})); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

// A split table loses no column, and no piece is wider than it may be.
func TestSplit(t *testing.T) {
	whole := table{columns: strings.Fields("aaaa bbbb cccc dddd eeee ffff gggg")}
	whole.rows = []row{{label: word("label"), cells: make([]span, 7)}}
	for width := 11; width < 60; width++ {
		var columns []string
		for _, piece := range whole.split(width) {
			columns = append(columns, piece.columns...)
			if piece.width() > width {
				t.Errorf("width %d: a piece has %d columns", width, piece.width())
			}
		}
		if diff := cmp.Diff(whole.columns, columns); diff != "" {
			t.Errorf("width %d: (-want +got)\n%s", width, diff)
		}
	}
}
