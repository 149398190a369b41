package source

import (
	"go/ast"
	"go/types"
	"slices"
)

// reportFacts are producers whose records nobody waits for, and reports that nobody reads.
// Only a producer that never leaves the function is judged.
func (fn *goFunc) reportFacts(made []goClient) []Fact {
	var facts []Fact
	for _, client := range fn.clients(confluentProducer, kgoClient) {
		if !fn.own(client) {
			continue
		}
		facts = append(facts, fn.unflushed(client)...)
		facts = append(facts, fn.flushIgnored(client)...)
		if fn.reportsOn(client, made) {
			facts = append(facts, fn.unread(client)...)
		}
	}
	for _, client := range fn.clients(confluentProducer) {
		facts = append(facts, fn.unreadChannels(client)...)
	}
	return facts
}

// unflushed is a producer that is closed, or whose program ends, while records may be
// waiting in it.
func (fn *goFunc) unflushed(client types.Object) []Fact {
	sent := fn.of(client, "Produce", "TryProduce")
	ends := fn.of(client, "Flush", "CommitTransaction", "EndTransaction", "AbortTransaction", "ProduceChannel", "Len")
	if len(sent) == 0 || len(ends) > 0 || fn.waits(sent[0].Pos(), fn.decl.End()) || fn.endless() {
		return nil
	}
	if closed := fn.of(client, "Close", "CloseAllowingRebalance"); len(closed) > 0 {
		return []Fact{fn.f.fact("missing-flush", closed[0].at, sent[0].method, map[string]string{"client": closed[0].kind})}
	}
	if fn.decl.Name.Name == "main" && fn.decl.Recv == nil {
		return []Fact{fn.f.fact("missing-flush", sent[0].at, sent[0].method, map[string]string{"client": sent[0].kind})}
	}
	return nil
}

// endless reports whether the function has a loop without an end, so that what is behind
// it may never run.
func (fn *goFunc) endless() bool {
	found := false
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		if loop, ok := n.(*ast.ForStmt); ok && loop.Cond == nil {
			found = true
		}
		return !found
	})
	return found
}

// flushIgnored is a Flush before the end whose result, what is still waiting, is dropped.
func (fn *goFunc) flushIgnored(client types.Object) []Fact {
	var facts []Fact
	for _, c := range fn.of(client, "Flush") {
		if c.kind == confluentProducer && fn.dropped(c.CallExpr) {
			facts = append(facts, fn.f.fact("flush-result-ignored", c.at, c.method, nil))
		}
	}
	return facts
}

// reportsOn reports whether a producer of confluent-kafka-go sends its reports to Events().
func (fn *goFunc) reportsOn(client types.Object, made []goClient) bool {
	value := fn.f.given[client][0] // own has looked
	i := slices.IndexFunc(made, func(c goClient) bool { return ast.Expr(c.call) == value })
	if i < 0 || made[i].maker != "NewProducer" || made[i].settings.open {
		return false
	}
	return !slices.ContainsFunc(made[i].entries, func(e goEntry) bool { return e.Key == "go.delivery.reports" || e.Key == "go.events.channel.size" })
}

// unread is a producer whose reports go to Events(), where nobody reads them. A
// transaction tells by its commit whether a record failed.
func (fn *goFunc) unread(client types.Object) []Fact {
	if len(fn.of(client, "Events", "BeginTransaction", "InitTransactions", "String")) > 0 {
		return nil
	}
	for _, c := range fn.of(client, "Produce") {
		if len(c.Args) == 2 && isNil(c.Args[1]) {
			return []Fact{fn.f.fact("events-unread", c.at, c.method, nil)}
		}
	}
	return nil
}

// unreadChannels are delivery channels that are made in the function, given to Produce and
// to nothing else, and from which nobody receives.
func (fn *goFunc) unreadChannels(client types.Object) []Fact {
	var facts []Fact
	seen := map[types.Object]bool{}
	for _, c := range fn.of(client, "Produce") {
		if len(c.Args) != 2 {
			continue
		}
		channel := fn.f.object(c.Args[1])
		if channel == nil || seen[channel] || !fn.madeHere(channel) || fn.received(channel) {
			continue
		}
		seen[channel] = true
		facts = append(facts, fn.f.fact("events-unread", c.at, c.method, map[string]string{"channel": channel.Name()}))
	}
	return facts
}

// madeHere reports whether a variable is a channel that the function makes.
func (fn *goFunc) madeHere(channel types.Object) bool {
	values := fn.f.given[channel]
	if len(values) != 1 || values[0] == nil || values[0].Pos() < fn.decl.Pos() || values[0].End() > fn.decl.End() {
		return false
	}
	call, ok := values[0].(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	_, isChan := call.Args[0].(*ast.ChanType)
	return isChan
}

// received reports whether a channel is used for anything but Produce and close: it is
// received from, or given to somebody who may.
func (fn *goFunc) received(channel types.Object) bool {
	used := false
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || fn.f.info.Uses[id] != channel {
			return true
		}
		used = used || !fn.sendsOnly(id)
		return true
	})
	return used
}

func (fn *goFunc) sendsOnly(id *ast.Ident) bool {
	call, ok := fn.parent[id].(*ast.CallExpr)
	if !ok {
		return false
	}
	if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "close" {
		return true
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Produce"
}
