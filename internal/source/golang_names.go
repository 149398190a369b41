package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

const (
	confluentPath = "github.com/confluentinc/confluent-kafka-go/kafka"
	kgoPath       = "github.com/twmb/franz-go/pkg/kgo"
)

// goGuessed are the packages that a listing without imports means by these names.
var goGuessed = map[string]string{
	"kafka": confluentPath,
	"kgo":   kgoPath,
	"time":  "time", "os": "os", "fmt": "fmt", "strconv": "strconv", "strings": "strings",
	"maps": "maps", "slices": "slices", "rand": "math/rand",
	"uuid": "github.com/google/uuid", "xid": "github.com/rs/xid", "ksuid": "github.com/segmentio/ksuid",
}

// member is the package and the name of an expression like kgo.NewClient; both are empty
// for anything else.
func (f *goFile) member(e ast.Expr) (pack, name string) {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	switch obj := f.object(id).(type) {
	case *types.PkgName:
		return goWithoutMajor(obj.Imported().Path()), sel.Sel.Name
	case nil:
		// A path that ends in v5 does not tell its package's name, and a listing has no paths.
		if path, known := goGuessed[id.Name]; known && (f.listing || f.imported(path)) {
			return path, sel.Sel.Name
		}
	}
	return "", ""
}

func (f *goFile) imported(path string) bool {
	for _, spec := range f.tree.Imports {
		if goWithoutMajor(strings.Trim(spec.Path.Value, "`\"")) == path {
			return true
		}
	}
	return false
}

// goWithoutMajor makes one path of those of a module's major versions.
func goWithoutMajor(path string) string {
	var kept []string
	for part := range strings.SplitSeq(path, "/") {
		if len(part) > 1 && part[0] == 'v' && strings.Trim(part[1:], "0123456789") == "" {
			continue
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, "/")
}

// is reports whether an expression is that member of a package.
func (f *goFile) is(e ast.Expr, pack, name string) bool {
	p, n := f.member(e)
	return p == pack && n == name
}

// object is the variable or function that a name stands for; nil where the file does not
// say.
func (f *goFile) object(e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	if obj := f.info.Uses[id]; obj != nil {
		return obj
	}
	if obj := f.info.Defs[id]; obj != nil {
		return obj
	}
	// The keys of a literal whose type is not known are not resolved: they may be fields.
	if in := f.scope.Innermost(id.Pos()); in != nil {
		_, obj := in.LookupParent(id.Name, id.Pos())
		return obj
	}
	return nil
}

// declare lists the functions of a file, and what is assigned to each variable.
func (f *goFile) declare() {
	f.funcs, f.given = map[types.Object]*ast.FuncDecl{}, map[types.Object][]ast.Expr{}
	f.typed = map[types.Object]ast.Expr{}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.funcs[f.info.Defs[n.Name]] = n
		case *ast.FuncType:
			for _, param := range n.Params.List {
				for _, name := range param.Names {
					f.give(name, nil)
				}
			}
		case *ast.Field:
			for _, name := range n.Names {
				f.typed[f.object(name)] = n.Type
			}
		case *ast.ValueSpec:
			f.declareNames(n)
		case *ast.AssignStmt:
			f.assign(n)
		case *ast.IncDecStmt:
			f.give(n.X, nil)
		case *ast.RangeStmt:
			f.give(n.Key, nil)
			f.give(n.Value, nil)
		case *ast.UnaryExpr:
			// Whoever has the address may write there; &cfg of a map is how a client gets it.
			if n.Op == token.AND {
				f.addressed(n.X)
			}
		}
		return true
	})
}

func (f *goFile) declareNames(spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		f.typed[f.object(name)] = spec.Type
		switch {
		case i < len(spec.Values) && len(spec.Values) == len(spec.Names):
			f.give(name, spec.Values[i])
		case len(spec.Values) > 0 && i == 0:
			f.give(name, spec.Values[0]) // x, err = call()
		default:
			f.give(name, nil)
		}
	}
}

func (f *goFile) assign(s *ast.AssignStmt) {
	for i, left := range s.Lhs {
		switch {
		case s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
			f.give(left, nil)
		case len(s.Lhs) == len(s.Rhs):
			f.give(left, s.Rhs[i])
		case i == 0:
			f.give(left, s.Rhs[0]) // x, err := call()
		default:
			f.give(left, nil)
		}
	}
}

func (f *goFile) addressed(e ast.Expr) {
	if obj, ok := f.object(e).(*types.Var); ok && goBasic(obj.Type()) {
		f.given[obj] = append(f.given[obj], nil)
	}
}

func goBasic(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() != types.Invalid
}

func (f *goFile) give(left, value ast.Expr) {
	if left == nil {
		return
	}
	if obj := f.object(left); obj != nil {
		f.given[obj] = append(f.given[obj], value)
	}
}

// definition is the expression that a name always stands for, with the file where it is
// written: of a constant, or of a variable that is set once. ok is false where there is
// none.
func (f *goFile) definition(e ast.Expr) (in *goFile, value ast.Expr, ok bool) {
	id, isName := ast.Unparen(e).(*ast.Ident)
	if !isName {
		return nil, nil, false
	}
	obj := f.object(id)
	if obj == nil {
		return f.beside.value(id.Name)
	}
	values := f.given[obj]
	if len(values) != 1 || values[0] == nil {
		return nil, nil, false
	}
	return f, values[0], true
}

// function is the declaration of what a call calls, with its file: of this file, or by
// name of one beside it.
func (f *goFile) function(call *ast.CallExpr) (*goFile, *ast.FuncDecl) {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		if obj := f.info.Uses[fun.Sel]; obj != nil && f.funcs[obj] != nil {
			return f, f.funcs[obj]
		}
	case *ast.Ident:
		obj := f.object(fun)
		if obj == nil {
			return f.beside.function(fun.Name)
		}
		if decl := f.funcs[obj]; decl != nil {
			return f, decl
		}
	}
	return nil, nil
}
