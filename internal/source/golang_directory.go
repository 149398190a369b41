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
	folders map[string]*goDirectory
}

func newGoDirectories(files []input) *goDirectories {
	d := &goDirectories{texts: map[string][]byte{}, folders: map[string]*goDirectory{}}
	for _, in := range files {
		if in.firstLine == 0 {
			d.texts[in.path] = in.text
		}
	}
	return d
}

// of is the folder of a file; a listing on a page has none.
func (d *goDirectories) of(in input) *goDirectory {
	if !strings.HasSuffix(in.path, ".go") {
		return &goDirectory{loaded: true}
	}
	name := filepath.Dir(in.path)
	if d.folders[name] == nil {
		d.folders[name] = &goDirectory{name: name, all: d}
	}
	return d.folders[name]
}

// goDirectory is one folder. Its files are parsed when a name is first looked for.
type goDirectory struct {
	name   string
	all    *goDirectories
	loaded bool
	files  []*goFile
}

func (d *goDirectory) load() []*goFile {
	if d.loaded {
		return d.files
	}
	d.loaded = true
	paths, err := filepath.Glob(filepath.Join(d.name, "*.go"))
	if err != nil {
		return nil // a folder with [ in its name
	}
	for _, path := range paths {
		text, given := d.all.texts[path]
		if !given {
			if text, err = os.ReadFile(path); err != nil {
				continue
			}
		}
		if f, err := parseGo(input{path: path, text: text}); err == nil {
			f.beside = d
			d.files = append(d.files, f)
		}
	}
	return d.files
}

// value is what a constant or variable of the package is, where exactly one file declares
// it: a folder of examples is many programs, and which one is meant nobody knows.
func (d *goDirectory) value(name string) (*goFile, ast.Expr, bool) {
	var in *goFile
	var value ast.Expr
	for _, f := range d.load() {
		for obj, values := range f.given {
			if obj == nil || obj.Name() != name || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
				continue
			}
			if in != nil || len(values) != 1 || values[0] == nil {
				return nil, nil, false
			}
			in, value = f, values[0]
		}
	}
	return in, value, in != nil
}

// function is the declaration of a function of the package, in the same way.
func (d *goDirectory) function(name string) (*goFile, *ast.FuncDecl) {
	var in *goFile
	var found *ast.FuncDecl
	for _, f := range d.load() {
		for _, decl := range f.tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name != name {
				continue
			}
			if found != nil {
				return nil, nil
			}
			in, found = f, fn
		}
	}
	return in, found
}
