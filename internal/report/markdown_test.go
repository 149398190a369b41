package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"kcompare/internal/evidence"
	"kcompare/internal/verdict"
)

// cells counts the cells of a table row: a bar behind an odd number of
// backslashes is text. It is 0 for a line that is no row.
func cells(line string) int {
	if !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") {
		return 0
	}
	bars, escaped := 0, false
	for _, r := range line {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '|':
			bars++
		}
	}
	return bars - 1
}

var delimiterRow = regexp.MustCompile(`^\|(--[-:]\|)+$`)

// brokenTables names every row that has another number of cells than the head of
// its table or is filled up with blanks, and every table without a delimiter row.
func brokenTables(markdown string) []string {
	var wrong []string
	head, row := 0, 0
	for i, line := range strings.Split(markdown, "\n") {
		if !strings.HasPrefix(line, "|") {
			row = 0
			continue
		}
		if row == 0 {
			head = cells(line)
		}
		row++
		if n := cells(line); n != head || n == 0 {
			wrong = append(wrong, fmt.Sprintf("line %d: %d cells, the head has %d: %s", i+1, n, head, line))
		}
		if strings.Contains(line, "  ") {
			wrong = append(wrong, fmt.Sprintf("line %d: filled up with blanks: %s", i+1, line))
		}
		if row == 2 && !delimiterRow.MatchString(line) {
			wrong = append(wrong, fmt.Sprintf("line %d: expected the delimiter row: %s", i+1, line))
		}
	}
	return wrong
}

func TestMarkdownTablesAreWhole(t *testing.T) {
	for _, e := range examples() {
		for _, wrong := range brokenTables(renderMarkdown(t, e.doc)) {
			t.Errorf("%s: %s", e.golden, wrong)
		}
	}
}

func TestBrokenTablesAreSeen(t *testing.T) {
	for _, table := range []string{
		"| a | b |\n|---|--:|\n| 1 | 2 | 3 |",
		"| a | b |\n|---|--:|\n| 1 \\| 2 |",
		"| a | b |\n|---|--:|\n| 1 \\\\| 2 | 3 |",
		"| a | b |\n| 1 | 2 |",
		"| a | b |\n|---|--:|\n| 1 | 2",
		"| a | b |\n| --- | --: |\n| 1 | 2 |",
		"| a | b |\n|---|--:|\n| 1 |  2 |",
		"| a | b |\n|---|--:|\n| 1 |  |",
	} {
		if len(brokenTables(table)) == 0 {
			t.Errorf("nothing wrong was seen in\n%s", table)
		}
	}
}

// saying is a document in which everything that comes from outside kcompare is
// this text.
func saying(text string) evidence.Document {
	set := map[string]string{text: text}
	foreign := func(t *evidence.Trial) {
		t.Scenario, t.Variant, t.Library, t.About, t.Claim = text, text, text, text, text
		t.Config, t.Consuming, t.Reading, t.Differences = set, set, set, []string{text}
		t.Requests, t.Notes = map[string]int64{text: 1}, []string{text}
		t.Faults = []evidence.Fault{
			{Rule: "a rule of the test", Kind: text, API: text, Planned: 1},
			{Rule: text, Kind: text, API: text, NotApplicable: text},
		}
		t.Anomalies = []evidence.Anomaly{
			{Kind: evidence.Duplicate, Count: 1, Allowed: true, Cause: text, First: text},
			{Kind: evidence.AnomalyKind(text), Count: 1, Cause: text, First: text},
		}
		t.Errors = []evidence.ErrorCount{{Who: text, Call: text, Class: text, Code: text, Text: text, Count: 1}}
		judged(evidence.Violated, text)(t)
	}
	other := trial(sequentialOn, "librdkafka", foreign, onlySet("other.key", text))
	other.Client = text
	doc := document(trial(sequentialOn, "franz", foreign), other)
	doc.Kcompare, doc.Again = text, text
	doc.Broker.Kind, doc.Broker.Software = text, text
	return doc
}

// onlySet leaves one setting.
func onlySet(key, value string) change {
	return func(t *evidence.Trial) { t.Config = map[string]string{key: value} }
}

// skeleton is the kind of every line: what is left when nothing is read.
func skeleton(markdown string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(markdown, "\n") {
		switch {
		case cells(line) > 0:
			fmt.Fprintf(&b, "row of %d\n", cells(line))
		case markers.MatchString(line):
			fmt.Fprintf(&b, "%s\n", markers.FindString(line))
		case line != "":
			b.WriteString("text\n")
		default:
			b.WriteString("\n")
		}
	}
	return b.String()
}

// markers is what makes a line something else than text.
var markers = regexp.MustCompile("^( {4}|#+|[-+*>]([ -]|$)|[0-9]+[.)]|[-=_*]{2,}$|`{3,}|~{3,}|<.*)")

func hostile() []string {
	return []string{
		"a|b", `a\|b`, `a\\|b`, `\`, "|", "||", "`", "``a|b``", "```", "~~~", "a\nb", "\r\n\r\n# head", "a\u2028b", "\x1b[2J",
		"<b>", "</details>", "<!--", "<script>alert(1)</script>", "&lt;", "&#124;", "*a*", "**", "_a_", "__a__", "[a](b)", "![a](b)", "[a]: b",
		"# a", "- a", "+ a", "> a", "1. a", "1) a", "---", "===", "    a", "a #", "$a$", "@somebody", "#12", "https://example.com/a|b", "\xff|",
	}
}

// FuzzMarkdown: whatever a library or an edited document says, it is only text.
func FuzzMarkdown(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	harmless, _ := parts(f, saying("x"))
	f.Fuzz(func(t *testing.T, text string) {
		if strings.TrimSpace(text) == "" || strings.Contains(text, "franz") {
			t.Skip("a cell that is empty, or the other client's name, is another document")
		}
		page, command := parts(t, saying(text))
		for _, wrong := range brokenTables(page) {
			t.Error(wrong)
		}
		if diff := udiff.Unified("with the text x", "with this text", skeleton(harmless), skeleton(page)); diff != "" {
			t.Errorf("%q\n%s\n%s", text, diff, page)
		}
		fence, rest, _ := strings.Cut(command, "sh\n")
		line, end, _ := strings.Cut(rest, "\n")
		if strings.Trim(fence, "`") != "" || len(fence) < 3 || end != fence+"\n" || strings.Contains(line, fence) {
			t.Errorf("%q: expected one line within a fence that it does not contain: %q", text, command)
		}
	})
}

// parts splits a report at the command that repeats the run.
func parts(t testing.TB, doc evidence.Document) (page, command string) {
	t.Helper()
	markdown, again := renderMarkdown(t, doc), "\nAgain:\n\n"
	at := strings.LastIndex(markdown, again)
	if at < 0 {
		t.Fatalf("the command that repeats the run is missing:\n%s", markdown)
	}
	return markdown[:at], markdown[at+len(again):]
}

// A reason that only repeats an anomaly stands in the report once, as a sentence.
// This holds the form that the report knows to the one that a verdict has.
func TestNoReasonIsToldTwice(t *testing.T) {
	lost := trial(sequentialOn, "franz", anomaly(evidence.Anomaly{
		Kind: evidence.Lost, Count: 51, Cause: "no Produce request carried it", First: "order-0004",
	}))
	lost.Checks = []evidence.Check{check(evidence.LogRecords, "==", "7")}
	lost.Verdict, lost.Reasons = verdict.Judge(lost)
	if len(lost.Reasons) != 2 || lost.Verdict != evidence.Violated {
		t.Fatalf("%s because of %q, expected violated because of the anomaly and the check", lost.Verdict, lost.Reasons)
	}
	text := strings.Join(strings.Fields(render(t, example{doc: document(lost)})), " ")
	for want, n := range map[string]int{
		"51 records acknowledged but absent from the log, the first order-0004": 1,
		lost.Reasons[0]: 0,
		lost.Reasons[1]: 1,
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q stands in the report %d times, want %d:\n%s", want, got, n, text)
		}
	}
}
