"""What an expression is worth where it stands: names, constants, merged dicts, and
functions that return one are followed, within a file and into files beside it."""
import ast

from names import CLASSES, CLIENTS, OBJECTS, changing
from scopes import FUNCTIONS, condition, dotted
from values import (LIMIT, Code, Const, Dict, Elements, External, Function, Item, Namespace, Object, Value,
                    changing_of, fold, plain)

FIXED = ("import", "def", "class")
DEPTH = 40  # of names that lead to names
STEPS = 20000  # for one question: {**a, **a} of {**b, **b} of ... has no end

# What methods give back, by the class of the object they are called on.
RETURNS = {
    ("Consumer", "poll"): "Message", ("DeserializingConsumer", "poll"): "Message", ("AvroConsumer", "poll"): "Message",
    ("AIOConsumer", "poll"): "Message", ("Consumer", "position"): "Position", ("Message", "error"): "KafkaError",
    ("Message", "offset"): "Offset",
    ("AIOConsumer", "position"): "Position", ("DeserializingConsumer", "position"): "Position",
    ("Consumer", "consume"): "[Message]", ("AIOConsumer", "consume"): "[Message]",
    ("DeserializingConsumer", "consume"): "[Message]", ("AIOKafkaConsumer", "getone"): "ConsumerRecord",
    ("KafkaConsumer", "poll"): "{ConsumerRecord}", ("AIOKafkaConsumer", "getmany"): "{ConsumerRecord}",
}
ITERATED = {"KafkaConsumer": "ConsumerRecord", "AIOKafkaConsumer": "ConsumerRecord", "[Message]": "Message",
            "[ConsumerRecord]": "ConsumerRecord", "{ConsumerRecord}.values": "[ConsumerRecord]",
            "[KafkaError]": "KafkaError"}

# Functions and methods that pass on what they are given: their result changes when it does.
PASSING = {"str", "repr", "int", "float", "hex", "abs", "round", "bytes", "format", "ascii", "oct", "bin", "hash"}


def class_of(value):
    """The plain class name of an Object, else ""."""
    if not isinstance(value, Object):
        return ""
    return CLASSES.get(value.path, value.path.rsplit(".", 1)[-1])


class Context:
    """Where an expression stands: the scope, the place in the order of the text, the
    conditions that hold there, and what the parameters are in the call that led here."""

    __slots__ = ("scope", "seq", "path", "given")

    def __init__(self, scope, seq, path=(), given=None):
        self.scope, self.seq, self.path, self.given = scope, seq, path, given or {}


def plain_value(node):
    """What a marked node is worth where it stands, under no condition that is not sure.
    The module remembers what its names are worth."""
    module = node.scope.module
    if module.plain is None:
        module.plain = Evaluator(remember=True)
    module.plain.left = STEPS
    return module.plain.value(node, at(node))


def at(node, given=None):
    """The context of a marked node."""
    return Context(node.scope, node.seq, node.path, given)


class Evaluator:
    """Evaluates under one choice for each condition; conditions met are collected."""

    def __init__(self, choices=None, remember=False):
        self.choices = dict(choices or {})
        self.met = {}  # condition -> None, in order; not complete for one that remembers
        self.depth, self.left = 0, STEPS
        self.memo = {} if remember else None  # the events of a name -> what they lead to

    def value(self, node, context):
        self.left -= 1
        if node is None or self.depth > DEPTH or self.left < 0:
            return Value()
        if self.memo is None or context.given or not hasattr(node, "scope"):
            return self.fresh(node, context)
        if not hasattr(node, "worth"):
            node.worth = self.fresh(node, context)
        return node.worth

    def fresh(self, node, context):
        visit = getattr(self, "of_" + type(node).__name__, None)
        if visit is None:
            return Value(self.inner(node, context))
        self.depth += 1
        try:
            return visit(node, context)
        finally:
            self.depth -= 1

    def inner(self, node, context):
        return changing_of([self.value(c, context) for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)])

    # Conditions.

    def reached(self, event, context):
        known = dict(context.path)
        for key, taken in event.path:
            if (known[key] if key in known else self.chosen(key)) != taken:
                return False
        return True

    def chosen(self, key):
        self.met.setdefault(key)
        return self.choices.get(key, key.startswith("loop "))

    # Expressions.

    def of_Constant(self, node, context):
        large = isinstance(node.value, int) and abs(node.value) >= LIMIT
        return Value() if node.value is Ellipsis or large else Const(node.value)

    def of_JoinedStr(self, node, context):
        parts = [self.value(part, context) for part in node.values]
        if all(isinstance(part, Const) for part in parts):
            return Const("".join(str(part.value) for part in parts)[:10000])
        return Value(changing_of(parts))

    def of_FormattedValue(self, node, context):
        value = self.value(node.value, context)
        if node.format_spec is not None or node.conversion not in (-1, 115):
            return Value(value.changing)
        known, result = plain(value)
        return Const(str(result)) if known else Value(value.changing)

    def of_BinOp(self, node, context):
        left, right = self.value(node.left, context), self.value(node.right, context)
        if isinstance(node.op, ast.Mod) and isinstance(right, Elements):
            known, result = plain(right)
            right = Const(tuple(result)) if known else Value(right.changing)
        return fold(node.op, left, right)

    def of_UnaryOp(self, node, context):
        value = self.value(node.operand, context)
        if isinstance(value, Const) and isinstance(node.op, ast.USub) and isinstance(value.value, (int, float)):
            return Const(-value.value)
        if isinstance(value, Const) and isinstance(node.op, ast.Not):
            return Const(not value.value)
        return Value(value.changing)

    def of_BoolOp(self, node, context):
        values = [self.value(part, context) for part in node.values]
        if isinstance(node.op, ast.Or):
            for value in values:
                if isinstance(value, Const) and not value.value:
                    continue
                return value if isinstance(value, (Const, Dict, Object)) else Value()
        return Value()

    def of_IfExp(self, node, context):
        key, turned = condition(node.test)
        known = dict(context.path)
        taken = (known[key] if key in known else self.chosen(key)) == turned
        return self.value(node.body if taken else node.orelse, context)

    def of_Lambda(self, node, context):
        return Code()

    def of_Await(self, node, context):
        return self.value(node.value, context)

    def of_NamedExpr(self, node, context):
        return self.value(node.value, context)

    def of_List(self, node, context):
        found, open_ = [], False
        for part in node.elts:
            if isinstance(part, ast.Starred):
                inner = self.value(part.value, context)
                found += inner.elements if isinstance(inner, Elements) else []
                open_ = open_ or not isinstance(inner, Elements)
            else:
                found.append((part, self.value(part, context)))
        return Elements(found, open_)

    of_Tuple = of_List

    def of_ListComp(self, node, context):
        inner = Context(node.inner, 1 << 60, context.path, context.given)
        return Elements([(node.elt, self.value(node.elt, inner))], True)

    of_GeneratorExp = of_ListComp

    def of_DictComp(self, node, context):
        made, inner = Dict(open=True), Context(node.inner, 1 << 60, context.path, context.given)
        made.loose.append((node.value, self.value(node.value, inner)))
        return made

    def of_Dict(self, node, context):
        made = Dict(nodes=[node])
        for key, value in zip(node.keys, node.values):
            if key is None:
                made.merge(self.value(value, context))
            else:
                self.put(made, key, value, context)
        return made

    def put(self, made, key, value, context):
        name = self.value(key, context)
        known = self.value(value, context)
        if isinstance(name, Const) and isinstance(name.value, str):
            made.put(Item(name.value, context.scope.module, key, value, known))
        else:
            made.open = True
            made.loose.append((value, known))

    def of_Subscript(self, node, context):
        base = self.value(node.value, context)
        index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
        key = self.value(index, context) if isinstance(index, ast.expr) else Value()
        if isinstance(base, Dict) and isinstance(key, Const) and key.value in base.items:
            return base.items[key.value].value
        if isinstance(base, Elements) and isinstance(key, Const) and isinstance(key.value, int):
            if -len(base.elements) <= key.value < len(base.elements):
                return base.elements[key.value][1]
        if class_of(base) in ITERATED and isinstance(key, Const):
            return Object(ITERATED[class_of(base)], base.call, base.context)
        return Value(base.changing)

    def of_Name(self, node, context):
        found = self.look(node.id, context)
        if found is not None:
            return found
        for star in context.scope.module.stars:
            if star + "." + node.id in CLIENTS or star + "." + node.id in CLASSES:
                return External(star + "." + node.id)
        return External("builtins." + node.id)

    def of_Attribute(self, node, context):
        name = dotted(node)
        if name:
            myself = context.scope.self_name()
            if myself and name == myself + "." + node.attr:
                return self.of_self(node.attr, context)
            found = self.look_path(name, context)
            if found is not None:
                return found
        return self.member(self.value(node.value, context), node.attr, context)

    def member(self, base, attr, context):
        if isinstance(base, External):
            return External(base.path + "." + attr)
        if isinstance(base, Namespace):
            return self.within(base.scope, attr) or Value()
        if class_of(base) == "KafkaException" and attr == "args":
            return Object("[KafkaError]", base.call, base.context)
        if class_of(base) == "ConsumerRecord" and attr == "offset":
            return Object("Offset", base.call, base.context)
        return Value(base.changing)

    # Names.

    def look(self, name, context):
        """The value of a plain name, or None where nothing binds it."""
        if name in context.given:
            return context.given[name]
        scope = context.scope.binder(name)
        if scope is None and name in context.scope.module.scope.bound:
            scope = context.scope.module.scope
        if scope is None:
            previous = context.scope.module.previous
            return self.look(name, Context(previous.scope, 1 << 60)) if previous else None
        events = scope.events.get(name, ())
        if len(events) == 1 and self.memo is not None and events[0].kind in FIXED and not events[0].path:
            return self.fixed(events[0], context)
        return self.replay(events, scope, context, self.beside(scope, name, context))

    def fixed(self, event, context):
        """An import, def or class that nothing else of this name happens beside."""
        found = self.memo.get(event)
        if found is None:
            found = self.memo[event] = self.play(event, Value(), context)
        return found

    def beside(self, scope, name, context):
        """What the function at hand does to a name of an outer scope."""
        if scope is context.scope.frame():
            return ()
        return [e for e in context.scope.events.get(name, ()) if e.seq < context.seq]

    def look_path(self, name, context):
        """The value of a dotted path that something is assigned to, or None."""
        for table in (context.scope.events, context.scope.module.scope.events):
            events = [e for e in table.get(name, ()) if e.scope is not context.scope or e.seq < context.seq]
            if any(e.kind in ("assign", "with") for e in events):
                return self.replay(events, context.scope, context, ())
        return None

    def replay(self, events, scope, context, more):
        """Plays the events of a name in order, as far as they come before its use."""
        if scope is context.scope.frame() or scope is context.scope:
            events = [e for e in events if e.seq < context.seq]
        events = [e for e in [*events, *more] if not e.path or self.reached(e, context)]
        first = 0
        for i, event in enumerate(events if len(events) > 1 else ()):
            if event.kind in ("assign", "import", "def", "class", "parameter", "each", "with", "caught"):
                first = i if not self.nothing(event, events[first], context) else first
        if self.memo is None or context.given:
            return self.played(events[first:], context)
        key = tuple([id(event) for event in events[first:]])
        if key not in self.memo:
            self.memo[key] = Value()  # a name that leads to itself
            self.memo[key] = self.played(events[first:], context)
        return self.memo[key]

    def played(self, events, context):
        value = Value()
        for event in events:
            value = self.play(event, value, context)
        return value

    def nothing(self, event, before, context):
        """Whether `x = None` of another function would hide what x was."""
        empty = isinstance(event.value, ast.Constant) and event.value.value is None
        return event is not before and empty and event.scope is not context.scope

    def play(self, event, value, context):
        given = context.given if event.scope is context.scope else None
        there = Context(event.scope, event.seq, event.path, given)
        return getattr(self, "on_" + event.kind)(event, value, there)

    def on_assign(self, event, value, there):
        return self.value(event.value, there)

    def on_declare(self, event, value, there):
        return value

    def on_with(self, event, value, there):
        inner = self.value(event.value, there)
        return inner if isinstance(inner, Object) else Value(inner.changing)

    def on_import(self, event, value, there):
        level, module, name = event.value
        finder = there.scope.module.finder
        if finder is not None:
            found = finder(there.scope.module.path, level, module, name)
            if found is not None:
                return self.imported(found, name)
        path = module if name is None else module + "." + name
        return External(path.strip(".") if not level else "." + path)

    def imported(self, found, name):
        if name is None or found.name == name:
            return Namespace(found.module.scope)
        return self.within(found.module.scope, name) or Value()

    def on_def(self, event, value, there):
        decorators = [dotted(d) or "" for d in event.node.decorator_list]
        if any(d.rsplit(".", 1)[-1] in ("property", "cached_property") for d in decorators):
            return self.given_back(event.node.inner, {})
        return Function(event.node.inner)

    def on_class(self, event, value, there):
        return Namespace(event.node.inner)

    def on_parameter(self, event, value, there):
        default, annotation = event.value
        if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
            outer = Context(event.scope.parent, event.seq, ())
            return self.value(default, outer)
        return self.annotated(annotation, event)

    def annotated(self, annotation, event):
        """A parameter `p: Producer` is one, whoever gives it."""
        if annotation is None or not isinstance(annotation, (ast.Name, ast.Attribute)):
            return Value()
        named = self.value(annotation, Context(event.scope, event.seq))
        if isinstance(named, External) and (named.path in CLIENTS or named.path in CLASSES):
            return Object(named.path, None, None)
        return Value()

    def on_caught(self, event, value, there):
        named = self.value(event.value, there)
        return Object(named.path, None, None) if isinstance(named, External) and named.path in CLASSES else Value()

    def on_each(self, event, value, there):
        over = self.value(event.value.iter, there)
        inner = ITERATED.get(class_of(over))
        return Object(inner, over.call, over.context) if inner else Value(over.changing)

    def on_item(self, event, value, there):
        key, item = event.value
        key = key.value if type(key).__name__ == "Index" else key
        if isinstance(value, Dict):
            value = value.copy()
            value.nodes.append(event.node)
            self.put(value, key, item, there)
        return value

    def on_remove(self, event, value, there):
        key = event.value.value if type(event.value).__name__ == "Index" else event.value
        return self.without(value, self.value(key, there))

    def without(self, value, key):
        if isinstance(value, Dict) and isinstance(key, Const):
            value = value.copy()
            value.items.pop(key.value, None)
        return value

    def on_update(self, event, value, there):
        if isinstance(value, Dict):
            value = value.copy()
            value.merge(self.arguments(event.node, there))
        return value

    def on_setdefault(self, event, value, there):
        arguments = event.node.args
        if isinstance(value, Dict) and len(arguments) == 2:
            key = self.value(arguments[0], there)
            if isinstance(key, Const) and key.value not in value.items:
                value = value.copy()
                self.put(value, arguments[0], arguments[1], there)
        return value

    def on_pop(self, event, value, there):
        return self.without(value, self.value(event.node.args[0], there)) if event.node.args else value

    def on_clear(self, event, value, there):
        return Dict() if isinstance(value, Dict) else value

    def on_append(self, event, value, there):
        if isinstance(value, Elements) and event.node.args:
            node = event.node.args[0]
            return Elements(value.elements + [(node, self.value(node, there))], value.open)
        return value

    def on_extend(self, event, value, there):
        if isinstance(value, Elements) and event.node.args:
            more = self.value(event.node.args[0], there)
            return fold(ast.Add(), value, more) if isinstance(more, Elements) else Elements(value.elements, True)
        return value

    def on_augment(self, event, value, there):
        operator, operand = event.value
        return fold(operator, value, self.value(operand, there))

    def on_given(self, event, value, there):
        """A dict that is given to a function of this file may come back with more in it."""
        if isinstance(value, Dict):
            called = self.value(event.value.func, there)
            if isinstance(called, Function):
                value = value.copy()
                value.open = True
        return value

    # Classes and modules.

    def of_self(self, attr, context):
        owner = context.scope.owner()
        return self.attribute(owner, attr, context, 0) if owner is not None else Value()

    def attribute(self, owner, attr, context, depth):
        mine = context.scope.method()
        events = owner.attrs.get(attr, ())
        here = [e for e in events if e.scope.method() is mine and (e.scope is not context.scope or e.seq < context.seq)]
        if not any(e.kind == "assign" for e in here):
            here = self.made_elsewhere(events, mine) + here
        if any(e.kind in ("assign", "with") for e in here):
            return self.replay(here, owner, context, ())
        if attr in owner.bound:
            return self.replay(list(owner.events.get(attr, ())) + here, owner, context, ())
        for base in owner.node.bases:
            outer = self.value(base, Context(owner.parent, 1 << 60))
            if isinstance(outer, Namespace) and outer.scope.kind == "class" and depth < 5:
                return self.attribute(outer.scope, attr, context, depth + 1)
        return Value()

    def made_elsewhere(self, events, mine):
        """What the method that sets an attribute does to it: __init__ where it does."""
        makers = []
        for event in events:
            maker = event.scope.method()
            empty = isinstance(event.value, ast.Constant) and event.value.value is None
            if event.kind == "assign" and maker is not mine and not empty and maker not in makers:
                makers.append(maker)
        if not makers:
            return []
        makers.sort(key=lambda m: m.described() != "__init__")
        return [e for e in events if e.scope.method() is makers[0]]

    def within(self, scope, name):
        """A name of a module or class as others see it, or None."""
        if name in scope.bound:
            return self.replay(scope.events.get(name, ()), scope, Context(scope, 1 << 60), ())
        if name in scope.attrs:
            return Value()
        return None

    # Calls.

    def of_Call(self, node, context):
        called = self.value(node.func, context)
        if isinstance(called, External):
            return self.external(called.path, node, context)
        if isinstance(called, Function):
            return self.returned(called.scope, node, context)
        if isinstance(node.func, ast.Attribute):
            return self.method(node, context)
        return Value()

    def external(self, path, node, context):
        if path in CLIENTS or path in CLASSES:
            return Object(path, node, context)
        if changing(path):
            return Value([path])
        if path in ("builtins.dict", "collections.OrderedDict"):
            made = self.arguments(node, context)
            made.nodes.append(node)
            return made
        if path in ("copy.copy", "copy.deepcopy", "types.MappingProxyType", "builtins.list", "builtins.tuple"):
            return self.value(node.args[0], context) if node.args else Value()
        name = path.rsplit(".", 1)[-1]
        if path.startswith("builtins.") and name in PASSING and node.args:
            return self.converted(name, self.value(node.args[0], context))
        made = path.split(".")[0] in OBJECTS and (name[:1].isupper() or name in ("getLogger", "partial"))
        return Code() if made else Value()

    def converted(self, name, value):
        try:
            if isinstance(value, Const) and name in ("str", "int", "float"):
                return Const({"str": str, "int": int, "float": float}[name](value.value))
        except (TypeError, ValueError, OverflowError):
            pass
        return Value(value.changing)

    def arguments(self, node, context):
        """dict(BASE, a=1, **{...}) and update() of the same."""
        made = Dict()
        for argument in node.args[:1]:
            value = self.value(argument, context)
            if isinstance(value, Elements) and not value.open:
                value = self.pairs(argument, value, context)
            made.merge(value)
        for keyword in node.keywords:
            if keyword.arg is None:
                made.merge(self.value(keyword.value, context))
            else:
                value = self.value(keyword.value, context)
                made.put(Item(keyword.arg, context.scope.module, named(keyword), keyword.value, value))
        return made

    def pairs(self, argument, value, context):
        made = Dict()
        for node, pair in value.elements:
            if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == 2:
                self.put(made, node.elts[0], node.elts[1], context)
            else:
                made.open = True
        return made

    def returned(self, scope, node, context):
        """What a function of ours gives back for these arguments."""
        return self.given_back(scope, self.parameters(scope, node, context))

    def given_back(self, scope, given):
        if isinstance(scope.node, FUNCTIONS) and scope.returns:
            results = [self.value(r.value, Context(scope, r.seq, r.path, given)) for r in scope.returns
                       if self.reached(r, Context(scope, 0))]
            results = [r for r in results if not (isinstance(r, Const) and r.value is None)]
            if len(results) == 1:
                return results[0]
        return Value()

    def parameters(self, scope, node, context):
        listed = [a.arg for a in getattr(scope.node.args, "posonlyargs", []) + scope.node.args.args]
        if scope.myself:
            listed = listed[1:]
        given = {}
        for name, argument in zip(listed, node.args):
            if isinstance(argument, ast.Starred):
                break
            given[name] = self.value(argument, context)
        for keyword in node.keywords:
            if keyword.arg:
                given[keyword.arg] = self.value(keyword.value, context)
        return given

    def method(self, node, context):
        name, base = node.func.attr, self.value(node.func.value, context)
        found = RETURNS.get((class_of(base), name))
        if found:
            return Object(found, node, context)
        if name == "offset" and not node.args and type(base) is Value:
            return Object("Offset", node, context)  # only messages have such a method
        if class_of(base) == "{ConsumerRecord}" and name == "values":
            return Object("{ConsumerRecord}.values", node, context)
        if isinstance(base, Dict):
            return self.of_dict(base, name, node, context)
        if isinstance(base, Namespace) and base.scope.kind == "class":
            return Value()
        arguments = [self.value(a, context) for a in node.args]
        if isinstance(base, Const) and isinstance(base.value, str):
            return self.of_text(base.value, name, node, arguments, context)
        return Value(base.changing | changing_of(arguments if isinstance(base, Const) else []))

    def of_dict(self, base, name, node, context):
        if name == "copy":
            return base.copy()
        if name == "get" and node.args:
            key = self.value(node.args[0], context)
            if isinstance(key, Const) and key.value in base.items:
                return base.items[key.value].value
        return Value()

    def of_text(self, text, name, node, arguments, context):
        keywords = {k.arg: self.value(k.value, context) for k in node.keywords if k.arg}
        everything = arguments + list(keywords.values())
        parts = [plain(a) for a in arguments]
        words = {k: plain(v) for k, v in keywords.items()}
        long = sum(len(str(v)) for k, v in parts if k) > 10000
        if not long and name in ("format", "join", "lower", "upper", "strip", "replace", "rstrip", "lstrip") and len(text) < 1000 \
                and all(k for k, _ in parts) and all(k for k, _ in words.values()) and ":" not in text.replace("://", ""):
            try:
                result = getattr(text, name)(*[v for _, v in parts], **{k: v for k, (_, v) in words.items()})
                return Const(result[:10000])
            except (TypeError, ValueError, LookupError, AttributeError):
                pass
        return Value(changing_of(everything))


def named(keyword):
    """The place of a keyword argument. Python 3.8 does not give it, but it stands right before its value."""
    if not hasattr(keyword, "lineno"):
        keyword.lineno = keyword.value.lineno
        keyword.col_offset = max(0, keyword.value.col_offset - len(keyword.arg) - 1)
    return keyword
