package source

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"
)

// readGo reads Go files and listings of Go. A listing need not be a whole file: the
// declarations, statements or elements of a list that a page of documentation shows are
// enough. Nothing is compiled and no module is needed: what a package outside the file's
// own directory says stays unknown.
func readGo(ctx context.Context, files []input) []File {
	read := make([]File, len(files))
	directories := newGoDirectories(files)
	for i, in := range files {
		read[i] = File{Path: in.path, Language: Go}
		if ctx.Err() != nil || !in.every && !in.ofKafka() {
			continue
		}
		f, err := directories.parse(in)
		if err != nil {
			read[i].misread(err)
			continue
		}
		w := newGoWalker(f)
		w.file()
		read[i].Blocks = w.written()
		read[i].Facts = w.found()
	}
	return read
}

// misread keeps why a text could not be parsed, and where.
func (f *File) misread(err error) {
	f.Unread = err.Error()
	var no *notGo
	if errors.As(err, &no) {
		f.Mistakes = append(f.Mistakes, Mistake{Go, no.at, no.message})
	}
}

// ofKafka reports whether a text can say anything about a client: a file imports one. A
// listing need not have imports.
func (in input) ofKafka() bool {
	if !bytes.Contains(in.text, []byte("kafka")) && !bytes.Contains(in.text, []byte("kgo")) {
		return false
	}
	tree, err := parser.ParseFile(token.NewFileSet(), "", in.text, parser.ImportsOnly|parser.SkipObjectResolution)
	return err != nil || slices.ContainsFunc(tree.Imports, func(spec *ast.ImportSpec) bool {
		path := goWithoutMajor(strings.Trim(spec.Path.Value, "`\""))
		return path == confluentPath || path == kgoPath
	})
}

// at is the place of a position, in the file that the text came from.
func (f *goFile) at(p token.Pos) Pos {
	where := f.fset.PositionFor(p, false)
	start := where.Offset - (where.Column - 1)
	return Pos{
		Line:   where.Line - f.shift + f.in.firstLine,
		Column: utf8.RuneCount(f.src[start:where.Offset]) + 1,
	}
}

// source is an expression as it is written.
func (f *goFile) source(n ast.Node) string {
	return string(f.src[f.fset.PositionFor(n.Pos(), false).Offset:f.fset.PositionFor(n.End(), false).Offset])
}

// found is everything that the code does beside settings, in the order of the file; the
// walk meets it function by function, and options of several clients several times.
func (w *goWalker) found() []Fact {
	facts := slices.Concat(w.typeFacts(), w.unknownOptions(), w.optionFacts())
	for _, fn := range w.f.functions() {
		facts = append(facts, fn.transactionFacts()...)
		facts = append(facts, fn.reportFacts(w.clients)...)
		facts = append(facts, fn.offsetFacts()...)
	}
	slices.SortStableFunc(facts, func(a, b Fact) int { return goBefore(a.At, b.At) })
	return slices.CompactFunc(facts, func(a, b Fact) bool { return a.At == b.At && a.Rule == b.Rule })
}
