package source

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// expr walks an expression, and returns the ConfigMap or list of options that it is; nil
// for anything else.
func (w *goWalker) expr(e ast.Expr) *goSettings {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return w.expr(e.X)
	case *ast.StarExpr:
		return w.expr(e.X)
	case *ast.Ident:
		return w.named(e)
	case *ast.CompositeLit:
		return w.literal(e, e.Type)
	case *ast.CallExpr:
		return w.call(e)
	case *ast.FuncLit:
		w.function(e)
	case *ast.SelectorExpr:
		w.expr(e.X)
	case *ast.BinaryExpr:
		w.expr(e.X)
		w.expr(e.Y)
	case *ast.IndexExpr:
		w.expr(e.X)
	case *ast.TypeAssertExpr:
		return w.expr(e.X)
	}
	return nil
}

// function walks a function literal, which runs at another time than what is around it.
func (w *goWalker) function(lit *ast.FuncLit) {
	results, returns := w.results, w.returns
	w.branch(lit, lit.Body.List)
	w.results, w.returns = results, returns
}

func (w *goWalker) named(id *ast.Ident) *goSettings {
	obj := w.f.object(id)
	if obj != nil {
		return w.vars[obj]
	}
	in, value, ok := w.f.beside.value(id.Name)
	if !ok || w.depth > goDepth {
		return nil
	}
	other := newGoWalker(in)
	other.depth = w.depth + 1
	return other.expr(value)
}

// settingsType reports whether a type is a ConfigMap, a pointer to one, or a list of kgo
// options.
func (f *goFile) settingsType(t ast.Expr) (options, ok bool) {
	switch t := t.(type) {
	case *ast.StarExpr:
		return f.settingsType(t.X)
	case *ast.ArrayType:
		return true, f.isOption(t.Elt)
	case *ast.Ellipsis:
		return true, f.isOption(t.Elt)
	}
	return false, f.is(t, confluentPath, "ConfigMap")
}

func (f *goFile) isOption(t ast.Expr) bool {
	pack, name := f.member(t)
	return pack == kgoPath && slices.Contains([]string{"Opt", "ProducerOpt", "ConsumerOpt", "GroupOpt"}, name)
}

// literal is a composite literal; t is its type, which the literal around it may say.
func (w *goWalker) literal(lit *ast.CompositeLit, t ast.Expr) *goSettings {
	options, ok := w.f.settingsType(t)
	if !ok {
		w.elements(lit, t)
		return nil
	}
	s := w.begin(options, lit)
	if options {
		w.options(s, lit.Elts, false)
		return s
	}
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			w.set(s, pair.Key, pair.Value)
		}
	}
	return s
}

func (w *goWalker) begin(options bool, at ast.Node) *goSettings {
	s := &goSettings{options: options, in: w.f, at: at, home: w.path}
	s.from = []ast.Node{at}
	w.made = append(w.made, s)
	return s
}

func (w *goWalker) elements(lit *ast.CompositeLit, t ast.Expr) {
	var inner ast.Expr
	switch t := t.(type) {
	case *ast.ArrayType:
		inner = t.Elt
	case *ast.MapType:
		inner = t.Value
	}
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if nested, ok := e.(*ast.CompositeLit); ok && nested.Type == nil {
			w.literal(nested, inner)
			continue
		}
		w.expr(e)
	}
}

// set is m[key] = value.
func (w *goWalker) set(s *goSettings, key, value ast.Expr) {
	name := w.f.value(key)
	if name.Kind != Text {
		s.open = true
		return
	}
	if nested := w.expr(value); nested != nil {
		s.merge(nested, w.path) // default.topic.config is a ConfigMap in a ConfigMap
		return
	}
	v := w.f.value(value)
	s.entries = append(s.entries, goEntry{
		Entry:  Entry{Key: strings.TrimPrefix(name.Text, "{topic}."), KeyAt: w.f.at(key.Pos()), Value: v.Value},
		goType: v.goType, in: w.f, path: w.path,
	})
}

// call walks a call: it may make a client, change settings, or return them.
func (w *goWalker) call(c *ast.CallExpr) *goSettings {
	if lit, ok := ast.Unparen(c.Fun).(*ast.FuncLit); ok {
		w.arguments(c.Args)
		w.function(lit)
		return nil
	}
	if options, ok := w.f.settingsType(c.Fun); ok {
		return w.converted(c, options)
	}
	pack, name := w.f.member(c.Fun)
	switch {
	case pack == confluentPath && slices.Contains([]string{"NewProducer", "NewConsumer", "NewAdminClient"}, name):
		return w.confluentClient(c, name)
	case pack == kgoPath && (name == "NewClient" || name == "NewGroupTransactSession"):
		return w.kgoClient(c, name)
	case pack == "maps" || pack == "slices":
		return w.copied(c, name)
	case pack != "":
		w.arguments(c.Args)
		return nil
	}
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
		return w.method(c, sel)
	}
	if id, ok := c.Fun.(*ast.Ident); ok {
		if _, builtin := w.f.info.Uses[id].(*types.Builtin); builtin {
			return w.builtin(c, id.Name)
		}
	}
	return w.followed(c)
}

func (w *goWalker) arguments(args []ast.Expr) []*goSettings {
	all := make([]*goSettings, len(args))
	for i, a := range args {
		all[i] = w.expr(a)
	}
	return all
}

// converted is kafka.ConfigMap(x), or []kgo.Opt(nil).
func (w *goWalker) converted(c *ast.CallExpr, options bool) *goSettings {
	for _, s := range w.arguments(c.Args) {
		if s != nil {
			return s
		}
	}
	s := w.begin(options, c)
	s.open = len(c.Args) == 1 && !w.f.info.Types[c.Args[0]].IsNil()
	return s
}

// copied is a call of package maps or slices.
func (w *goWalker) copied(c *ast.CallExpr, name string) *goSettings {
	args := w.arguments(c.Args)
	if len(args) == 0 || args[0] == nil {
		return nil
	}
	switch name {
	case "Clone":
		return args[0].clone()
	case "Copy":
		if len(args) == 2 && args[1] != nil {
			args[0].merge(args[1], w.path)
		}
	case "Concat":
		s := args[0].clone()
		for _, more := range args[1:] {
			w.add(s, more)
		}
		return s
	}
	return nil
}

// add merges settings into others; nil are settings that nobody knows.
func (w *goWalker) add(s, more *goSettings) {
	if more == nil {
		s.open = true
		return
	}
	s.merge(more, w.path)
}

// method is a call of a method: those of ConfigMap, or one that returns settings.
func (w *goWalker) method(c *ast.CallExpr, sel *ast.SelectorExpr) *goSettings {
	target := w.expr(sel.X)
	if target == nil || target.options {
		return w.followed(c)
	}
	switch {
	case sel.Sel.Name == "SetKey" && len(c.Args) == 2:
		w.set(target, c.Args[0], c.Args[1])
	case sel.Sel.Name == "Set" && len(c.Args) == 1:
		w.setPair(target, c.Args[0])
	}
	return nil
}

// setPair is m.Set("key=value").
func (w *goWalker) setPair(s *goSettings, pair ast.Expr) {
	v := w.f.value(pair)
	key, value, ok := strings.Cut(v.Text, "=")
	if v.Kind != Text || !ok {
		s.open = true
		return
	}
	at := w.f.at(pair.Pos())
	s.entries = append(s.entries, goEntry{
		Entry:  Entry{Key: key, KeyAt: at, Value: Value{Kind: Text, Text: value, Source: v.Source, At: at}},
		goType: "string", in: w.f, path: w.path,
	})
}

func (w *goWalker) builtin(c *ast.CallExpr, name string) *goSettings {
	switch name {
	case "append":
		return w.appended(c)
	case "make", "new":
		if options, ok := w.f.settingsType(c.Args[0]); ok {
			return w.begin(options, c)
		}
	case "delete":
		if s := w.expr(c.Args[0]); s != nil && len(c.Args) == 2 {
			if key := w.f.value(c.Args[1]); key.Kind == Text {
				s.remove(key.Text)
			}
		}
		return nil
	}
	w.arguments(c.Args)
	return nil
}

// appended is append(options, more...): a list of its own, for the other one stays.
func (w *goWalker) appended(c *ast.CallExpr) *goSettings {
	base := w.expr(c.Args[0])
	if base == nil {
		if !w.anyOption(c.Args[1:]) {
			w.arguments(c.Args[1:])
			return nil
		}
		base = w.begin(true, c)
		base.open = true
	}
	s := base.clone()
	w.options(s, c.Args[1:], c.Ellipsis.IsValid())
	return s
}

func (w *goWalker) anyOption(args []ast.Expr) bool {
	return slices.ContainsFunc(args, func(a ast.Expr) bool {
		_, call := w.f.option(a, 0)
		return call != nil
	})
}

// followed walks a function of the package, where it takes or returns settings.
func (w *goWalker) followed(c *ast.CallExpr) *goSettings {
	args := w.arguments(c.Args)
	in, fn := w.f.function(c)
	if fn == nil || fn.Body == nil || w.depth > goDepth {
		opened(args)
		return nil
	}
	takes := slices.ContainsFunc(args, func(s *goSettings) bool { return s != nil })
	if !takes && !in.returnsSettings(fn) {
		return nil
	}
	inner := newGoWalker(in)
	inner.depth, inner.path, inner.vars = w.depth+1, w.path, inner.parameters(w, fn, args)
	inner.statements(fn.Body.List)
	if takes {
		w.clients = append(w.clients, inner.clients...)
	}
	if len(inner.results) != 1 {
		return nil
	}
	s := inner.results[0]
	for i := range s.entries {
		s.entries[i].path = w.path
	}
	s.home = w.path
	return s
}

// opened marks settings that a function gets which is not looked at: it may add some.
func opened(args []*goSettings) {
	for _, s := range args {
		if s != nil {
			s.open = true
		}
	}
}

// parameters are the variables of the package, and the settings that a call gives.
func (w *goWalker) parameters(caller *goWalker, fn *ast.FuncDecl, args []*goSettings) map[types.Object]*goSettings {
	vars := map[types.Object]*goSettings{}
	if w.f == caller.f {
		for obj, s := range caller.vars {
			if obj != nil && obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
				vars[obj] = s
			}
		}
	}
	i := 0
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			if i < len(args) && args[i] != nil {
				vars[w.f.object(name)] = args[i]
			}
			i++
		}
	}
	return vars
}

func (f *goFile) returnsSettings(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil || len(fn.Type.Results.List) == 0 {
		return false
	}
	_, ok := f.settingsType(fn.Type.Results.List[0].Type)
	return ok
}
