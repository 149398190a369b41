package report_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/aymanbagabas/go-udiff"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

// example is a document, how it is rendered, and the golden file it is held
// against.
type example struct {
	golden string
	opts   report.TextOptions
	doc    evidence.Document
}

func examples() []example {
	two := []string{"franz", "librdkafka"}
	six := []string{"franz", "librdkafka", "java", "python", "kafka-python", "kafkajs"}
	plain := report.TextOptions{}
	return []example{
		{"all-hold", plain, allHold(two)},
		{"all-hold-narrow", report.TextOptions{Width: 60}, allHold(two)},
		{"one-client", plain, allHold([]string{"franz"})},
		{"four-clients", plain, allHold(six[:4])},
		{"six-clients", plain, withLossy(six)},
		{"six-clients-narrow", report.TextOptions{Width: 60}, withLossy(six)},
		{"violated", plain, withLossy([]string{"java", "kafkajs"})},
		{"violated-coloured", report.TextOptions{Color: true}, withLossy([]string{"java", "kafkajs"})},
		{"one-client-violated", plain, document(trial(concurrentOn, "kafkajs", lossy))},
		{"nothing-fired", plain, document(slices.Concat(each(sequentialOn, two, nothingFired), each(sequentialOff, two, nothingFired))...)},
		{"not-finished", plain, notFinished()},
		{"not-supported", plain, notSupported()},
		{"repeats", plain, repeats()},
		{"interrupted", plain, interrupted()},
		{"two-scenarios", plain, twoScenarios()},
		{"zombie", plain, zombies(two...)},
		{"zombie-violated", plain, zombies("franz", "java")},
		{"read-process-write", plain, processors(two...)},
		{"transactional", plain, shop(two...)},
		{"transactional-one-client", plain, shop("franz")},
		{"answers", plain, answers(two...)},
		{"overview", plain, manyScenarios(two...)},
		{"nine-clients", plain, nine("kafkajs")},
		{"nine-clients-narrow", report.TextOptions{Width: 72}, nine("kafkajs")},
		{"nine-clients-unlike", plain, nineUnlike()},
		{"empty", plain, document()},
	}
}

func allHold(clients []string) evidence.Document {
	return document(slices.Concat(
		each(sequentialOn, clients),
		each(concurrentOn, clients, collateral(2)),
		each(sequentialOff, clients, duplicated(108)),
		[]evidence.Trial{trial(concurrentOff, clients[0], duplicated(71), collateral(31))},
		each(concurrentOff, clients[1:], duplicated(70)),
	)...)
}

func withLossy(clients []string) evidence.Document {
	honest, liar := clients[:len(clients)-1], clients[len(clients)-1]
	doc := document(slices.Concat(
		each(concurrentOn, honest), []evidence.Trial{trial(concurrentOn, liar, lossy)},
		each(sequentialOff, clients, duplicated(108)),
	)...)
	doc.Again = "kcompare run idempotent --client=" + strings.Join(clients[:2], ",") + " --variant=enable.idempotence=true,sends=concurrent -X 'client.rack=row 7' --seed=1"
	return doc
}

func notFinished() evidence.Document {
	doc := document(each(sequentialOn, []string{"franz", "librdkafka"}, unfinished)...)
	doc.Again = "kcompare run idempotent --messages=3 --drop-rate=1 --trial-timeout=5s --seed=1"
	return doc
}

func notSupported() evidence.Document {
	return document(
		trial(sequentialOn, "franz"), trial(sequentialOn, "aiokafka", unsupported),
		trial(concurrentOn, "franz", unsupported), trial(concurrentOn, "aiokafka", unsupported),
	)
}

func repeats() evidence.Document {
	var trials []evidence.Trial
	for n, duplicates := range []int64{3, 0, 1} {
		trials = append(trials, trial(concurrentOn, "franz", repeat(n+1)))
		odd := trial(concurrentOn, "librdkafka", repeat(n+1), unstable, duplicated(duplicates), collateral(int64(n)))
		odd.Anomalies = nil
		if duplicates > 0 {
			anomaly(evidence.Anomaly{Kind: evidence.Duplicate, Count: duplicates, Cause: "new session of the producer", First: fmt.Sprintf("order-000%d", n)})(&odd)
			judged(evidence.Violated,
				fmt.Sprintf("duplicate: %d, the first is order-000%d (new session of the producer)", duplicates, n),
				"log_records does not equal intended")(&odd)
		}
		trials = append(trials, odd)
	}
	for n := range 3 {
		trials = append(trials, each(concurrentOff, []string{"franz", "librdkafka"}, repeat(n+1), duplicated(70+int64(n)))...)
	}
	return document(trials...)
}

func interrupted() evidence.Document {
	return document(trial(sequentialOn, "franz"), trial(sequentialOn, "librdkafka"), trial(sequentialOff, "franz", duplicated(108)))
}

// twoScenarios has stories that differ by variant, a fault that does not apply,
// markers and aborted data, and a text that tries to reach the terminal.
func twoScenarios() evidence.Document {
	abort := func(t *evidence.Trial) {
		t.Scenario, t.Variant, t.Kind, t.Claim = "transactional", "isolation=read_uncommitted", evidence.Control, "aborted records are seen"
		t.About = "20 transactions over three topics, every second one aborted."
		t.Counts[evidence.Visible], t.Counts[evidence.AbortedSeen] = 100, 100
		t.Faults = []evidence.Fault{{
			Rule: "slow add", Kind: "answer-instead", API: "AddPartitionsToTxn",
			NotApplicable: "this client lets the broker add partitions by itself (KIP-890)",
		}}
		t.Config = map[string]string{"acks": "all", "transactional.id": "kcompare-" + t.Client, "client.rack": "row 7"}
		failure(evidence.ErrorCount{Call: "commit", Class: "fenced", Code: "PRODUCER_FENCED\x1b[2J", Count: 1})(t)
	}
	return document(slices.Concat(
		each(sequentialOn, []string{"franz", "librdkafka"}, named("idempotent")),
		each(sequentialOn, []string{"franz", "librdkafka"}, abort),
	)...)
}

func render(t *testing.T, e example) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, e.doc, e.opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func renderMarkdown(t testing.TB, doc evidence.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Markdown(&b, doc, lang.Printer{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestText holds every example against its golden file, where escape sequences
// are spelled out: go test ./internal/report -update writes them.
func TestText(t *testing.T) {
	for _, e := range examples() {
		t.Run(e.golden, func(t *testing.T) {
			compareGolden(t, e.golden+".txt", strings.ReplaceAll(render(t, e), "\x1b", `\x1b`))
		})
	}
}

// TestMarkdown does the same for markdown, which has neither width nor colour.
func TestMarkdown(t *testing.T) {
	for _, e := range examples() {
		if e.opts == (report.TextOptions{}) {
			t.Run(e.golden, func(t *testing.T) { compareGolden(t, e.golden+".md", renderMarkdown(t, e.doc)) })
		}
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := udiff.Unified(file, "rendered", string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestNoLineIsTooWide(t *testing.T) {
	for _, e := range examples() {
		for _, width := range []int{60, 61, 72, 80, 100, 132, 200} {
			e.opts.Width = width
			for line := range strings.SplitSeq(render(t, e), "\n") {
				if w := lipgloss.Width(line); w > width {
					t.Errorf("%s at width %d: %d columns: %s", e.golden, width, w, line)
				}
			}
		}
	}
}

func TestColourChangesNoWord(t *testing.T) {
	for _, e := range examples() {
		e.opts.Color = false
		plain := render(t, e)
		e.opts.Color = true
		coloured := stripped(render(t, e))
		if diff := udiff.Unified("plain", "coloured", plain, coloured); diff != "" {
			t.Errorf("%s: %s", e.golden, diff)
		}
	}
}

// stripped is the text without colour sequences, ESC [ ... m.
func stripped(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(after, "m")
	}
}

// closed is a pipe whose reader has gone.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriterErrorsAreReported(t *testing.T) {
	for name, err := range map[string]error{
		"text":     report.Text(closed{}, document(), report.TextOptions{}),
		"markdown": report.Markdown(closed{}, document(), lang.Printer{}),
		"html":     report.HTML(closed{}, document(), report.HTMLOptions{}),
	} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: error %v, expected one that wraps %v", name, err, os.ErrClosed)
		}
	}
}
