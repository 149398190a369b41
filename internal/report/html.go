package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"

	"kcompare/internal/diff"
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// HTMLOptions is what a report in HTML says beside what stands in the evidence.
type HTMLOptions struct {
	In    lang.Printer // what it is written in; the zero value is English
	Wires Wires        // the traces, as far as they are there
}

// HTML writes the report as one file that needs no other and no network: the words of
// the other formats, and pictures. Whatever comes from outside kcompare is escaped.
// The same evidence and traces give the same bytes. The error is the writer's.
func HTML(w io.Writer, doc evidence.Document, opts HTMLOptions) error {
	return writeHTML(w, said(illustrated(doc, opts.Wires), opts.In))
}

// HTMLDiff writes what changed between two documents in the same way. The error is the
// writer's.
func HTMLDiff(w io.Writer, doc diff.Document, in lang.Printer) error {
	p := diffPage(doc)
	numbered(p.sections)
	return writeHTML(w, said(p, in))
}

func writeHTML(w io.Writer, p page) error {
	if _, err := io.WriteString(w, layOutHTML(p)); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}

//go:embed html.css
var htmlStyle string

//go:embed html.js
var htmlScript string

// htmlPage writes a page as HTML.
type htmlPage struct {
	tags
	in     lang.Printer
	tables int // so far: each has a caption with an id
}

func layOutHTML(p page) string {
	h := &htmlPage{in: p.in}
	h.verbatim("<!doctype html>\n")
	h.element("html", func() {
		h.element("head", func() { h.head(p.title[0].text) })
		h.element("body", func() { h.body(p) })
	}, "lang", string(p.in.Language()))
	return h.out.String()
}

// head forbids everything but the style and the script that are written below it, by
// their hashes: what slipped through the escaping would still do nothing.
func (h *htmlPage) head(title string) {
	h.begin("meta", "charset", "utf-8")
	h.begin("meta", "http-equiv", "Content-Security-Policy", "content", fmt.Sprintf(
		"default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(htmlStyle), hashOf(htmlScript)))
	h.begin("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
	h.verbatim("\n")
	h.leaf("title", title)
	h.element("style", func() { h.verbatim(htmlStyle) })
	h.element("script", func() { h.verbatim(htmlScript) })
}

// hashOf is how a policy names a script.
func hashOf(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (h *htmlPage) body(p page) {
	h.leaf("a", h.in.Say("Skip to the report"), "class", "skip", "href", "#report")
	h.element("header", func() { h.opening(p) })
	h.contents(p)
	h.element("main", func() {
		for _, s := range p.sections {
			h.section(2, s)
		}
		h.again(p.again)
	}, "id", "report", "tabindex", "-1")
}

// opening is what was run, with what, and what came of it.
func (h *htmlPage) opening(p page) {
	h.element("h1", func() { h.span(p.title[0]) })
	h.facts(p.title[1:], "what")
	h.facts(p.sum, "sum")
	h.list(p.clients)
}

// contents leads to the sections. The script adds what folds them all.
func (h *htmlPage) contents(p page) {
	h.element("nav", func() {
		h.element("ul", func() {
			for _, s := range p.sections {
				if s.anchor != "" {
					h.element("li", func() { h.leaf("a", s.heading.text, "href", "#"+s.anchor) })
				}
			}
		})
	}, "aria-label", h.in.Say("Contents"), "data-unfold", h.in.Say("Unfold everything"), "data-fold", h.in.Say("Fold everything"))
}

func (h *htmlPage) again(command string) {
	if command == "" {
		return
	}
	h.element("section", func() {
		h.leaf("h2", h.in.Say("Again"), "id", "again")
		h.element("pre", func() { h.leaf("code", command) }, "tabindex", "0", "role", "group", "aria-labelledby", "again")
	})
}
