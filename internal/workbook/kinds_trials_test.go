package workbook

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// kindTest is a block, and a change of its evidence that it has to show.
type kindTest struct {
	name   string
	block  Block
	change func(*evidence.Trial) // of every trial
}

const (
	idempotenceOn  = "enable.idempotence=true,sends=sequential"
	idempotenceOff = "enable.idempotence=false,sends=sequential"
)

func onlyOn(client string, change func(*evidence.Trial)) func(*evidence.Trial) {
	return func(t *evidence.Trial) {
		if t.Client == client {
			change(t)
		}
	}
}

func oneMore(m evidence.Metric) func(*evidence.Trial) {
	return func(t *evidence.Trial) { t.Counts[m]++ }
}

func violated(t *evidence.Trial) { t.Verdict = evidence.Violated }

func answered(t *evidence.Trial) {
	for i := range t.Answers {
		t.Answers[i].Answer = "3 3 3 3 3"
	}
}

func otherCode(t *evidence.Trial) {
	for i := range t.Errors {
		t.Errors[i].Code = "OTHER_CODE"
	}
}

func otherLibrary(t *evidence.Trial) { t.Library += ".1" }

func slower(t *evidence.Trial) { t.ElapsedMS += 1000 }

func kindTests() []kindTest {
	off := "variants=" + idempotenceOff
	both := off + ";" + idempotenceOn
	return []kindTest{
		{"compare", block("compare", "scenario=idempotent", both), oneMore(evidence.Duplicates)},
		{"compare-one-variant", block("compare", "scenario=idempotent", off), onlyOn("franz", violated)},
		{"compare-one-client", block("compare", "scenario=idempotent", both, "clients=franz", "rows=acked,duplicates,produce_requests,verdict"), oneMore(evidence.ProduceRequests)},
		{"compare-turned", block("compare", "scenario=idempotent", "variants="+idempotenceOff+";enable.idempotence=true,retries=1,sends=sequential;"+idempotenceOn, "rows=log_records,failed,lost"), oneMore(evidence.LostRecords)},
		{"compare-answers", block("compare", "scenario=error-classes", "variants=case=E06", "rows=records that were to fail;verdict"), answered},
		{"results", block("results", "scenario=idempotent", off, "clients=franz"), slower},
		{"results-rows", block("results", "scenario=zombie", "variants=producer=transactional,sends=sequential", "clients=franz", "rows=committed,fenced_visible"), oneMore(evidence.FencedVisible)},
		{"differences", block("differences", "scenario=idempotent", "variants=enable.idempotence=true,retries=1,sends=sequential"), onlyOn("franz", oneMore(evidence.Duplicates))},
		{"verdicts", block("verdicts", "scenario=idempotent", both), onlyOn("franz", violated)},
		{"verdicts-scenarios", block("verdicts", "scenario=zombie,idempotent", "variants=producer=idempotent,sends=sequential;"+idempotenceOff), onlyOn("franz", violated)},
		{"errors", block("errors", "scenario=zombie", "variants=producer=transactional,sends=sequential"), onlyOn("librdkafka", otherCode)},
		{"errors-variants", block("errors", "scenario=error-classes", "variants=case=E01;case=E06"), otherCode},
		{"errors-none", block("errors", "scenario=idempotent", off), func(t *evidence.Trial) {
			t.Errors = []evidence.ErrorCount{{Call: "produce", Class: "fatal", Code: "OTHER_CODE", Count: 1}}
		}},
		{"partitions", block("partitions"), onlyOn("franz", answered)},
		{"partitions-of-six", block("partitions", "partitions=6"), onlyOn("franz", answered)},
		{"exercise", block("exercise", "scenario=idempotent", off, "question=How many copies of `order-0003` stand in the log?", "answer=duplicates", "hint=An answer is lost *after* the broker has written."), oneMore(evidence.Duplicates)},
		{"versions", block("versions", "scenario=zombie", "variants=producer=idempotent,sends=sequential"), otherLibrary},
	}
}

func rendered(t *testing.T, b Block, doc evidence.Document) string {
	t.Helper()
	content, err := kindNamed(t, b.Kind).Render(Course{Manifest: twoClients, Evidence: recorded{doc: doc}}, b)
	if err != nil {
		t.Fatal(err)
	}
	return content.Markdown
}

// TestKindsAboutTrials: -update writes the golden files.
func TestKindsAboutTrials(t *testing.T) {
	for _, test := range kindTests() {
		for _, l := range lang.Languages() {
			t.Run(test.name+"/"+string(l), func(t *testing.T) {
				b := test.block
				b.Lang = l
				got := rendered(t, b, read(t))
				golden(t, "kinds/"+test.name+"."+string(l)+".md", got)

				changed := read(t)
				for i := range changed.Trials {
					test.change(&changed.Trials[i])
				}
				if rendered(t, b, changed) == got {
					t.Error("the evidence is another one, the block is the same")
				}
			})
		}
	}
}

// TestBothLanguagesShowTheSame: figures and names of codes are no language.
func TestBothLanguagesShowTheSame(t *testing.T) {
	for _, test := range kindTests() {
		english, russian := test.block, test.block
		english.Lang, russian.Lang = lang.English, lang.Russian
		if a, b := figures(rendered(t, english, read(t))), figures(rendered(t, russian, read(t))); !slices.Equal(a, b) {
			t.Errorf("%s: %q in English, %q in Russian", test.name, a, b)
		}
	}
}

// figures is the cells of tables that are whole numbers.
func figures(markdown string) []string {
	var all []string
	for cell := range strings.SplitSeq(markdown, "|") {
		if cell = strings.TrimSpace(cell); cell != "" && strings.Trim(cell, "0123456789") == "" {
			all = append(all, cell)
		}
	}
	return all
}

func TestWrongAttributesOfKinds(t *testing.T) {
	for _, test := range []struct {
		block Block
		want  string
	}{
		{block("compare", "scenario=idempotent", "rows=duplicate"), `rows: unknown row "duplicate": did you mean duplicates?`},
		{block("compare", "scenario=error-classes", "variants=case=E06", "rows=records that where to fail"), `rows: unknown row "records that where to fail": did you mean records that were to fail?`},
		{block("results", "scenario=idempotent", "clients=franz"), "variants: a block of kind results tells of one variant, this is 8: expected one of enable.idempotence=true,sends=sequential ; "},
		{block("results", "scenario=zombie", "variants=producer=idempotent"), "clients: a block of kind results tells of 1 at most, this is 2: franz, librdkafka"},
		{block("differences", "scenario=zombie", "clients=franz"), "clients: franz alone differs from nobody: expected two clients or more"},
		{block("exercise", "scenario=zombie", "answer=duplicates"), "question: is missing"},
		{block("exercise", "scenario=zombie", "question=how many?"), "answer: is missing"},
		{block("exercise", "scenario=zombie", "question=how many?", "answer=acket"), `answer: unknown row "acket": did you mean acked?`},
		{block("partitions", "partitions=5"), `partitions: "5": expected one of 1, 6, 7, 8, 12, the topics of the scenario have no other number`},
		{block("partitions", "variants=partitioner=murmur2;partitioner=fnv1a"), "variants: a block of kind partitions tells of one variant, this is 2: "},
		{block("versions", "scenario=zombie", "broker=embedded,kafak"), `broker: unknown broker "kafak": did you mean kafka?`},
		{block("verdicts", "scenario=idempotent,zombi"), `scenario: unknown scenario "zombi": did you mean zombie?`},
	} {
		err := renderError(t, test.block, read(t))
		var wrong *AttributeError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.block.Kind, err, test.want)
		}
	}
}

// renderError is what is wrong with a block, found by its needs where they can know it.
func renderError(t *testing.T, b Block, doc evidence.Document) error {
	t.Helper()
	k := kindNamed(t, b.Kind)
	if _, err := k.Needs(b, twoClients); err != nil {
		return err
	}
	_, err := k.Render(Course{Manifest: twoClients, Evidence: recorded{doc: doc}}, b)
	return err
}

// TestMissingEvidence: a block without it is an error, not an empty table.
func TestMissingEvidence(t *testing.T) {
	b := block("compare", "scenario=idempotent", "variants="+idempotenceOff, "clients=franz,java")
	err := renderError(t, b, read(t))
	if want := "there is no evidence of idempotent " + idempotenceOff + " on java"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
