package workbook

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/mermaidtest"
)

// filmed is the evidence of two trials with a scene: the second client does not ask for a
// producer id.
func filmed() evidence.Document {
	ask := evidence.SceneStep{Node: "broker", API: "InitProducerId", Version: 5, Answer: "ok, P1 epoch 0", Forwarded: true, Delivered: true, Times: 1}
	lost := evidence.SceneStep{
		Connection: "c1", Node: "leader", API: "Produce", Version: 10, Request: "order|0003 to payments-1", Answer: "ok, offset 4",
		Fault: "drop-response", Forwarded: true, Times: 1,
	}
	again := lost
	again.Fault, again.Connection, again.Delivered, again.Times = "", "c2", true, 2
	trial := func(client string, steps ...evidence.SceneStep) evidence.Trial {
		return evidence.Trial{
			Scenario: "idempotent", Variant: idempotenceOn, Client: client, Library: client + " 1",
			Requests: map[string]int64{"Produce": 1203, "InitProducerId": int64(len(steps) - 2)},
			Scenes:   []evidence.Scene{{Of: "fault", Steps: steps, LeftOut: 1}},
		}
	}
	return evidence.Document{
		Broker: evidence.Broker{Kind: "embedded"},
		Trials: []evidence.Trial{trial("franz", ask, lost, again), trial("librdkafka", lost, again)},
	}
}

func TestSequence(t *testing.T) {
	b := block("sequence", "scenario=idempotent", "variants="+idempotenceOn)
	b.Page, b.ID = "workbook/en/02-retry.md", "lost"
	var diagrams []string
	for _, l := range lang.Languages() {
		b.Lang = l
		content, err := kindNamed(t, "sequence").Render(Course{Manifest: twoClients, Evidence: recorded{doc: filmed()}}, b)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "kinds/sequence."+string(l)+".md", content.Markdown)
		for _, name := range []string{"img/02-retry-lost-franz.svg", "img/02-retry-lost-librdkafka.svg"} {
			wellFormed(t, name, content.Files[name])
		}
		for _, part := range strings.Split(content.Markdown, "```mermaid\n")[1:] {
			diagrams = append(diagrams, strings.Split(part, "```")[0])
		}
	}
	for i, why := range mermaidtest.Parse(t, diagrams) {
		if why != "" {
			t.Errorf("%s\n%s", why, diagrams[i])
		}
	}
}

func TestSequenceOfOne(t *testing.T) {
	for _, format := range []string{"mermaid", "svg"} {
		b := block("sequence", "scenario=idempotent", "variants="+idempotenceOn, "clients=franz", "format="+format)
		b.Page, b.ID = "02-retry.md", "lost"
		content, err := kindNamed(t, "sequence").Render(Course{Evidence: recorded{doc: filmed()}}, b)
		if err != nil {
			t.Fatal(err)
		}
		has := []bool{strings.Contains(content.Markdown, "```mermaid"), strings.Contains(content.Markdown, "](img/02-retry-lost.svg)"), len(content.Files) == 1}
		if want := []bool{format == "mermaid", format == "svg", format == "svg"}; has[0] != want[0] || has[1] != want[1] || has[2] != want[2] {
			t.Errorf("%s: fence, picture, file: %v, want %v\n%s", format, has, want, content.Markdown)
		}
	}
}

// byRate is evidence that depends on the drop rate.
type byRate struct{}

func (byRate) Trial(n Need) (evidence.Trial, evidence.Document, bool) {
	counts := evidence.Counts{evidence.Unique: 200, evidence.LostRecords: 0, evidence.Duplicates: int64(n.Parameters.DropRate * 1000)}
	if n.Client == "librdkafka" {
		delete(counts, evidence.LostRecords)
	}
	return evidence.Trial{Scenario: n.Scenario, Variant: n.Variant, Client: n.Client, Counts: counts}, evidence.Document{}, true
}

func (byRate) Bench(BenchNeed) (evidence.Bench, bool) { return evidence.Bench{}, false }

func (byRate) Output(string) ([]string, bool) { return nil, false }

func TestPlot(t *testing.T) {
	for _, form := range []string{"bars", "lines"} {
		b := block("plot", "scenario=idempotent", "variants="+idempotenceOff, "drop-rates=0,0.35,1", "form="+form)
		b.Page, b.ID = "workbook/en/01-loss.md", "by-rate"
		content, err := kindNamed(t, "plot").Render(Course{Manifest: twoClients, Evidence: byRate{}}, b)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "kinds/plot.en.md", content.Markdown)
		wellFormed(t, form, content.Files["img/01-loss-by-rate.svg"])
		b.Lang = lang.Russian
		if content, err = kindNamed(t, "plot").Render(Course{Manifest: twoClients, Evidence: byRate{}}, b); err != nil {
			t.Fatal(err)
		}
		golden(t, "kinds/plot.ru.md", content.Markdown)
	}
}

func TestWrongAttributesOfPictures(t *testing.T) {
	on := "variants=" + idempotenceOn
	for _, test := range []struct {
		block Block
		want  string
	}{
		{block("sequence", "scenario=idempotent"), "variants: a block of kind sequence tells of one variant, this is 8: "},
		{block("sequence", "scenario=idempotent", on, "clients=franz,java,python"), "clients: a block of kind sequence tells of 2 at most, this is 3: franz, java, python"},
		{block("sequence", "scenario=idempotent", on, "scene=falt"), `scene: unknown scene "falt": did you mean fault?`},
		{block("sequence", "scenario=idempotent", on, "scene=transaction 0"), `scene: scene "transaction 0": expected a number from 1 behind transaction`},
		{block("sequence", "scenario=idempotent", on, "format=svgs"), `format: unknown format "svgs": did you mean svg?`},
		{block("plot", "scenario=idempotent", on, "drop-rate=0.1"), "drop-rate: a plot has several: expected drop-rates="},
		{block("plot", "scenario=idempotent", on, "drop-rates=0.1,0.05"), `drop-rates: "0.1,0.05": expected rates that rise`},
		{block("plot", "scenario=idempotent", on, "drop-rates=0.1,2"), `drop-rates: "2": expected a number from 0 to 1`},
		{block("plot", "scenario=idempotent", on, "rows=losst"), `rows: unknown metric "losst": did you mean lost?`},
		{block("plot", "scenario=idempotent", on, "form=bar"), `form: unknown form "bar": did you mean bars?`},
		{block("plot", "scenario=idempotent"), "variants: a block of kind plot tells of one variant, this is 8: "},
	} {
		_, err := kindNamed(t, test.block.Kind).Needs(test.block, twoClients)
		var wrong *AttributeError
		if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Error(), test.want) {
			t.Errorf("%v: %v\nwant %s", test.block.Attributes, err, test.want)
		}
	}
}

func wellFormed(t *testing.T, name string, picture []byte) {
	t.Helper()
	if len(picture) == 0 {
		t.Fatalf("%s: is not there", name)
	}
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
