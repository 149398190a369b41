package workbook

import (
	"slices"
	"strings"
	"testing"

	"kcompare/internal/page"
	"kcompare/internal/pagetest"
)

// TestBlocksPage holds docs/blocks.md to the kinds.
func TestBlocksPage(t *testing.T) {
	pagetest.Expect(t, "docs/blocks.md", BlocksCommand, BlocksPage(), *update)
	p, err := page.Parse("docs/blocks.md", []byte(BlocksPage()))
	if err != nil || len(p.Blocks) > 0 {
		t.Errorf("the page has blocks itself: %v, %v", p.Blocks, err)
	}
}

// TestBlockExamples: the example of each kind is a block whose attributes that kind takes.
func TestBlockExamples(t *testing.T) {
	for _, k := range builtKinds() {
		if k.About == "" || len(blockExamples()[k.Name]) == 0 || blockExamples()[k.Name][0] == "" {
			t.Errorf("%s: expected a sentence about it and an example", k.Name)
			continue
		}
		p, err := page.Parse("example.md", []byte(exampleOf(k)+"\n"))
		if err != nil || len(p.Blocks) != 1 {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		b := Block{Block: p.Blocks[0], Page: "example.md"}
		if _, problems := kindOf(b); len(problems) > 0 {
			t.Errorf("%s: %v", k.Name, problems)
		}
		if k.Needs == nil {
			continue
		}
		if needs, err := k.Needs(b, twoClients); err != nil || len(needs) == 0 && b.Get("scenario") != "" {
			t.Errorf("%s: %d needs, %v", k.Name, len(needs), err)
		}
	}
	for name := range blockExamples() {
		if !slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Name == name }) {
			t.Errorf("an example of %s, which is no kind", name)
		}
	}
	for _, a := range trialAttributes() {
		if !strings.Contains(BlocksPage(), "| `"+a.Name+"` |") {
			t.Errorf("the page has no %s", a.Name)
		}
	}
}
