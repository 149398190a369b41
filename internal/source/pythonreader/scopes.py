"""Names and what happens to them: one walk over a module's tree.

Each scope keeps, for each name or dotted path in it, the events in the order of the
text: bound to an expression, an item set, updated, an item deleted. Calls and the other
nodes that are looked at later are marked with their scope, place and conditions.
Nothing is run, and nothing is judged here.
"""
import ast

from syntax import condition, dotted, expects_failure

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
MUTATORS = ("update", "setdefault", "pop", "clear", "append", "extend")


class Event:
    """Something that happens to a name."""

    __slots__ = ("kind", "value", "scope", "seq", "path", "node")

    def __init__(self, kind, value, scope, seq, path, node):
        self.kind, self.value, self.scope = kind, value, scope
        self.seq, self.path, self.node = seq, path, node


class Scope:
    """A module, class, function or comprehension."""

    def __init__(self, kind, node, parent, module):
        self.kind, self.node, self.parent, self.module = kind, node, parent, module
        self.events = {}  # dotted path -> [Event]
        self.attrs = {}  # of a class: what methods do to self.NAME
        self.bound = set()  # names that the scope itself binds
        self.outer = set()  # names declared global or nonlocal
        self.loads = []  # Name nodes that are read here
        self.functions = {}  # name -> Scope of the def
        self.classes = {}  # name -> Scope of the class
        self.returns = []  # Return nodes
        self.children = []
        self.myself = ""  # the first parameter of a method

    def owner(self):
        """The class whose method this is, or is within."""
        scope = self
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        return scope

    def method(self):
        """The function of a class body that this scope is, or is within."""
        scope = self
        while scope is not None and scope.parent is not None and scope.parent.kind != "class":
            scope = scope.parent
        return scope if scope is not None and scope.parent is not None else None

    def frame(self):
        """The function, class or module that a comprehension runs in."""
        scope = self
        while scope.kind == "comprehension":
            scope = scope.parent
        return scope

    def self_name(self):
        scope = self
        while scope is not None and scope.kind != "class":
            if scope.myself:
                return scope.myself
            scope = scope.parent
        return ""

    def binder(self, name):
        """The scope that binds name as seen from here, by Python's rules."""
        scope, first = self, True
        while scope is not None:
            if name in scope.bound and (first or scope.kind != "class"):
                return scope
            first, scope = False, scope.parent
        return None

    def described(self):
        return getattr(self.node, "name", "")


class Module:
    """One file, or one listing of a text."""

    def __init__(self, path, tree, lines, shift=0, indent=0, listing=False):
        self.path, self.tree, self.lines = path, tree, lines
        self.shift, self.indent, self.listing = shift, indent, listing
        self.previous = None  # the listing before this one, whose names it sees
        self.finder = None  # finds modules that it imports
        self.plain = None  # the evaluator that remembers
        self.calls, self.attributes, self.handlers, self.raises = [], [], [], []
        self.dicts, self.loops, self.scopes = [], [], []
        self.failing = []  # first and last line of what a test expects to fail
        self.stars = []  # modules of `from X import *`
        self.scope = Scope("module", tree, None, self)
        Walker(self).run()

    def fails(self, node):
        """Whether a node stands where a test expects an error: `with pytest.raises(...)`."""
        return any(first <= node.lineno <= last for first, last in self.failing)

    def place(self, node):
        """Line and column, from 1, in characters of the text."""
        line, column = node.lineno, node.col_offset
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if not text.isascii():
            column = len(text.encode()[:column].decode(errors="ignore"))
        return [line + self.shift, column + 1 + self.indent]

    def source(self, node):
        """The text of an expression as it was written, one line of it."""
        end = getattr(node, "end_lineno", None)
        if end is None or node.lineno > len(self.lines):
            return ""
        lines = self.lines[node.lineno - 1:end]
        raw = [line.encode() for line in lines]
        raw[-1] = raw[-1][:node.end_col_offset]
        raw[0] = raw[0][node.col_offset:]
        return " ".join(part.decode(errors="ignore").strip() for part in raw)


class Walker:
    """Walks a module once and fills its scopes."""

    def __init__(self, module):
        self.module, self.scope = module, module.scope
        self.seq, self.path = 0, ()
        module.scopes.append(module.scope)

    def run(self):
        self.body(self.module.tree.body)

    # Marks and events.

    def mark(self, node):
        self.seq += 1
        node.scope, node.seq, node.path = self.scope, self.seq, self.path
        return node

    def event(self, kind, name, value, node):
        self.seq += 1
        made = Event(kind, value, self.scope, self.seq, self.path, node)
        self.table(name).setdefault(self.key(name), []).append(made)

    def key(self, name):
        return name.split(".", 1)[1] if self.of_self(name) else name

    def of_self(self, name):
        myself = self.scope.self_name()
        return bool(myself) and name.startswith(myself + ".") and name.count(".") == 1

    def table(self, name):
        if self.of_self(name):
            return self.scope.owner().attrs
        head = name.split(".", 1)[0]
        if head in self.scope.outer:
            return self.module.scope.events
        if "." in name and self.scope.binder(head) is not self.scope:
            return self.module.scope.events
        return self.scope.events

    def bind(self, target, value, kind="assign"):
        if isinstance(target, ast.Name):
            if target.id not in self.scope.outer:
                self.scope.bound.add(target.id)
            else:
                self.module.scope.bound.add(target.id)
            self.event(kind, target.id, value, target)
        elif isinstance(target, ast.Attribute):
            self.expr(target.value)
            name = dotted(target)
            if name:
                self.event(kind, name, value, target)
        elif isinstance(target, ast.Subscript):
            self.expr(target.value)
            self.expr(target.slice)
            name = dotted(target.value)
            if name:
                self.event("item", name, (target.slice, value), target)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.bind_each(target, value, kind)

    def bind_each(self, target, value, kind):
        same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        starred = any(isinstance(t, ast.Starred) for t in target.elts)
        for i, part in enumerate(target.elts):
            if kind == "assign" and same and not starred:
                self.bind(part, value.elts[i])
            else:
                self.bind(part, None)

    # Statements.

    def body(self, statements):
        before = self.path
        for statement in statements:
            visit = getattr(self, "on_" + type(statement).__name__, None)
            if visit:
                visit(statement)
            else:
                self.parts(statement)
        self.path = before

    def parts(self, node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self.body([child])
            elif isinstance(child, ast.expr):
                self.expr(child)
            else:
                self.parts(child)

    def branch(self, key, taken, statements):
        before, self.path = self.path, self.path + ((key, taken),)
        self.body(statements)
        self.path = before

    def on_Assign(self, node):
        self.expr(node.value)
        for target in node.targets:
            self.bind(target, node.value)

    def on_AnnAssign(self, node):
        self.expr(node.annotation)
        if node.value is not None:
            self.expr(node.value)
            self.bind(node.target, node.value)
        elif isinstance(node.target, ast.Name):
            self.scope.bound.add(node.target.id)
            self.event("declare", node.target.id, node.annotation, node.target)

    def on_AugAssign(self, node):
        self.expr(node.value)
        name = dotted(node.target)
        if name:
            if isinstance(node.target, ast.Name) and name not in self.scope.outer:
                self.scope.bound.add(name)
            self.event("augment", name, (node.op, node.value), node.target)

    def on_Delete(self, node):
        for target in node.targets:
            name = dotted(target.value) if isinstance(target, ast.Subscript) else None
            if name:
                self.event("remove", name, target.slice, target)

    def on_If(self, node):
        self.expr(node.test)
        key, turned = condition(node.test)
        self.branch(key, turned, node.body)
        self.branch(key, not turned, node.orelse)
        # What follows `if X: ...; return` is only reached when X is false.
        if node.body and isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            self.path = self.path + ((key, not turned),)

    def loop(self, node):
        key = "loop %d" % node.lineno
        self.branch(key, True, node.body)
        self.body(node.orelse)

    def on_For(self, node):
        self.expr(node.iter)
        self.module.loops.append(self.mark(node))
        self.bind(node.target, node, "each")
        self.loop(node)

    on_AsyncFor = on_For

    def on_While(self, node):
        self.expr(node.test)
        self.module.loops.append(self.mark(node))
        self.loop(node)

    def on_With(self, node):
        if any(expects_failure(item.context_expr) for item in node.items):
            self.module.failing.append((node.lineno, node.end_lineno))
        for item in node.items:
            self.expr(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, item.context_expr, "with")
        self.body(node.body)

    on_AsyncWith = on_With

    def on_Try(self, node):
        self.mark(node)
        self.body(node.body)
        for i, handler in enumerate(node.handlers):
            self.mark(handler)
            handler.attempt = node
            self.module.handlers.append(handler)
            if handler.type is not None:
                self.expr(handler.type)
            before, self.path = self.path, self.path + (("except %d.%d" % (node.lineno, i), True),)
            if handler.name:
                self.scope.bound.add(handler.name)
                self.event("caught", handler.name, handler.type, handler)
            self.body(handler.body)
            self.path = before
        self.body(node.orelse)
        self.body(node.finalbody)

    on_TryStar = on_Try

    def on_Match(self, node):
        self.expr(node.subject)
        for i, case in enumerate(node.cases):
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self.scope.bound.add(name)
                    self.event("assign", name, None, node)
            if case.guard is not None:
                self.expr(case.guard)
            self.branch("case %d.%d" % (node.lineno, i), True, case.body)

    def on_Raise(self, node):
        self.parts(node)
        self.module.raises.append(self.mark(node))

    def on_Return(self, node):
        self.parts(node)
        self.scope.returns.append(self.mark(node))

    def on_Global(self, node):
        self.scope.outer.update(node.names)

    on_Nonlocal = on_Global

    def on_Import(self, node):
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            target = alias.name if alias.asname else name
            self.scope.bound.add(name)
            self.event("import", name, (0, target, None), node)

    def on_ImportFrom(self, node):
        for alias in node.names:
            if alias.name == "*":
                self.module.stars.append(node.module or "")
                continue
            name = alias.asname or alias.name
            self.scope.bound.add(name)
            self.event("import", name, (node.level, node.module or "", alias.name), node)

    # Scopes.

    def enter(self, kind, node):
        made = Scope(kind, node, self.scope, self.module)
        self.scope.children.append(made)
        self.module.scopes.append(made)
        return made

    def on_FunctionDef(self, node):
        for decorator in node.decorator_list:
            self.expr(decorator)
        self.scope.bound.add(node.name)
        self.event("def", node.name, node, node)
        made = self.function(node)
        self.scope.functions[node.name] = made

    on_AsyncFunctionDef = on_FunctionDef

    def function(self, node):
        given = node.args
        for default in given.defaults + [d for d in given.kw_defaults if d is not None]:
            self.expr(default)
        made = self.enter("function", node)
        node.inner = made
        outside, self.scope = self.scope, made
        before, self.path = self.path, ()
        self.parameters(given, outside)
        self.body(node.body) if isinstance(node.body, list) else self.expr(node.body)
        self.scope, self.path = outside, before
        return made

    def parameters(self, given, outside):
        listed = getattr(given, "posonlyargs", []) + given.args
        padded = [None] * (len(listed) - len(given.defaults)) + given.defaults
        for parameter, default in list(zip(listed, padded)) + list(zip(given.kwonlyargs, given.kw_defaults)):
            self.parameter(parameter, default)
        for parameter in (given.vararg, given.kwarg):
            if parameter is not None:
                self.parameter(parameter, None)
        decorators = [dotted(d) for d in getattr(self.scope.node, "decorator_list", [])]
        if outside.kind == "class" and listed and "staticmethod" not in decorators:
            self.scope.myself = listed[0].arg

    def parameter(self, node, default):
        self.scope.bound.add(node.arg)
        if node.annotation is not None:
            self.expr(node.annotation)
        self.event("parameter", node.arg, (default, node.annotation), node)

    def on_ClassDef(self, node):
        for part in node.decorator_list + node.bases + [k.value for k in node.keywords]:
            self.expr(part)
        self.scope.bound.add(node.name)
        self.event("class", node.name, node, node)
        made = self.enter("class", node)
        node.inner = made
        self.scope.classes[node.name] = made
        outside, self.scope = self.scope, made
        before, self.path = self.path, ()
        self.body(node.body)
        self.scope, self.path = outside, before

    # Expressions.

    def expr(self, node):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.mark(node)
                self.scope.loads.append(node)
        elif isinstance(node, ast.Constant):
            return
        elif isinstance(node, ast.Call):
            self.call(node)
        elif isinstance(node, ast.Attribute):
            self.expr(node.value)
            self.module.attributes.append(self.mark(node))
        elif isinstance(node, ast.Lambda):
            self.function(node)
        elif isinstance(node, COMPREHENSIONS):
            self.comprehension(node)
        elif isinstance(node, ast.Dict):
            self.module.dicts.append(self.mark(node))
            self.each(node)
        elif isinstance(node, ast.NamedExpr):
            self.expr(node.value)
            self.bind(node.target, node.value)
        elif isinstance(node, ast.IfExp):
            self.choice(node)
        else:
            self.each(self.mark(node))

    def each(self, node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expr(child)
            elif not isinstance(child, (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)):
                self.each(child)

    def choice(self, node):
        self.expr(node.test)
        key, turned = condition(node.test)
        before = self.path
        self.path = before + ((key, turned),)
        self.expr(node.body)
        self.path = before + ((key, not turned),)
        self.expr(node.orelse)
        self.path = before

    def call(self, node):
        self.expr(node.func)
        for argument in node.args:
            self.expr(argument)
        for keyword in node.keywords:
            self.expr(keyword.value)
        self.module.calls.append(self.mark(node))
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            name = dotted(node.func.value)
            if name:
                self.event(node.func.attr, name, node, node)
        for argument in node.args:
            name = dotted(argument)
            if name:
                self.event("given", name, node, argument)

    def comprehension(self, node):
        made = node.inner = self.enter("comprehension", node)
        outside, first = self.scope, True
        for part in node.generators:
            if first:
                self.expr(part.iter)
                self.scope, first = made, False
            else:
                self.expr(part.iter)
            self.bind(part.target, part, "each")
            for test in part.ifs:
                self.expr(test)
        if isinstance(node, ast.DictComp):
            self.expr(node.key)
            self.expr(node.value)
        else:
            self.expr(node.elt)
        self.scope = outside
