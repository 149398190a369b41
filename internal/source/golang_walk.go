package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// goWalker goes through the functions of a file in the order in which they run, and keeps
// what each variable holds that is a ConfigMap or a list of kgo options.
type goWalker struct {
	f       *goFile
	vars    map[types.Object]*goSettings
	path    []ast.Node // the branches and loops around
	depth   int        // of calls that are followed
	made    []*goSettings
	clients []goClient
	results []*goSettings // what the function that is walked returns
	returns int
}

// goClient is a call that makes a client.
type goClient struct {
	call     *ast.CallExpr
	in       *goFile
	maker    string // "NewProducer"; "" for settings that are given to nothing
	settings *goSettings
	entries  []goEntry
}

func newGoWalker(f *goFile) *goWalker {
	return &goWalker{f: f, vars: map[types.Object]*goSettings{}}
}

// file walks the whole file: variables of the package first, for functions use them.
func (w *goWalker) file() {
	for _, decl := range w.f.tree.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok {
			w.decl(gen)
		}
	}
	for _, decl := range w.f.tree.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			w.path = nil
			w.block(fn.Body)
		}
	}
}

func (w *goWalker) decl(gen *ast.GenDecl) {
	for _, spec := range gen.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			for i, value := range v.Values {
				s := w.expr(value)
				if s != nil && i < len(v.Names) {
					w.vars[w.f.object(v.Names[i])] = s
				}
			}
			w.declareEmpty(v)
		}
	}
}

// declareEmpty is `var opts []kgo.Opt`.
func (w *goWalker) declareEmpty(v *ast.ValueSpec) {
	if len(v.Values) > 0 || v.Type == nil {
		return
	}
	if options, ok := w.f.settingsType(v.Type); ok {
		for _, name := range v.Names {
			w.vars[w.f.object(name)] = &goSettings{options: options, in: w.f, at: name}
		}
	}
}

func (w *goWalker) block(b *ast.BlockStmt) {
	if b != nil {
		w.statements(b.List)
	}
}

func (w *goWalker) statements(list []ast.Stmt) {
	for _, s := range list {
		w.statement(s)
	}
}

// branch walks statements that may not run, or run several times.
func (w *goWalker) branch(n ast.Node, list []ast.Stmt) {
	outer := w.path
	w.path = append(slices.Clip(outer), n)
	w.statements(list)
	w.path = outer
}

func (w *goWalker) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s)
	case *ast.LabeledStmt:
		w.statement(s.Stmt)
	case *ast.ExprStmt:
		w.expr(s.X)
	case *ast.DeferStmt:
		w.expr(s.Call)
	case *ast.GoStmt:
		w.expr(s.Call)
	case *ast.SendStmt:
		w.expr(s.Value)
	case *ast.DeclStmt:
		w.decl(s.Decl.(*ast.GenDecl))
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.ReturnStmt:
		w.returned(s)
	case *ast.IfStmt:
		w.ifElse(s)
	case *ast.ForStmt:
		w.optional(s.Init)
		w.branch(s, append(slices.Clip(s.Body.List), goPresent(s.Post)...))
	case *ast.RangeStmt:
		w.ranged(s)
	case *ast.SwitchStmt:
		w.optional(s.Init)
		w.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		w.optional(s.Init)
		w.clauses(s.Body)
	case *ast.SelectStmt:
		w.clauses(s.Body)
	}
}

func goPresent(s ast.Stmt) []ast.Stmt {
	if s == nil {
		return nil
	}
	return []ast.Stmt{s}
}

func (w *goWalker) optional(s ast.Stmt) {
	if s != nil {
		w.statement(s)
	}
}

func (w *goWalker) ifElse(s *ast.IfStmt) {
	w.optional(s.Init)
	w.expr(s.Cond)
	w.branch(s, s.Body.List)
	if s.Else != nil {
		w.branch(s.Else, []ast.Stmt{s.Else})
	}
}

func (w *goWalker) clauses(body *ast.BlockStmt) {
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			w.branch(c, c.Body)
		case *ast.CommClause:
			w.branch(c, append(goPresent(c.Comm), c.Body...))
		}
	}
}

// ranged knows the loop that copies one map into another.
func (w *goWalker) ranged(s *ast.RangeStmt) {
	source := w.expr(s.X)
	if source != nil && len(s.Body.List) == 1 {
		if set, ok := s.Body.List[0].(*ast.AssignStmt); ok && len(set.Lhs) == 1 {
			if to, ok := set.Lhs[0].(*ast.IndexExpr); ok && goSameName(to.Index, s.Key) && goSameName(set.Rhs[0], s.Value) {
				if target := w.expr(to.X); target != nil {
					target.merge(source, w.path)
					return
				}
			}
		}
	}
	w.branch(s, s.Body.List)
}

func goSameName(a, b ast.Expr) bool {
	x, okX := a.(*ast.Ident)
	y, okY := b.(*ast.Ident)
	return okX && okY && x.Name == y.Name
}

func (w *goWalker) assign(s *ast.AssignStmt) {
	for i, right := range s.Rhs {
		value := w.expr(right)
		if len(s.Rhs) != len(s.Lhs) && i > 0 {
			continue
		}
		switch left := ast.Unparen(s.Lhs[i]).(type) {
		case *ast.IndexExpr:
			if target := w.expr(left.X); target != nil && !target.options && s.Tok == token.ASSIGN {
				w.set(target, left.Index, right)
			}
		case *ast.Ident:
			if obj := w.f.object(left); obj != nil && value != nil {
				w.vars[obj] = value
			}
		}
	}
}

func (w *goWalker) returned(s *ast.ReturnStmt) {
	for i, e := range s.Results {
		value := w.expr(e)
		if i == 0 {
			w.returns++
			if value != nil {
				c := value.clone()
				c.entries = value.settled(w.path)
				w.results = append(w.results, c)
			}
		}
	}
}
