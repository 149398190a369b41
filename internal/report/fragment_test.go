package report_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

var english = lang.In(lang.English)

// TestFragments holds the parts that blocks of pages have, one after the other, to a golden
// file. -update writes it.
func TestFragments(t *testing.T) {
	for _, e := range []example{
		{golden: "violated", doc: withLossy([]string{"java", "kafkajs"})},
		{golden: "nine-clients", doc: nine("kafkajs")},
		{golden: "not-supported", doc: notSupported()},
		{golden: "repeats", doc: repeats()},
		{golden: "two-scenarios", doc: twoScenarios()},
		{golden: "answers", doc: answers("franz", "librdkafka")},
	} {
		t.Run(e.golden, func(t *testing.T) {
			first := slices.DeleteFunc(slices.Clone(e.doc.Trials), func(one evidence.Trial) bool { return one.Scenario != e.doc.Trials[0].Scenario })
			compared, err1 := report.Compare(english, first, nil)
			results, err2 := report.Results(english, first[len(first)-1], nil)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			got := strings.Join([]string{
				"# compare", compared, "# results", results,
				"# differences", report.Differences(english, e.doc), "# verdicts", report.Verdicts(english, e.doc),
				"# errors", report.Errors(english, e.doc), "# versions", report.Versions(english, e.doc),
			}, "\n\n") + "\n"
			for _, wrong := range brokenTables(got) {
				t.Error(wrong)
			}
			goldenFile(t, "fragments-"+e.golden+".md", got)
		})
	}
}

func goldenFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := udiff.Unified(path, "got", string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestFragmentsAreParts: a block says what the report says, word by word.
func TestFragmentsAreParts(t *testing.T) {
	for _, e := range examples() {
		whole := renderMarkdown(t, e.doc)
		if text := report.Differences(english, e.doc); strings.Contains(whole, "Differences\n") && !strings.Contains(whole, text) {
			t.Errorf("%s: the report does not say\n%s", e.golden, text)
		}
		for line := range strings.SplitSeq(report.Versions(english, e.doc), "\n") {
			if line, _, _ = strings.Cut(line, ", 3 nodes"); !strings.Contains(whole, line) {
				t.Errorf("%s: the report does not say %s", e.golden, line)
			}
		}
	}
}

func TestUnknownRow(t *testing.T) {
	_, err := report.Compare(english, []evidence.Trial{trial(sequentialOn, "franz")}, []string{"acked", "ackd"})
	var unknown *report.UnknownRow
	if !errors.As(err, &unknown) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&report.UnknownRow{Name: "ackd", Known: report.RowNames()}, unknown); diff != "" {
		t.Error(diff)
	}
}
