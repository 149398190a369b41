package page_test

import (
	"bytes"
	"slices"
	"testing"

	"kcompare/internal/page"
)

// FuzzSplice puts any text into the blocks of any page: bytes outside blocks stay, a second
// time changes nothing, and what cannot be put there is an error, never another page.
func FuzzSplice(f *testing.F) {
	for _, seed := range []string{
		"a\n<!-- kcompare:begin id=\"a\" kind=\"k\" -->\n<!-- kcompare:end id=\"a\" -->\nb",
		"\xef\xbb\xbf<!-- kcompare:begin id=\"a\" kind=\"k\" x=\"y\" -->\r\nold\r\n<!-- kcompare:end id=\"a\" sum=\"x\" -->",
		"- <!-- kcompare:begin id=\"a\" kind=\"k\" -->\n\n  old\n\n  <!-- kcompare:end id=\"a\" -->\n- b\n",
		"> 1. x\n>\n>    <!-- kcompare:begin id=\"a\" kind=\"k\" -->\n>    <!-- kcompare:end id=\"a\" -->\n> y\n",
		"<details>\n<!-- kcompare:begin id=\"a\" kind=\"k\" -->\n<!-- kcompare:end id=\"a\" -->\n</details>\n",
		"````md\n<!-- kcompare:begin id=\"a\" kind=\"k\" -->\n````\n`<!-- kcompare:end id=\"a\" -->`\n",
	} {
		f.Add(seed, "| a |\n|--|\n| 1 |\n\n```go\nx\n```")
		f.Add(seed, "```go\nnever closed")
		f.Add(seed, "- a\n\n<!-- kcompare:end id=\"a\" -->")
	}
	f.Fuzz(func(t *testing.T, source, body string) {
		before, err := page.Parse("p.md", []byte(source))
		if err != nil {
			return
		}
		bodies := map[string]string{}
		for _, b := range before.Blocks {
			bodies[b.ID] = body
		}
		made, err := before.Splice(bodies)
		if err != nil {
			return
		}
		after, err := page.Parse("p.md", made)
		if err != nil {
			t.Fatalf("the page that was made: %v", err)
		}
		for _, b := range after.Blocks {
			if b.Edited() {
				t.Errorf("block %s is called edited by hand after it was written", b.ID)
			}
		}
		again, err := after.Splice(bodies)
		if err != nil || !bytes.Equal(made, again) {
			t.Errorf("a second time gives another page (%v):\n%q\n%q", err, made, again)
		}
		if got, want := outside(made, after), outside([]byte(source), before); got != want {
			t.Errorf("outside of blocks\nwas %q\nis  %q", want, got)
		}
	})
}

// outside is the page without what stands between the markers and without the sums. It
// finds an end by its text, the last one before the next block: it must not trust what it
// tests.
func outside(source []byte, p page.Page) string {
	lines := slices.Collect(bytes.Lines(source))
	var kept bytes.Buffer
	from := 0
	for i, b := range p.Blocks {
		until := len(lines)
		if i+1 < len(p.Blocks) {
			until = p.Blocks[i+1].At.Line - 1
		}
		kept.Write(bytes.Join(lines[from:b.At.Line], nil))
		from = until - 1
		for from > b.At.Line && !bytes.Contains(lines[from], []byte("kcompare:end")) {
			from--
		}
		open, shut := bytes.Index(lines[from], []byte("<!--")), bytes.Index(lines[from], []byte("-->"))
		kept.Write(lines[from][:open])
		kept.Write(lines[from][shut:])
		from++
	}
	kept.Write(bytes.Join(lines[from:], nil))
	return kept.String()
}
