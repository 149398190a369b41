package workbook

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"kcompare/internal/page"
)

// What is wrong with a block, or with what lies beside pages.
const (
	RenderStale    = "render-stale"    // rendering it now gives another text or picture
	InputStale     = "input-stale"     // what its evidence was made of has changed, or there is none
	HandEdited     = "hand-edited"     // somebody changed its text
	BrokenRegion   = "broken-region"   // it shows a part of a source that is not there
	OrphanEvidence = "orphan-evidence" // no block of the course tells of it
	OrphanPicture  = "orphan-picture"  // its block is gone
	LintError      = "lint"            // a listing of the author's is wrong
)

// Finding is one thing that a check found.
type Finding struct {
	File    string   `json:"file"`
	Line    int      `json:"line,omitempty"` // 0: it is about the whole file
	Column  int      `json:"column,omitempty"`
	Block   string   `json:"block,omitempty"` // its id
	Kind    string   `json:"kind"`
	Reasons []string `json:"reasons,omitempty"`
	Diff    string   `json:"diff,omitempty"` // from what is there to what would be written
	Fix     string   `json:"fix,omitempty"`  // the command that ends it
}

// String is the finding in one line, "file:line:col: block "lost-ack" is render-stale".
func (f Finding) String() string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	reasons := strings.Join(f.Reasons, "; ")
	switch {
	case f.Block != "" && reasons != "":
		return fmt.Sprintf("%s: block %q is %s (%s)", at, f.Block, f.Kind, reasons)
	case f.Block != "":
		return fmt.Sprintf("%s: block %q is %s", at, f.Block, f.Kind)
	}
	return fmt.Sprintf("%s: %s: %s", at, f.Kind, reasons)
}

// finding is one about a block.
func (c Chapter) finding(b page.Block, kind string, reasons ...string) Finding {
	return Finding{
		File: c.File, Line: b.At.Line, Column: b.At.Column, Block: b.ID, Kind: kind, Reasons: reasons,
		Fix: "kcompare docs render " + shown(c.File),
	}
}

// shown is a path as one types it.
func shown(path string) string {
	if strings.ContainsAny(path, " '\"$&;()*?") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// Check says what is not as it should be with the chosen blocks of a book, and writes
// nothing. unchecked says for which this machine lacks something. The error is
// page.Problems where pages are wrong.
func (b Book) Check(c Course, s Source, choice Choice) (all []Finding, unchecked []string, err error) {
	var problems page.Problems
	for _, chapter := range b.Chapters {
		for _, block := range chapter.Page.Blocks {
			if !choice.takes(block) {
				continue
			}
			found, wrong := chapter.check(c, s, block)
			lacking := (*UncheckedError)(nil)
			if all = append(all, found...); errors.As(wrong, &lacking) {
				unchecked = append(unchecked, chapter.lacks(block, lacking))
			} else if wrong != nil {
				problems = append(problems, problemOf(chapter.block(block), wrong))
			}
		}
	}
	if len(problems) > 0 {
		return nil, nil, problems
	}
	return all, unchecked, nil
}

// check compares one block with what it would be.
func (c Chapter) check(course Course, s Source, b page.Block) (all []Finding, err error) {
	wants, problems := wantsOf(course.Files, c.block(b), course.Manifest)
	if len(problems) > 0 {
		return nil, problems
	}
	changed, missing := wants.changed(s)
	if len(changed) > 0 {
		all = append(all, c.finding(b, InputStale, changed...))
	}
	if missing {
		if b.Edited() {
			all = append(all, c.handEdited(b))
		}
		return all, nil
	}
	content, err := renderBlock(course, c.block(b))
	switch {
	case err != nil && isBroken(err):
		f := c.finding(b, BrokenRegion, err.Error())
		f.Fix = "" // in the source, or in the marker
		return append(all, f), nil
	case err != nil:
		return all, err
	}
	if f := c.compare(b, content); f.Kind != "" {
		all = append(all, f)
	}
	return all, nil
}

// isBroken says whether what a block shows is no longer in its source: the page is not
// wrong then.
func isBroken(err error) bool {
	wrong := (*AttributeError)(nil)
	return errors.As(err, &wrong) && wrong.Broken
}

// changed lists what has changed since the evidence was made; missing says that some of it
// is not there.
func (w Wants) changed(s Source) (changed []string, missing bool) {
	add := func(state State, reasons []string, lack string) {
		missing = missing || state == Missing
		if state == Missing && len(reasons) == 0 {
			reasons = []string{lack}
		}
		if state != Fresh {
			changed = append(changed, reasons...)
		}
	}
	for _, n := range w.Needs {
		state, reasons := s.State(n)
		add(state, reasons, fmt.Sprintf("%s has no %s", s.FileOf(n), n.Variant))
	}
	for _, n := range w.Benches {
		state, reasons := s.BenchState(n)
		add(state, reasons, s.BenchFileOf(n)+" is not there")
	}
	for _, p := range w.Programs {
		state, reasons := s.OutputState(p)
		add(state, reasons, s.OutputFileOf(p)+" is not there")
	}
	return once(changed), missing
}

// compare holds a block to its new content. The finding has no kind where they agree.
func (c Chapter) compare(b page.Block, content Content) Finding {
	text, err := c.Page.Splice(map[string]string{b.ID: content.Markdown})
	diff := ""
	if err == nil && !bytes.Equal(text, c.Source) { // udiff takes its time over equal pages, too
		diff = udiff.Unified(c.File, c.File, string(c.Source), string(text))
	}
	same := page.Clean(content.Markdown) == b.Body
	f := Finding{}
	switch {
	case b.Edited() && !same:
		f = c.handEdited(b)
	case b.Edited():
		f = c.finding(b, RenderStale, "its sum is not that of its text")
	case b.Sum == "":
		f = c.finding(b, RenderStale, "it was never rendered")
	case diff != "" || err != nil:
		f = c.finding(b, RenderStale)
	default:
		return c.pictures(b, content)
	}
	f.Diff = diff
	return f
}

// handEdited is the finding of a block that somebody changed.
func (c Chapter) handEdited(b page.Block) Finding {
	f := c.finding(b, HandEdited)
	if b.Sum == "" {
		f.Reasons = []string{"it was never rendered, and has text"}
	}
	f.Fix += " --accept " + b.ID
	return f
}

// pictures compares those of a block.
func (c Chapter) pictures(b page.Block, content Content) Finding {
	var stale []string
	for name := range content.Files {
		if c.picture(b.ID, name, content).changes() {
			stale = append(stale, name)
		}
	}
	if len(stale) == 0 {
		return Finding{}
	}
	slices.Sort(stale)
	return c.finding(b, RenderStale, "picture "+strings.Join(stale, ", "))
}

// Orphans lists evidence that no block of the course tells of, and pictures beside the
// pages of the book whose blocks are gone. course is the book of every page of the course.
func (b Book) Orphans(course Book, m Manifest, s Source) ([]Finding, error) {
	wants, err := course.Wants(m, Choice{})
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, file := range s.Stored() {
		if !wants.uses(s, file) {
			all = append(all, orphan(OrphanEvidence, filepath.Join(b.Root, filepath.FromSlash(file)), "no block of this course tells of it"))
		}
	}
	for _, folder := range once(namesOf(b.Chapters, func(c Chapter) string { return filepath.Dir(c.File) })) {
		all = append(all, course.orphanPictures(folder)...)
	}
	return all, nil
}

func orphan(kind, file, reason string) Finding {
	return Finding{File: file, Kind: kind, Reasons: []string{reason}, Fix: "rm " + shown(file)}
}

// uses says whether a file is of the evidence that is wanted.
func (w Wants) uses(s Source, file string) bool {
	return slices.ContainsFunc(w.Needs, func(n Need) bool { return s.FileOf(n) == file }) ||
		slices.ContainsFunc(w.Benches, func(n BenchNeed) bool { return s.BenchFileOf(n) == file }) ||
		slices.ContainsFunc(w.Programs, func(p string) bool { return s.OutputFileOf(p) == file })
}

var signatures = regexp.MustCompile(fmt.Sprintf(signature, "([a-z0-9-]+)", "(.+)") + `\s*$`)

// orphanPictures lists the pictures beside pages of a folder that are signed for blocks
// which are in none of these pages.
func (b Book) orphanPictures(folder string) []Finding {
	files, _ := filepath.Glob(filepath.Join(folder, pictureFolder, "*.svg")) // the pattern is well-formed
	var all []Finding
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // whoever needs it says so
		}
		if signed := signatures.FindSubmatch(lastLine(content)); signed != nil && !b.has(folder, string(signed[2]), string(signed[1])) {
			all = append(all, orphan(OrphanPicture, file, fmt.Sprintf("%s has no block %q", signed[2], signed[1])))
		}
	}
	return all
}

// lastLine is the last line of a text that ends with a line end.
func lastLine(content []byte) []byte {
	content = bytes.TrimRight(content, "\n")
	return content[bytes.LastIndexByte(content, '\n')+1:]
}

// has says whether a page in a folder has a block.
func (b Book) has(folder, name, id string) bool {
	for _, c := range b.Chapters {
		if filepath.Dir(c.File) == folder && filepath.Base(c.File) == name {
			return slices.ContainsFunc(c.Page.Blocks, func(b page.Block) bool { return b.ID == id })
		}
	}
	return false
}
