package lang

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestCatalogue: what is wrong in a file of the catalogue fails here and nowhere else.
func TestCatalogue(t *testing.T) {
	if _, err := russian(); err != nil {
		t.Fatal(err)
	}
}

func TestMalformedCatalogue(t *testing.T) {
	for name, c := range map[string]struct{ text, wrong string }{
		"place missing":      {"{1} payments\nплатежи\n", "{1} is missing in the translation"},
		"place extra":        {"{1} payments\n{1} платежей из {2}\n", "{2} is in the translation alone"},
		"text missing":       {"{a} or {b}\n{a}\n", "{b} is missing in the translation"},
		"order of places":    {"{2} of {1}\n{1} из {2}\n", "expected {1} instead of {2}"},
		"figure in the text": {"35 % get lost\n35 % теряются\n", "a figure, a quoted name or code that is no place"},
		"forms":              {"{1} node[s]\n{1} {1:нода|ноды}\n", "expected the forms for 1, 2 and 5"},
		"brace":              {"{1} nodes\n{1} {нод}\n", "a brace that is no place"},
		"no translation":     {"one\n\ntwo\nдва\n", "no translation"},
		"end":                {"one", `"one" has no translation behind it`},
		"twice":              {"one\nодин\n\none\nодна\n", "twice"},
	} {
		_, err := read(fstest.MapFS{"xx/a.txt": {Data: []byte(c.text)}}, "xx")
		if err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: error %v, expected %q in it", name, err, c.wrong)
		}
	}
}

const sample = `# a comment

{1} payment[s], one at a time; {2} % of the answers to Produce get lost.
{1} {1:платёж|платежа|платежей}, по одному; теряется {2} % ответов на Produce.

{a}: {b}
{a}: {b}

{a}; {b}
{a}; {b}

{a} and {b}
{a} и {b}

{a} ({b})
{a} ({b})

lost; gone
потеряны; исчезли

lost
потеряны

promise
обещание

each payment stands in the log once
каждый платёж стоит в логе один раз

waited {1}
ждали {1}

seed {1}
seed {=1}

{1} s
{1} с

yes
да

the first is {1}
первый — {1}

{a} is none of {b}
{=a} — не из {=b}
`

func TestSay(t *testing.T) {
	c, err := read(fstest.MapFS{"xx/a.txt": {Data: []byte(sample)}}, "xx")
	if err != nil {
		t.Fatal(err)
	}
	for english, want := range map[string]string{
		"1 payment, one at a time; 0.5 % of the answers to Produce get lost.":   "1 платёж, по одному; теряется 0,5 % ответов на Produce.",
		"22 payments, one at a time; 35 % of the answers to Produce get lost.":  "22 платежа, по одному; теряется 35 % ответов на Produce.",
		"1200 payments, one at a time; 5 % of the answers to Produce get lost.": "1\u00a0200 платежей, по одному; теряется 5 % ответов на Produce.",
		"promise: each payment stands in the log once; lost; gone":              "обещание: каждый платёж стоит в логе один раз; потеряны; исчезли",
		"Promise": "Обещание",
		"enable.idempotence=true,sends=concurrent: kafkajs and java: lost (lost)": "enable.idempotence=true,sends=concurrent: kafkajs и java: потеряны (потеряны)",
		"waited 1m30.5s":               "ждали 1\u00a0мин\u00a030,5\u00a0с",
		"waited 2.5ms..20ms":           "ждали 2,5\u00a0мс–20\u00a0мс",
		"seed 1000000":                 "seed 1000000",
		"5.1 s":                        "5,1 с",
		"200..203":                     "200–203",
		`the first is "order-1"`:       `первый — "order-1"`,
		`the first is "yes"`:           "первый — «да»",
		"librdkafka 2.11.1, as it was": "librdkafka 2.11.1, as it was",
		"уже по-русски: 12":            "уже по-русски: 12",
		"KIP-890":                      "KIP-890",
		"yes(10000) is none of yes, 1 .. 5; lost": "yes(10000) — не из yes, 1 .. 5; потеряны",
		"": "",
	} {
		if got, _ := c.say(english); got != want {
			t.Errorf("%q: got %q, want %q", english, got, want)
		}
	}
	for english, unknown := range map[string]bool{"lost: order-1": false, "lost: REQUEST_TIMED_OUT and gone": true, "promise: nobody knows": true, "lots": true} {
		if _, got := c.say(english); got != unknown {
			t.Errorf("%q: has parts that are not known %t, want %t", english, got, unknown)
		}
	}
}

func TestParse(t *testing.T) {
	if l, err := Parse("ru"); l != Russian || err != nil {
		t.Errorf("got %q, %v", l, err)
	}
	if _, err := Parse("de"); err == nil || err.Error() != `unknown language "de": expected en or ru` {
		t.Errorf("got error %v", err)
	}
}
