"""What names are worth: the events of a name are played in order, as far as they come
before its use, within a file and into files beside it."""
import ast

from names import CLASSES, CLIENTS
from syntax import dotted
from values import Code, Const, Dict, Elements, External, Function, Namespace, Object, Value, fold

# Kinds of events that cannot be otherwise.
FIXED = ("import", "def", "class")

# What iteration and subscripts give, by the class of what they are over.
ITERATED = {"KafkaConsumer": "ConsumerRecord", "AIOKafkaConsumer": "ConsumerRecord", "[Message]": "Message",
            "[ConsumerRecord]": "ConsumerRecord", "{ConsumerRecord}.values": "[ConsumerRecord]",
            "[KafkaError]": "KafkaError"}


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


class Follower:
    """The part of the evaluator that follows names; it evaluates through the whole of it."""

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
