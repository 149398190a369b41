package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// goCommitters are the calls that take the offset of the next record to read.
var goCommitters = map[string][]string{
	confluentConsumer: {"CommitOffsets", "StoreOffsets"},
	confluentProducer: {"SendOffsetsToTransaction"},
	kgoClient:         {"CommitOffsets", "CommitOffsetsSync", "MarkCommitOffsets"},
}

// offsetFacts are offsets of a record itself where that of the next one is meant.
func (fn *goFunc) offsetFacts() []Fact {
	var facts []Fact
	for _, c := range fn.calls {
		if !slices.Contains(goCommitters[c.kind], c.method) {
			continue
		}
		for _, a := range c.Args {
			facts = append(facts, fn.recordOffsets(c, a)...)
		}
	}
	return facts
}

// recordOffsets are the offsets of records within an argument, also where a variable holds
// the list.
func (fn *goFunc) recordOffsets(c goCall, arg ast.Expr) []Fact {
	var facts []Fact
	found := func(at ast.Node) {
		facts = append(facts, fn.f.fact("offset-not-next", at.Pos(), c.method, map[string]string{"offset": fn.f.source(at)}))
	}
	for _, value := range fn.values(arg) {
		ast.Inspect(value, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					if fn.isPartitionOf(e) {
						found(e) // the TopicPartition of a message, as it came
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Offset" && fn.isRecordOffset(n.Value) {
					found(n.Value)
				}
			}
			return true
		})
	}
	return facts
}

// values are the expressions that an argument may be: itself, or what its variable is set
// to in the function.
func (fn *goFunc) values(arg ast.Expr) []ast.Expr {
	obj, ok := fn.f.object(arg).(*types.Var)
	if !ok {
		return []ast.Expr{arg}
	}
	var all []ast.Expr
	for _, v := range fn.f.given[obj] {
		if v != nil && v.Pos() > fn.decl.Pos() && v.End() < fn.decl.End() {
			all = append(all, v)
		}
	}
	return all
}

// isRecordOffset is msg.TopicPartition.Offset, or the Offset of something that is known to
// be a record; also through a conversion.
func (fn *goFunc) isRecordOffset(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 {
		if p, name := fn.f.member(call.Fun); p == confluentPath && name == "Offset" || fn.f.info.Types[call.Fun].IsType() {
			return fn.isRecordOffset(call.Args[0])
		}
	}
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Offset" {
		return false
	}
	return fn.isPartitionOf(sel.X) || fn.isRecord(sel.X)
}

// isPartitionOf is the TopicPartition of a message that nobody has changed, also where a
// variable holds it.
func (fn *goFunc) isPartitionOf(e ast.Expr) bool {
	if _, value, ok := fn.f.definition(e); ok && !fn.advanced(fn.f.object(e)) {
		e = value
	}
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "TopicPartition" {
		return false
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	return ok && !fn.advanced(fn.f.object(id))
}

// advanced reports whether the offset of a message is written to: msg.TopicPartition.Offset++.
func (fn *goFunc) advanced(message types.Object) bool {
	found := false
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			found = found || fn.f.mentions(n.X, message)
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if _, whole := left.(*ast.Ident); !whole || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
					found = found || fn.f.mentions(left, message)
				}
			}
		}
		return true
	})
	return found
}

// isRecord reports whether an expression is a *kgo.Record: a parameter of that type, what
// an iterator's Next returns, or an element of Records().
func (fn *goFunc) isRecord(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	obj := fn.f.object(id)
	if obj == nil || fn.advanced(obj) {
		return false
	}
	if star, ok := fn.f.typed[obj].(*ast.StarExpr); ok {
		return fn.f.is(star.X, kgoPath, "Record")
	}
	if values := fn.f.given[obj]; len(values) == 1 && values[0] != nil {
		return calls(values[0], "Next")
	}
	return fn.rangesOver(obj)
}

// rangesOver reports whether a variable is the value of a loop over Records().
func (fn *goFunc) rangesOver(obj types.Object) bool {
	found := false
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if ok && loop.Value != nil && fn.f.object(loop.Value) == obj && (calls(loop.X, "Records") || fn.recordsVariable(loop.X)) {
			found = true
		}
		return !found
	})
	return found
}

// recordsVariable is a variable that was set to Records() once.
func (fn *goFunc) recordsVariable(e ast.Expr) bool {
	_, value, ok := fn.f.definition(e)
	return ok && calls(value, "Records")
}

// calls reports whether an expression is a call of a method with that name and no
// arguments.
func calls(e ast.Expr, method string) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == method
}
