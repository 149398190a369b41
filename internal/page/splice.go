package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// Sum is what an end marker says of the text of its block, so that a change by hand is
// seen.
func Sum(body string) string {
	hash := sha256.Sum256([]byte(Clean(body)))
	return base64.RawURLEncoding.EncodeToString(hash[:])[:10]
}

// Clean is a body as Block.Body has it once it was in a page: \n as line ends, nothing on
// blank lines, none at either end.
func Clean(body string) string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines[i] = ""
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Splice is the page with new bodies in its blocks, by id; those without one stay as they
// are, and so does every byte outside blocks. It fails where a body would make the page
// another one: where a fence in it is not closed, say.
func (p Page) Splice(bodies map[string]string) ([]byte, error) {
	var b bytes.Buffer
	done := 0
	for i, block := range p.Blocks {
		body, ok := bodies[block.ID]
		if !ok {
			continue
		}
		s := p.spots[i]
		b.Write(p.source[done:s.from])
		s.write(&b, Clean(body))
		b.Write(p.source[s.to:s.open])
		fmt.Fprintf(&b, "<!-- kcompare:end id=%q sum=%q -->", block.ID, Sum(body))
		done = s.end
	}
	b.Write(p.source[done:])
	if bytes.Equal(b.Bytes(), p.source) {
		return p.source, nil // as most are when docs check asks: it was parsed already
	}
	return b.Bytes(), p.same(b.Bytes(), bodies)
}

// same holds the new page to what it was made of: the same blocks, with these bodies.
func (p Page) same(made []byte, bodies map[string]string) error {
	again, err := Parse(p.File, made)
	if err == nil && len(again.Blocks) == len(p.Blocks) {
		return p.each(again, bodies)
	}
	for _, block := range p.Blocks {
		body, changed := bodies[block.ID]
		if !changed || len(bodies) == 1 && changed {
			continue
		}
		if _, err := p.Splice(map[string]string{block.ID: body}); err != nil {
			return err
		}
	}
	for _, block := range p.Blocks {
		if _, changed := bodies[block.ID]; changed {
			return breaks(block)
		}
	}
	return err
}

// each compares the blocks of the page with those of the one that was made of it.
func (p Page) each(again Page, bodies map[string]string) error {
	for i, block := range p.Blocks {
		want := block.Body
		if body, changed := bodies[block.ID]; changed {
			want = Clean(body)
		}
		if got := again.Blocks[i]; got.ID != block.ID || got.Body != want {
			return breaks(block)
		}
	}
	return nil
}

func breaks(b Block) error {
	return Problems{{At: b.At, Message: fmt.Sprintf("what would be written into block %q does not end with it, a fence that is not closed for example: the page behind it would be read as another one", b.ID)}}
}

// write puts the lines of a body behind what the container wants before them, with a blank
// line before and after: some readers need it to see a table.
func (s spot) write(b *bytes.Buffer, body string) {
	blank := strings.TrimRight(s.prefix, " \t")
	b.WriteString(blank + s.eol)
	if body == "" {
		return
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line == "" {
			b.WriteString(blank + s.eol)
			continue
		}
		b.WriteString(s.prefix + line + s.eol)
	}
	b.WriteString(blank + s.eol)
}

// read is the other way round.
func (s spot) read(source []byte) string {
	var lines []string
	for line := range bytes.Lines(source[min(s.from, s.to):s.to]) {
		lines = append(lines, s.bare(strings.TrimRight(string(line), "\r\n")))
	}
	return Clean(strings.Join(lines, "\n"))
}

// bare is a line without what the container wants before it. A line that a person wrote
// may have less.
func (s spot) bare(line string) string {
	if rest, ok := strings.CutPrefix(line, s.prefix); ok {
		return rest
	}
	if strings.TrimSpace(line) == strings.TrimSpace(s.prefix) {
		return ""
	}
	return line
}
