package source

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"path"
	"strings"
)

// goFile is a parsed text, with what its names stand for.
type goFile struct {
	in      input
	src     []byte // in.text with what was put round it
	shift   int    // lines that were put before it
	listing bool   // no file by itself, or without imports: names of packages are goGuessed
	fset    *token.FileSet
	tree    *ast.File
	info    *types.Info
	scope   *types.Scope
	funcs   map[types.Object]*ast.FuncDecl
	typed   map[types.Object]ast.Expr   // the type that a variable or field is declared with
	given   map[types.Object][]ast.Expr // what each variable is set to; nil where nobody can know
	beside  *goDirectory
}

// goWrapping is a way to make a listing a file.
type goWrapping struct {
	before, after string
	lines         int  // in before
	imports       bool // the listing begins with imports, and before stands behind them
}

// goWrappings are tried in this order. A listing has to stay on its lines: what is put
// before it are whole lines, or stands at the end of one.
var goWrappings = []goWrapping{
	{},
	{before: "package listing\n", lines: 1},
	{before: "package listing; func _() {\n", after: "\n}", lines: 1},
	{before: "; func _() {", after: "\n}", imports: true},
	{before: "package listing; var _ = []any{\n", after: "\n}", lines: 1},
	{before: "package listing; var _ = []any{\n", after: ",\n}", lines: 1},
}

// parseGo parses a file, or a listing in the first way that fits. The error is that of the
// way that got furthest, with its place.
func parseGo(in input) (*goFile, error) {
	var furthest error
	for _, text := range [][]byte{in.text, goWithoutDots(in.text)} {
		for _, w := range goWrappings {
			f, err := w.parse(in, text)
			if err == nil {
				f.resolve()
				return f, nil
			}
			if furthest == nil || further(err, furthest) {
				furthest = err
			}
		}
	}
	return nil, furthest
}

// further reports whether one error stands behind another.
func further(one, other error) bool {
	var a, b *notGo
	return errors.As(one, &a) && errors.As(other, &b) && (a.at.Line > b.at.Line || a.at.Line == b.at.Line && a.at.Column > b.at.Column)
}

// goWithoutDots makes a comment of each line that only says "...": something is left out
// there.
func goWithoutDots(text []byte) []byte {
	lines := bytes.Split(bytes.Clone(text), []byte("\n"))
	for _, line := range lines {
		if dots := bytes.TrimSpace(line); string(dots) == "..." {
			copy(dots, "// ")
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

func (w goWrapping) parse(in input, text []byte) (*goFile, error) {
	f := &goFile{in: in, shift: w.lines, fset: token.NewFileSet(), listing: w != goWrapping{}}
	f.src = bytes.Join([][]byte{[]byte(w.before), text, []byte(w.after)}, nil)
	if w.imports {
		f.src = goAfterImports(text, w)
		f.shift = 1
	}
	tree, err := parser.ParseFile(f.fset, in.path, f.src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, f.placed(err)
	}
	f.tree = tree
	f.listing = f.listing && len(tree.Imports) == 0
	return f, nil
}

// goAfterImports opens a function at the end of the last import's line.
func goAfterImports(text []byte, w goWrapping) []byte {
	src := append([]byte("package listing\n"), text...)
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", src, parser.ImportsOnly|parser.SkipObjectResolution)
	if err != nil || len(tree.Decls) == 0 {
		return src
	}
	end := fset.Position(tree.Decls[len(tree.Decls)-1].End()).Offset
	return bytes.Join([][]byte{src[:end], []byte(w.before), src[end:], []byte(w.after)}, nil)
}

// placed is the first of a parser's errors, with its place in the file of the text.
func (f *goFile) placed(err error) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return err
	}
	at, message := Pos{list[0].Pos.Line - f.shift, list[0].Pos.Column}, list[0].Msg
	if lines := bytes.Split(bytes.TrimRight(f.in.text, "\n"), []byte("\n")); at.Line > len(lines) { // in what was put behind it
		at = Pos{len(lines), len(lines[len(lines)-1]) + 1}
		expected, _, _ := strings.Cut(message, ", found")
		message = expected + ", found the end"
	}
	at.Line += f.in.firstLine
	return &notGo{at, message}
}

// notGo is a syntax error.
type notGo struct {
	at      Pos
	message string
}

func (e *notGo) Error() string {
	return fmt.Sprintf("line %d, column %d: not Go: %s", e.at.Line, e.at.Column, e.message)
}

// resolve finds out what each name stands for, as far as the file itself tells. Types of
// other packages stay unknown, apart from the few of goStandard.
func (f *goFile) resolve() {
	f.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	conf := types.Config{
		Importer:                 goStandard{},
		Error:                    func(error) {}, // an unknown type is no news here
		DisableUnusedImportCheck: true,
		FakeImportC:              true,
	}
	// The error is the first of those above; there is a package in spite of it.
	pack, _ := conf.Check(f.tree.Name.Name, f.fset, []*ast.File{f.tree}, f.info)
	f.scope = pack.Scope()
	f.declare()
}

// goStandard knows the constants of the standard library that settings are made of.
type goStandard struct{}

var errOutside = errors.New("not looked at")

// Import makes a package of its source in goStandardSource.
func (goStandard) Import(name string) (*types.Package, error) {
	text, known := goStandardSource[name]
	if !known {
		return nil, errOutside
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name+".go", text, 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(path.Base(name), fset, []*ast.File{tree}, nil)
}

// standardConstant is a constant of goStandard; nil for any other name.
func standardConstant(pack, name string) *types.Const {
	if _, known := goStandardSource[pack]; !known {
		return nil
	}
	p, err := goStandard{}.Import(pack)
	if err != nil {
		return nil
	}
	c, _ := p.Scope().Lookup(name).(*types.Const)
	return c
}

var goStandardSource = map[string]string{
	"time": `package time
type Duration int64
func (Duration) String() string { return "" }
func (Duration) Milliseconds() int64 { return 0 }
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)`,
	"math": `package math
const (
	MaxInt = 1<<63 - 1
	MaxInt8 = 1<<7 - 1
	MaxInt16 = 1<<15 - 1
	MaxInt32 = 1<<31 - 1
	MaxInt64 = 1<<63 - 1
	MaxUint16 = 1<<16 - 1
	MaxUint32 = 1<<32 - 1
)`,
}
