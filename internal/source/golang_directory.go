package source

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
)

// goDirectories are the folders that files were given from: a name that a file does not
// declare is looked for in the files beside it.
type goDirectories struct {
	texts   map[string][]byte // of the files that were given, by path
	parsed  map[string]*goFile
	folders map[string]*goDirectory
}

func newGoDirectories(files []input) *goDirectories {
	d := &goDirectories{texts: map[string][]byte{}, parsed: map[string]*goFile{}, folders: map[string]*goDirectory{}}
	for _, in := range files {
		if in.firstLine == 0 {
			d.texts[in.path] = in.text
		}
	}
	return d
}

// parse parses a text, a file only once.
func (d *goDirectories) parse(in input) (*goFile, error) {
	if !strings.HasSuffix(in.path, ".go") {
		f, err := parseGo(in)
		if f != nil {
			f.beside = &goDirectory{loaded: true} // a listing on a page stands alone
		}
		return f, err
	}
	if f := d.parsed[in.path]; f != nil {
		return f, nil
	}
	f, err := parseGo(in)
	if err != nil {
		return nil, err
	}
	name := filepath.Dir(in.path)
	if d.folders[name] == nil {
		d.folders[name] = &goDirectory{name: name, all: d}
	}
	f.beside, d.parsed[in.path] = d.folders[name], f
	return f, nil
}

// goDirectory is one folder. Its files are parsed when a name is first looked for.
type goDirectory struct {
	name   string
	all    *goDirectories
	loaded bool

	// What each name of the package is, in every file that declares it: a folder of
	// examples is many programs, and which one is meant nobody knows.
	values map[string][]goDeclared
	funcs  map[string][]goDeclared
}

type goDeclared struct {
	in    *goFile
	value ast.Expr // nil where it is set more than once
	fn    *ast.FuncDecl
}

func (d *goDirectory) load() {
	if d.loaded {
		return
	}
	d.loaded = true
	d.values, d.funcs = map[string][]goDeclared{}, map[string][]goDeclared{}
	paths, err := filepath.Glob(filepath.Join(d.name, "*.go"))
	if err != nil {
		return // a folder with [ in its name
	}
	for _, path := range paths {
		text, given := d.all.texts[path]
		if !given {
			if text, err = os.ReadFile(path); err != nil {
				continue
			}
		}
		if f, err := d.all.parse(input{path: path, text: text}); err == nil {
			d.add(f)
		}
	}
}

func (d *goDirectory) add(f *goFile) {
	for obj, values := range f.given {
		if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			continue
		}
		v := goDeclared{in: f}
		if len(values) == 1 {
			v.value = values[0]
		}
		d.values[obj.Name()] = append(d.values[obj.Name()], v)
	}
	for _, decl := range f.tree.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
			d.funcs[fn.Name.Name] = append(d.funcs[fn.Name.Name], goDeclared{in: f, fn: fn})
		}
	}
}

// value is what a constant or variable of the package is, where one file declares it.
func (d *goDirectory) value(name string) (*goFile, ast.Expr, bool) {
	d.load()
	if found := d.values[name]; len(found) == 1 && found[0].value != nil {
		return found[0].in, found[0].value, true
	}
	return nil, nil, false
}

// function is the declaration of a function of the package, where one file declares it.
func (d *goDirectory) function(name string) (*goFile, *ast.FuncDecl) {
	d.load()
	if found := d.funcs[name]; len(found) == 1 {
		return found[0].in, found[0].fn
	}
	return nil, nil
}
