package sequence_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/mermaidtest"
	"kcompare/internal/sequence"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata; -update writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s is otherwise now (-update writes it):\n%s", path, got)
	}
}

// pair is one trace as two clients might have made it.
func pair(t *testing.T, of string) (a, b sequence.Diagram) {
	other := taped()
	other.Trace.Exchanges = append(other.Trace.Exchanges[:9:9], other.Trace.Exchanges[10:]...)
	return sequence.Compared(
		sequence.Diagram{Client: "franz", Scene: cut(t, taped(), of)},
		sequence.Diagram{Client: "librdkafka", Scene: cut(t, other, of)},
	)
}

func TestMermaid(t *testing.T) {
	a, b := pair(t, "all")
	golden(t, "all.mmd", []byte(sequence.Mermaid(a, lang.Printer{})+"\n"+sequence.Mermaid(b, lang.Printer{})))
}

// nasty is a scene whose every text is the given one.
func nasty(text string) sequence.Diagram {
	step := evidence.SceneStep{
		Connection: text, Node: text, API: text, Request: text, Answer: text, Fault: text, Delivered: true, Times: 2,
	}
	plain := step
	plain.Fault, plain.Times, plain.Delivered, plain.Collateral = "", 1, false, true
	return sequence.Diagram{Client: text, Scene: evidence.Scene{Of: "record " + text, Steps: []evidence.SceneStep{step, plain}, LeftOut: 3}}
}

// TestMermaidTakesEverything draws texts with every sign and lets Mermaid parse them.
func TestMermaidTakesEverything(t *testing.T) {
	texts := []string{"", "end", "wrap: text", "loop", "%%{init: {}}%%", "a\nend\nb", "<b>x</b>", "participant", strings.Repeat("long", 100), "Заказ №5", "é\u0000\u2028x"}
	for r := rune(33); r < 127; r++ {
		texts = append(texts, fmt.Sprintf("%c a%cb %c%c", r, r, r, r))
	}
	var diagrams []string
	for _, text := range texts {
		diagrams = append(diagrams, sequence.Mermaid(nasty(text), lang.Printer{}))
	}
	a, b := pair(t, "all")
	diagrams = append(diagrams, sequence.Mermaid(a, lang.Printer{}), sequence.Mermaid(b, lang.Printer{}))
	for i, why := range mermaidtest.Parse(t, diagrams) {
		if why != "" {
			t.Errorf("%s\n%s", why, diagrams[i])
		}
	}
}

// TestLongestDiagram stays below the 50,000 characters and 500 arrows that Mermaid draws.
func TestLongestDiagram(t *testing.T) {
	d := nasty(strings.Repeat("~", 1000))
	for len(d.Scene.Steps) < sequence.MostSteps {
		d.Scene.Steps = append(d.Scene.Steps, d.Scene.Steps[:2]...)
	}
	if n := len(sequence.Mermaid(d, lang.Printer{})); n > 50_000 {
		t.Errorf("a diagram of %d steps has %d characters", len(d.Scene.Steps), n)
	}
}
