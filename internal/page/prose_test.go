package page

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const skipComment = `<!-- kcompare:skip next reason="pseudo-code" -->`

// TestProse: blocks and skipped listings are blank, and every other line is what it was and
// where it was.
func TestProse(t *testing.T) {
	type line struct{ page, prose string }
	same := func(text string) line { return line{text, text} }
	gone := func(text string) line { return line{text, ""} }
	var page, want string
	for _, l := range []line{
		same("# Title"), same(""),
		same(`<!-- kcompare:begin id="a" kind="code" -->`), same(""), gone("```go"), gone("func ("), gone("```"), same(""),
		same(`<!-- kcompare:end id="a" -->`), same(""),
		same(skipComment), same("```go"), gone("if it happens – когда-нибудь {"), same("```"), same(""),
		same("- in a list"), same(""), same("  " + skipComment), same(""), same("  ```python"), gone("  when it happens:"), same(""), same("  ```"), same(""),
		same("```go"), same("// " + skipComment), same("kept()"), same("```"),
	} {
		page, want = page+l.page+"\n", want+l.prose+"\n"
	}
	for _, eol := range []string{"\n", "\r\n"} {
		for _, before := range []string{"", "\ufeff"} {
			text := before + strings.ReplaceAll(page, "\n", eol)
			p, err := Parse("a.md", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			prose, skipped, err := p.Prose()
			if err != nil || skipped != 2 {
				t.Fatalf("skipped %d, %v, expected 2", skipped, err)
			}
			if diff := cmp.Diff(trimmed(before+want), trimmed(string(prose))); diff != "" {
				t.Errorf("%q: (-expected +found)\n%s", eol, diff)
			}
			if again := string(p.source); again != text {
				t.Error("the page itself was changed")
			}
		}
	}
}

// trimmed are lines without blanks at their ends.
func trimmed(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return lines
}

func TestProseWrong(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{"a\n\n<!-- kcompare:skip next -->\n```go\n```\n", `a.md:3:1: expected <!-- kcompare:skip next reason="WHY" --> on one line`},
		{"<!-- kcompare:skip next reason=\" \" -->\n```go\n```\n", `a.md:1:1: expected <!-- kcompare:skip next reason="WHY" --> on one line`},
		{skipComment + "\n\ntext\n\n```go\n```\n", `a.md:1:1: kcompare:skip next has no listing below it: expected one between fences, with nothing before it`},
		{"\ufeff" + skipComment + "\n", `a.md:1:1: kcompare:skip next has no listing below it: expected one between fences, with nothing before it`},
	} {
		p, err := Parse("a.md", []byte(c.page))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = p.Prose()
		var problems Problems
		if !errors.As(err, &problems) || err.Error() != c.want {
			t.Errorf("%q: found %v\nexpected %s", c.page, err, c.want)
		}
	}
}
