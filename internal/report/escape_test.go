package report

import (
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
