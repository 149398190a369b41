package source

import (
	"go/ast"
	"go/types"
	"slices"
)

// transactionFacts are transactions that are committed without a look at what became of
// their records, or at what became of the commit.
func (fn *goFunc) transactionFacts() []Fact {
	var facts []Fact
	for _, client := range fn.clients(kgoClient, kgoSession) {
		facts = append(facts, fn.kgoTransactions(client)...)
	}
	for _, client := range fn.clients(confluentProducer) {
		for _, c := range fn.of(client, "CommitTransaction") {
			if fn.dropped(c.CallExpr) {
				facts = append(facts, fn.f.fact("commit-result-ignored", c.at, c.method, nil))
			}
		}
	}
	return facts
}

// kgoTransactions looks at each commit of a client, and at what was produced since the one
// before: EndTransaction and End return nil for a transaction in which records failed, and
// EndTransaction does not wait for records (franz-go pkg/kgo/txn.go; measured with kgo
// v1.22.3, where a commit with a record that was too large committed the others).
func (fn *goFunc) kgoTransactions(client types.Object) []Fact {
	var facts []Fact
	var since []goCall
	for _, c := range fn.of(client, "Produce", "TryProduce", "ProduceSync", "Flush", "EndTransaction", "End", "EndAndBeginTransaction") {
		switch c.method {
		case "EndTransaction", "End", "EndAndBeginTransaction":
			if fn.commits(c) {
				facts = append(facts, fn.commit(c, since)...)
			}
			since = nil
		default:
			since = append(since, c)
		}
	}
	return facts
}

// commits reports whether a call commits in any case, and not after a look at something.
func (fn *goFunc) commits(c goCall) bool {
	return slices.ContainsFunc(c.Args, func(a ast.Expr) bool { return fn.f.is(a, kgoPath, "TryCommit") })
}

func (fn *goFunc) commit(c goCall, since []goCall) []Fact {
	var facts []Fact
	if fn.dropped(c.CallExpr) {
		facts = append(facts, fn.f.fact("commit-result-ignored", c.at, c.method, nil))
	}
	if i := slices.IndexFunc(since, fn.unseen); i >= 0 {
		facts = append(facts, fn.f.fact("commit-unchecked", c.at, c.method, map[string]string{"produce": since[i].method}))
	}
	last := slices.IndexFunc(since, func(s goCall) bool { return s.method == "Produce" || s.method == "TryProduce" })
	flushed := slices.ContainsFunc(since, func(s goCall) bool { return s.method == "Flush" })
	if c.method == "EndTransaction" && last >= 0 && !flushed && !fn.waits(since[last].Pos(), c.Pos()) && !fn.handedOn(c.client, since[last], c) {
		facts = append(facts, fn.f.fact("commit-unflushed", c.at, c.method, map[string]string{"produce": since[last].method}))
	}
	return facts
}

// unseen reports whether a record's outcome is seen by nobody: its promise is nil or does
// not take the error, or the results of ProduceSync are dropped.
func (fn *goFunc) unseen(c goCall) bool {
	if c.method == "ProduceSync" {
		return fn.dropped(c.CallExpr)
	}
	if len(c.Args) != 3 {
		return false
	}
	promise, ok := ast.Unparen(c.Args[2]).(*ast.FuncLit)
	if !ok {
		return fn.f.info.Types[c.Args[2]].IsNil() || isNil(c.Args[2])
	}
	params := promise.Type.Params.List
	last := params[len(params)-1]
	if len(last.Names) == 0 {
		return true
	}
	return !fn.f.mentions(promise.Body, fn.f.object(last.Names[len(last.Names)-1]))
}

// isNil is nil in a call of which nothing else is known.
func isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}

// mentions reports whether a variable stands anywhere in a node.
func (f *goFile) mentions(n ast.Node, obj types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && obj != nil && f.info.Uses[id] == obj {
			found = true
		}
		return !found
	})
	return found
}

// handedOn reports whether the client, or what it is a field of, is given to another
// function between two calls: that may flush it.
func (fn *goFunc) handedOn(client types.Object, from, to goCall) bool {
	handed := false
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() <= from.Pos() || call.Pos() >= to.Pos() {
			return true
		}
		for _, a := range call.Args {
			handed = handed || fn.f.mentions(a, client)
		}
		if _, method := ast.Unparen(call.Fun).(*ast.SelectorExpr); method {
			_, decl := fn.f.function(call)
			handed = handed || decl != nil
		}
		return true
	})
	return handed
}
