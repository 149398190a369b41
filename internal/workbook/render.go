package workbook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kcompare/internal/page"
)

// State says whether what was found out can still be told.
type State string

// The states of evidence.
const (
	Fresh   State = ""        // it was made of what is there now
	Stale   State = "stale"   // something that it was made of has changed since
	Missing State = "missing" // it never was
)

// Source is the evidence of a course and what is known of its age. Nothing of it runs
// anything or writes.
type Source interface {
	Evidence

	// State compares what the evidence of a need was made of with what is there now.
	// changed has a line for each difference: "confluent-kafka 2.16.1 -> 2.17.0".
	State(n Need) (s State, changed []string)

	// OutputState is the same of a program of the manifest.
	OutputState(program string) (s State, changed []string)

	// BenchState is the same of a bench.
	BenchState(n BenchNeed) (s State, changed []string)

	// FileOf, BenchFileOf and OutputFileOf are where the evidence of a need, a bench or a
	// program is or would be: paths from the root of the course, with slashes.
	FileOf(n Need) string
	BenchFileOf(n BenchNeed) string
	OutputFileOf(program string) string

	// Stored lists the files of evidence that there are, as FileOf names them.
	Stored() []string
}

// Choice says which blocks are written.
type Choice struct {
	Only   []string // ids; none: all
	Accept []string // ids of those that are written although somebody changed their text
}

// takes says whether a block is among those that are written.
func (c Choice) takes(b page.Block) bool {
	return len(c.Only) == 0 || slices.Contains(c.Only, b.ID) || slices.Contains(c.Accept, b.ID)
}

// Check refuses ids that no block of the books has.
func (c Choice) Check(books []Book) error {
	var known []string
	for _, b := range books {
		known = append(known, b.IDs()...)
	}
	for flag, ids := range map[string][]string{"only": c.Only, "accept": c.Accept} {
		for _, id := range ids {
			if !slices.Contains(known, id) {
				return fmt.Errorf("--%s: %s", flag, unknownName("block", id, known))
			}
		}
	}
	return nil
}

// Edited lists the blocks whose text somebody changed and that are not to be overwritten.
func (c Choice) Edited(b Book) []Finding {
	var edited []Finding
	for _, chapter := range b.Chapters {
		for _, block := range chapter.Page.Blocks {
			if c.keeps(block) {
				edited = append(edited, chapter.handEdited(block))
			}
		}
	}
	return edited
}

// keeps says whether a block is not to be overwritten.
func (c Choice) keeps(b page.Block) bool {
	return b.Edited() && c.takes(b) && !slices.Contains(c.Accept, b.ID)
}

// File is one that is to be written.
type File struct {
	Path    string // as the user would name it
	Content []byte
}

// Rendering is what became of a book.
type Rendering struct {
	Files     []File    // pages and pictures that are not yet as they should be
	Refused   []Finding // blocks that somebody changed and that would change: nothing is to be written then
	Unchecked []string  // blocks that stay as they are, and what this machine lacks for them
}

// Render gives the new pages of a book. What its Wants are is in the course. The error is
// page.Problems where pages are wrong.
func (b Book) Render(c Course, choice Choice) (Rendering, error) {
	var r Rendering
	var problems page.Problems
	for _, chapter := range b.Chapters {
		made, unchecked, wrong := chapter.render(c, choice)
		r.Unchecked = append(r.Unchecked, unchecked...)
		if problems = append(problems, wrong...); len(wrong) > 0 {
			continue
		}
		for _, block := range chapter.Page.Blocks {
			if content, ok := made[block.ID]; ok && choice.keeps(block) && page.Clean(content.Markdown) != block.Body {
				r.Refused = append(r.Refused, chapter.compare(block, content))
			}
		}
		own, err := chapter.files(made)
		if err != nil {
			problems = append(problems, splitProblems(err, chapter)...)
		}
		r.Files = append(r.Files, own...)
	}
	if len(problems) > 0 {
		return Rendering{}, problems
	}
	return r, nil
}

// splitProblems is the problems in an error of Splice.
func splitProblems(err error, c Chapter) page.Problems {
	if all := (page.Problems)(nil); errors.As(err, &all) {
		return all
	}
	return page.Problems{{At: page.Position{File: c.File, Line: 1, Column: 1}, Message: err.Error()}}
}

// render writes the chosen blocks of a page.
func (c Chapter) render(course Course, choice Choice) (made map[string]Content, unchecked []string, problems page.Problems) {
	made = map[string]Content{}
	for _, block := range c.Page.Blocks {
		if !choice.takes(block) {
			continue
		}
		content, err := renderBlock(course, c.block(block))
		lacking := (*UncheckedError)(nil)
		switch {
		case errors.As(err, &lacking):
			unchecked = append(unchecked, c.lacks(block, lacking))
		case err != nil:
			problems = append(problems, problemOf(c.block(block), err))
		default:
			made[block.ID] = content
		}
	}
	return made, unchecked, problems
}

// lacks says of a block what this machine lacks for it.
func (c Chapter) lacks(b page.Block, err *UncheckedError) string {
	return fmt.Sprintf("%s:%d:%d: block %q: %s", c.File, b.At.Line, b.At.Column, b.ID, err.Reason)
}

// renderBlock writes one.
func renderBlock(c Course, b Block) (Content, error) {
	kind, problems := kindOf(b)
	if len(problems) > 0 {
		return Content{}, problems
	}
	content, err := kind.Render(c, b)
	if err != nil {
		return Content{}, err
	}
	return content, checkFiles(content)
}

// checkFiles holds pictures to a place below their page.
func checkFiles(c Content) error {
	for name := range c.Files {
		if !fs.ValidPath(name) || !strings.HasPrefix(name, pictureFolder+"/") {
			return fmt.Errorf("a picture %q: expected it in %s beside the page", name, pictureFolder)
		}
	}
	return nil
}

// pictureFolder is where the pictures of a page are, beside it.
const pictureFolder = "img"

// files are the page and its pictures where their bytes change.
func (c Chapter) files(made map[string]Content) ([]File, error) {
	bodies := map[string]string{}
	var files []File
	for _, block := range c.Page.Blocks {
		content, ok := made[block.ID]
		if !ok {
			continue
		}
		bodies[block.ID] = content.Markdown
		for _, name := range slices.Sorted(maps.Keys(content.Files)) {
			if file := c.picture(block.ID, name, content); file.changes() {
				files = append(files, file)
			}
		}
	}
	text, err := c.Page.Splice(bodies)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(text, c.Source) {
		files = append(files, File{Path: c.File, Content: text})
	}
	return files, nil
}

// picture is a file of a block.
func (c Chapter) picture(id, name string, content Content) File {
	return File{Path: filepath.Join(filepath.Dir(c.File), filepath.FromSlash(name)), Content: c.signed(name, id, content.Files[name])}
}

// changes says whether the file is another one than the one that is there.
func (f File) changes() bool {
	there, err := os.ReadFile(f.Path)
	return err != nil || !bytes.Equal(there, f.Content)
}

// signature ends the pictures of blocks, so that one whose block is gone is known from
// one that the author drew.
const signature = "<!-- drawn by kcompare docs render for block %s of %s -->"

// signed is a picture with its signature.
func (c Chapter) signed(name, id string, content []byte) []byte {
	if path.Ext(name) != ".svg" {
		return content
	}
	return fmt.Appendf(bytes.TrimRight(bytes.Clone(content), "\n"), "\n"+signature+"\n", id, path.Base(c.Path))
}
