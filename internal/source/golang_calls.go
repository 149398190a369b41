package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The kinds of clients whose calls are looked at, as they are written in Go.
const (
	confluentProducer = "kafka.Producer"
	confluentConsumer = "kafka.Consumer"
	kgoClient         = "kgo.Client"
	kgoSession        = "kgo.GroupTransactSession"
)

// goFunc is one function of a file, with the functions in it, and the calls on clients
// there in the order in which they are written.
type goFunc struct {
	f      *goFile
	decl   *ast.FuncDecl
	parent map[ast.Node]ast.Node
	calls  []goCall
}

// goCall is a call of a method on a client.
type goCall struct {
	*ast.CallExpr
	kind   string       // of the client
	client types.Object // the variable or field that it is in
	method string
	at     token.Pos // of the method's name
}

// functions takes every function of a file apart.
func (f *goFile) functions() []*goFunc {
	var all []*goFunc
	for _, d := range f.tree.Decls {
		if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
			fn := &goFunc{f: f, decl: decl, parent: map[ast.Node]ast.Node{}}
			fn.read()
			all = append(all, fn)
		}
	}
	return all
}

func (fn *goFunc) read() {
	var stack []ast.Node
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			fn.parent[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		if call, ok := n.(*ast.CallExpr); ok {
			fn.add(call)
		}
		return true
	})
	slices.SortFunc(fn.calls, func(a, b goCall) int { return int(a.at - b.at) })
}

func (fn *goFunc) add(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	if kind, client := fn.f.client(sel.X); kind != "" {
		fn.calls = append(fn.calls, goCall{CallExpr: call, kind: kind, client: client, method: sel.Sel.Name, at: sel.Sel.Pos()})
	}
}

// client is the kind of client that an expression is, and the variable or field that it is
// in. kind is "" for anything that is not known to be one.
func (f *goFile) client(e ast.Expr) (kind string, in types.Object) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		in = f.object(e)
		if _, value, ok := f.definition(e); ok {
			if call, isCall := value.(*ast.CallExpr); isCall {
				kind = f.made(call)
			}
		}
	case *ast.SelectorExpr:
		in = f.info.Uses[e.Sel]
	}
	if in == nil {
		return "", nil
	}
	if kind == "" {
		kind = f.clientType(f.typed[in])
	}
	return kind, in
}

// made is the kind of client that a call returns.
func (f *goFile) made(call *ast.CallExpr) string {
	switch pack, name := f.member(call.Fun); pack + "." + name {
	case confluentPath + ".NewProducer":
		return confluentProducer
	case confluentPath + ".NewConsumer":
		return confluentConsumer
	case kgoPath + ".NewClient":
		return kgoClient
	case kgoPath + ".NewGroupTransactSession":
		return kgoSession
	}
	return ""
}

// clientType is the kind of client that a declared type is.
func (f *goFile) clientType(t ast.Expr) string {
	star, ok := t.(*ast.StarExpr)
	if !ok {
		return ""
	}
	switch pack, name := f.member(star.X); pack + "." + name {
	case confluentPath + ".Producer":
		return confluentProducer
	case confluentPath + ".Consumer":
		return confluentConsumer
	case kgoPath + ".Client":
		return kgoClient
	case kgoPath + ".GroupTransactSession":
		return kgoSession
	}
	return ""
}

// of are the calls of some methods on one client.
func (fn *goFunc) of(client types.Object, methods ...string) []goCall {
	var all []goCall
	for _, c := range fn.calls {
		if c.client == client && slices.Contains(methods, c.method) {
			all = append(all, c)
		}
	}
	return all
}

// clients are the clients of a kind that the function calls.
func (fn *goFunc) clients(kinds ...string) []types.Object {
	var all []types.Object
	for _, c := range fn.calls {
		if slices.Contains(kinds, c.kind) && !slices.Contains(all, c.client) {
			all = append(all, c.client)
		}
	}
	return all
}

// dropped reports whether nobody looks at the result of a call.
func (fn *goFunc) dropped(call ast.Node) bool {
	switch p := fn.parent[call].(type) {
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt:
		return true
	case *ast.ParenExpr:
		return fn.dropped(p)
	case *ast.AssignStmt:
		return !slices.ContainsFunc(p.Lhs, func(left ast.Expr) bool {
			id, ok := left.(*ast.Ident)
			return !ok || id.Name != "_"
		})
	}
	return false
}

// own reports whether a client is made in the function and never leaves it: nobody else
// can read its reports, or flush it.
func (fn *goFunc) own(client types.Object) bool {
	values := fn.f.given[client]
	if len(values) != 1 || values[0] == nil || values[0].Pos() < fn.decl.Pos() || values[0].End() > fn.decl.End() {
		return false
	}
	own := true
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || fn.f.info.Uses[id] != client {
			return true
		}
		switch p := fn.parent[id].(type) {
		case *ast.SelectorExpr:
			_, called := fn.parent[p].(*ast.CallExpr)
			own = own && called
		case *ast.BinaryExpr, *ast.AssignStmt:
			if a, ok := p.(*ast.AssignStmt); ok && slices.Contains(a.Rhs, ast.Expr(id)) && !fn.dropped(id) {
				own = false
			}
		default:
			own = false
		}
		return true
	})
	return own
}

// waits reports whether something in the function waits for something else between two
// places: a receive, a range over what may be a channel, a Wait.
func (fn *goFunc) waits(from, to token.Pos) bool {
	found := false
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		if n == nil || n.Pos() < from || n.Pos() > to {
			return n == nil || n.Pos() <= to
		}
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SelectStmt:
			found = true
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Wait", "Err", "Len", "BufferedProduceRecords"}, sel.Sel.Name) {
				found = true
			}
		}
		return true
	})
	return found
}

func (f *goFile) fact(rule string, at token.Pos, about string, args map[string]string) Fact {
	return Fact{Rule: rule, At: f.at(at), About: about, Args: args}
}
