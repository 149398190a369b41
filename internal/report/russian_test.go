package report_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// core is trials of the scenarios that `kcompare run` plays, some of them violated.
func core() evidence.Document {
	two := []string{"java", "kafkajs"}
	doc := document(slices.Concat(
		withLossy(two).Trials, shop(two...).Trials, processors(two...).Trials, zombies(two...).Trials, answers(two...).Trials,
	)...)
	doc.Again = "kcompare run core --client=java,kafkajs --seed=1"
	return doc
}

// TestRussian holds a report of each format against its golden file.
func TestRussian(t *testing.T) {
	in := lang.In(lang.Russian)
	var text, markdown, diff, bug bytes.Buffer
	if err := report.Text(&text, core(), report.TextOptions{In: in}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(text.String(), "\n") {
		if lipgloss.Width(line) > 100 {
			t.Errorf("wider than 100 columns: %s", line)
		}
	}
	compareGolden(t, "ru-core.txt", text.String())
	if err := report.Markdown(&markdown, core(), in); err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "ru-core.md", markdown.String())
	if err := report.MarkdownDiff(&diff, upgrade(t), in); err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "ru-diff.md", diff.String())
	if _, err := report.Bugs(&bug, bugs()["bug"], in); err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "ru-bug.md", bug.String())
}

// threeWords is three words of it in a row.
var threeWords = regexp.MustCompile(`(?:^|[^\w.=/-])[a-z]{3,} [a-z]{2,} [a-z]{2,}`)

// TestRussianIsRussian: no example of a report has a line of English left, but for commands.
func TestRussianIsRussian(t *testing.T) {
	if !threeWords.MatchString("2 records lost before the broker") {
		t.Fatal("English is not found where it is")
	}
	for _, e := range examples() {
		e.opts.In, e.opts.Width, e.opts.Color = lang.In(lang.Russian), 400, false
		var b strings.Builder
		if err := report.Text(&b, e.doc, e.opts); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if threeWords.MatchString(line) && !strings.Contains(line, "kcompare run") {
				t.Errorf("%s: %s", e.golden, strings.TrimSpace(line))
			}
		}
	}
}
