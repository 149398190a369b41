package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"kcompare/internal/diff"
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// upgrade is evidence of two versions of a library that differ in everything a diff
// tells of.
func upgrade(t *testing.T) diff.Document {
	t.Helper()
	var before, after []evidence.Trial
	for n := range 5 {
		before = append(before, trial(sequentialOn, "python@2.11.1", named(fmt.Sprint("story-", n)), change(unsettled)))
		after = append(after, trial(sequentialOn, "python", named(fmt.Sprint("story-", n))))
	}
	before = append(before,
		trial(concurrentOn, "python@2.11.1", failure(evidence.ErrorCount{Call: "produce", Class: "fatal", Code: "X", Count: 1})),
		trial(concurrentOff, "python@2.11.1", nothingFired), trial(sequentialOff, "python@2.11.1"), trial(sequentialOff, "java"))
	after = append(after, trial(concurrentOn, "python", lossy), trial(concurrentOff, "python"), trial(sequentialOn, "java"))
	after[0].Requests = map[string]int64{"Produce": 308, "AddPartitionsToTxn": 12}
	after[1].Answers = []evidence.Answer{{Question: "who", Answer: "me"}}
	after[2].Faults[0].NotApplicable = "never sent"
	old, new := document(before...), document(after...)
	new.Kcompare = "v0.2.0"
	doc, err := diff.Compare(old, new)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func unsettled(t *evidence.Trial) {
	t.Config["linger.ms"] = "5"
	t.Differences = []string{"linger.ms: rounded"}
}

func TestDiff(t *testing.T) {
	two := document(each(sequentialOn, []string{"franz", "java"})...)
	same, err := diff.Compare(two, two)
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range map[string]diff.Document{"diff": upgrade(t), "diff-same": same} {
		for _, width := range []int{60, 100} {
			var b bytes.Buffer
			if err := report.TextDiff(&b, doc, report.TextOptions{Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(b.String(), "\n") {
				if w := lipgloss.Width(line); w > width {
					t.Errorf("%s at width %d: %d columns: %s", name, width, w, line)
				}
			}
			if width == 100 {
				compareGolden(t, name+".txt", b.String())
			}
		}
		var b bytes.Buffer
		if err := report.MarkdownDiff(&b, doc, lang.Printer{}); err != nil {
			t.Fatal(err)
		}
		compareGolden(t, name+".md", b.String())
	}
}
