package report_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// illustrations are the documents that become pages of HTML. What a browser makes of
// them is checked in package htmltest, which opens these golden files.
func illustrations() map[string]evidence.Document {
	return map[string]evidence.Document{
		"violated":     withLossy([]string{"java", "kafkajs"}),
		"nine-clients": nine("kafkajs"),
		"repeats":      repeats(),
		"hostile":      saying(`"><script>document.title="hacked"</script><img src=x onerror="document.title='hacked'">`),
		"empty":        document(),
	}
}

// tracesOf is a trace for each trial, or for the first ones: a lost answer takes its
// connection along, so the client opens another.
func tracesOf(doc evidence.Document) report.Wires {
	all := report.Wires{}
	for i, t := range doc.Trials[:min(len(doc.Trials), 4)] {
		var trace evidence.Trace
		for n := range int64(60) {
			e := evidence.Exchange{
				N: n + 1, Conn: 1 + n/7, Node: int32(n/7) % 3, API: "Produce",
				At: 400_000 + n*(20_000+int64(i)*1000), Forwarded: true, Answered: true, Delivered: true,
			}
			e.AnsweredAt = e.At + 4000
			if n%7 == 0 {
				e.API = "ApiVersions"
			}
			if n%7 == 6 {
				e.Fault, e.Delivered = "drop-response", false
			}
			trace.Exchanges = append(trace.Exchanges, e)
		}
		all[report.NameOf(t)] = report.WireOf(trace)
	}
	return all
}

func renderHTML(t testing.TB, doc evidence.Document, wires report.Wires) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, doc, report.HTMLOptions{Wires: wires}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHTML holds each page against its golden file; the same evidence gives the same
// bytes.
func TestHTML(t *testing.T) {
	for name, doc := range illustrations() {
		t.Run(name, func(t *testing.T) {
			page := renderHTML(t, doc, tracesOf(doc))
			compareGolden(t, name+".html", page)
			if again := renderHTML(t, doc, tracesOf(doc)); again != page {
				t.Error(udiff.Unified("once", "again", page, again))
			}
		})
	}
}

func TestHTMLInRussian(t *testing.T) {
	doc := illustrations()["violated"]
	var b bytes.Buffer
	if err := report.HTML(&b, doc, report.HTMLOptions{In: lang.In(lang.Russian), Wires: tracesOf(doc)}); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "<body>")
	for line := range strings.Lines(withoutTags(body)) {
		if threeWords.MatchString(line) && !strings.Contains(line, "kcompare run") {
			t.Error(line)
		}
	}
	compareGolden(t, "ru-violated.html", b.String())
}

func TestHTMLDiff(t *testing.T) {
	var b bytes.Buffer
	if err := report.HTMLDiff(&b, upgrade(t), lang.Printer{}); err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "diff.html", b.String())
}

// TestHTMLSaysWhatMarkdownSays: another layout leaves out no word of a page.
func TestHTMLSaysWhatMarkdownSays(t *testing.T) {
	for name, doc := range illustrations() {
		said := words(entities.Replace(withoutTags(renderHTML(t, doc, nil))))
		for line := range strings.Lines(withoutTags(entities.Replace(renderMarkdown(t, doc)))) {
			for word := range words(line) {
				if !said[word] {
					t.Errorf("%s: %q is not there: %s", name, word, line)
				}
			}
		}
	}
}

var (
	tag      = regexp.MustCompile(`<[^>]*>`)
	value    = regexp.MustCompile(`"[^"]*"`)
	entities = strings.NewReplacer("&lt;", " ", "&gt;", " ", "&#34;", " ", "&#39;", " ", "&amp;", " ", "&#36;", " ", "&#8203;", "", "```sh", "")
)

func withoutTags(page string) string { return tag.ReplaceAllString(page, " ") }

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range regexp.MustCompile(`[\pL\pN]+`).FindAllString(text, -1) {
		all[w] = true
	}
	return all
}

// FuzzHTML: whatever a library or an edited document says, it is only text.
func FuzzHTML(f *testing.F) {
	for _, text := range append(hostile(), `"`, `'`, `" onclick="x`, "</title>", "</style>", "\x00", "]]>", "{{.}}") {
		f.Add(text)
	}
	elements := func(t testing.TB, text string) string {
		doc := saying(text)
		page := renderHTML(t, doc, tracesOf(doc))
		return strings.Join(tag.FindAllString(value.ReplaceAllString(page, `""`), -1), "\n")
	}
	harmless := elements(f, "x")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.TrimSpace(text) == "" || strings.Contains(text, "franz") {
			t.Skip("a cell that is empty, or the other client's name, is another document")
		}
		if diff := udiff.Unified("with the text x", "with this text", harmless, elements(t, text)); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	})
}

// TestWireIsBounded: a trace of any size becomes a picture of some kilobytes, and what it
// does not show is said.
func TestWireIsBounded(t *testing.T) {
	trace := evidence.Trace{Cut: 17}
	for n := range int64(200_000) {
		trace.Exchanges = append(trace.Exchanges, evidence.Exchange{
			Conn: n % 500, Node: int32(n % 3), API: []string{"Produce", "Fetch"}[n%2], At: n * 10, AnsweredAt: n*10 + 5,
			Fault: "drop-response", Answered: true, Forwarded: true,
		})
	}
	doc := document(trial(sequentialOn, "franz"))
	without := len(renderHTML(t, doc, nil))
	page := renderHTML(t, doc, report.Wires{report.NameOf(doc.Trials[0]): report.WireOf(trace)})
	if size := len(page) - without; size > 60_000 {
		t.Errorf("the picture has %d bytes", size)
	}
	for _, want := range []string{"Requests: 200000, connections: 500, time: 2.0 s.", "Connections not drawn, too many at a time: 490.", "Requests not in the trace, which is bounded: 17."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestWireCounts: an answer that never came, a request that never arrived, and an answer
// that the proxy gave in the broker's place are told apart.
func TestWireCounts(t *testing.T) {
	trace := evidence.Trace{Exchanges: []evidence.Exchange{
		{Conn: 1, Node: 2, API: "Produce", At: 10, Forwarded: true, Answered: true, Delivered: true},
		{Conn: 1, Node: 2, API: "Produce", At: 20, Forwarded: true, Answered: true, Fault: "drop-response"},
		{Conn: 2, Node: 2, API: "Produce", At: 30, Fault: "drop-request"},
		{Conn: 3, Node: 2, API: "Produce", At: 40, Delivered: true, Fault: "answer-instead"},
		{Conn: 4, Node: 2, API: "Produce", At: 50, Forwarded: true},
		{Conn: 5, Node: 1, API: "Metadata", At: 60, Forwarded: true, Answered: true, Delivered: true},
	}}
	doc := document(trial(sequentialOn, "franz"))
	page := renderHTML(t, doc, report.Wires{report.NameOf(doc.Trials[0]): report.WireOf(trace)})
	for _, figures := range [][]int{{1, 1, 1, 0, 0, 0}, {2, 4, 5, 3, 1, 1}} {
		row := fmt.Sprintf(`<th scope="row">%d</th>`, figures[0])
		for _, n := range figures[1:] {
			row += fmt.Sprintf(`<td class="n">%d</td>`, n)
		}
		if !strings.Contains(page, row) {
			t.Errorf("%s is not in %s", row, page)
		}
	}
}
