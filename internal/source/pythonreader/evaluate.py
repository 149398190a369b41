"""What an expression is worth where it stands: names, constants, merged dicts, and
functions that return one are followed, within a file and into files beside it."""
import ast

from follow import ITERATED, Context, Follower, class_of
from names import CLASSES, CLIENTS, OBJECTS, changing
from syntax import FUNCTIONS, condition, dotted
from values import (LIMIT, Code, Const, Dict, Elements, External, Function, Item, Namespace, Object, Value,
                    changing_of, fold, plain)

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

# Functions and methods that pass on what they are given: their result changes when it does.
PASSING = {"str", "repr", "int", "float", "hex", "abs", "round", "bytes", "format", "ascii", "oct", "bin", "hash"}


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


class Evaluator(Follower):
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
