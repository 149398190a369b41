package report

import (
	"strings"
	"testing"
)

func TestEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"PRODUCER_FENCED":     "PRODUCER_FENCED",
		"_MSG_TIMED_OUT":      `\_MSG_TIMED_OUT`,
		"a|b":                 `a\|b`,
		`a\|b`:                `a\\\|b`,
		"`a` *b* [c] ~d~":     "\\`a\\` \\*b\\* \\[c\\] \\~d\\~",
		"<b> -> 3":            "&lt;b> -> 3",
		"a & b &amp; &#124;":  `a & b &amp;amp; &amp;\#&#8203;124;`,
		"$a$":                 "&#36;a&#36;",
		"@somebody a@b @ #12": `@&#8203;somebody a@&#8203;b @ \#&#8203;12`,
		" two\r\n lines\t":    "two lines",
		"\x1b[2J":             `?\[2J`,
		"":                    "",
	} {
		if got := escaped(text); got != want {
			t.Errorf("escaped(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"_FENCED":  "`_FENCED`",
		"a <b> &c": "`a <b> &c`",
		"a\nb":     "`a b`",
		"a|b":      `a\|b`,
		"a`b":      "a\\`b",
		`a\b`:      `a\\b`,
		" ":        "",
		"":         "",
	} {
		if got := code(text); got != want {
			t.Errorf("code(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOpening(t *testing.T) {
	for text, want := range map[string]string{
		"200 payments": "200 payments",
		"35.5":         `35\.5`,
		"1) a":         `1\) a`,
		"- a":          `\- a`,
		"> a":          `\> a`,
		"---":          `\---`,
		"=":            `\=`,
		"7":            "7",
		"a - b":        "a - b",
		"":             "",
	} {
		if got := opening(text); got != want {
			t.Errorf("opening(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name    string
		shares  []share
		clients int
		told    string
		differ  bool
	}{
		{"two", []share{{"a", "1"}, {"b", "2"}}, 2, "a 1, b 2", true},
		{"two alike", []share{{"a", "1"}, {"b", "1"}}, 2, "the others 1", false},
		{"one stands out", []share{{"a", "1"}, {"b", "2"}, {"c", "1"}}, 3, "b 2, the others 1", true},
		{"all differ", []share{{"a", "1"}, {"b", "2"}, {"c", "3"}}, 3, "a 1, b 2, c 3", true},
		{"not everybody is known", []share{{"a", "1"}, {"b", "2"}, {"c", "1"}}, 4, "a 1, b 2, c 1", true},
		{"two and two", []share{{"a", "1"}, {"b", "2"}, {"c", "1"}, {"d", "2"}}, 4, "b 2, d 2, the others 1", true},
		{"nobody", nil, 2, "", false},
	} {
		told, differ := compare(c.shares, c.clients)
		if told = strings.ReplaceAll(told, glue, " "); told != c.told || differ != c.differ {
			t.Errorf("%s: %q, %t, want %q, %t", c.name, told, differ, c.told, c.differ)
		}
	}
}
