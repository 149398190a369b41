"""Values as far as a reader can know them, and constant arithmetic on them."""
import ast


class Value:
    """Something that nobody can know from the text. Changing are the calls in it that
    give another result at each start of the program."""

    def __init__(self, changing=()):
        self.changing = frozenset(changing)


class Const(Value):
    """A value that is known: a number, text, truth, None, or a list of such."""

    def __init__(self, value):
        Value.__init__(self)
        self.value = value


class Code(Value):
    """A function, a lambda, a bound method: application code."""


class Object(Value):
    """An object of a known class, and the call that made it."""

    def __init__(self, path, call, context):
        Value.__init__(self)
        self.path, self.call, self.context = path, call, context


class External(Value):
    """A name of a module that is not looked into: "confluent_kafka.Producer"."""

    def __init__(self, path):
        Value.__init__(self)
        self.path = path


class Namespace(Value):
    """A module or a class whose text is here."""

    def __init__(self, scope):
        Value.__init__(self)
        self.scope = scope


class Function(Code):
    """A function whose text is here."""

    def __init__(self, scope):
        Code.__init__(self)
        self.scope = scope


class Elements(Value):
    """A list or tuple with the places of its elements: [(node, value)]."""

    def __init__(self, elements, open=False):
        Value.__init__(self, frozenset().union(*[v.changing for _, v in elements]))
        self.elements, self.open = list(elements)[:MANY], open or len(elements) > MANY


class Item:
    """One key of a dict, where it was written, and its value."""

    __slots__ = ("key", "module", "key_node", "value_node", "value")

    def __init__(self, key, module, key_node, value_node, value):
        self.key, self.module = key, module
        self.key_node, self.value_node, self.value = key_node, value_node, value


class Dict(Value):
    """A dict. It is open where it may hold more than its items; loose are the values of
    keys that are no constants. Nodes are the displays and calls that took part in it."""

    def __init__(self, items=(), open=False, nodes=()):
        Value.__init__(self)
        self.items = {item.key: item for item in items}
        self.open, self.nodes, self.loose = open, list(nodes), []

    def copy(self):
        made = Dict(self.items.values(), self.open, self.nodes)
        made.loose = list(self.loose)
        return made

    def put(self, item):
        # A key that is written again keeps Python's order, and takes the later place.
        self.items[item.key] = item

    def merge(self, other):
        if not isinstance(other, Dict):
            self.open = True
            return
        for item in other.items.values():
            self.put(item)
        self.open = self.open or other.open
        known = {id(node) for node in self.nodes}
        self.nodes += [node for node in other.nodes if id(node) not in known]
        self.loose = (self.loose + other.loose)[:MANY]


MANY = 1000  # elements of a list; nobody configures more
LIMIT = 2 ** 128  # of numbers; nobody configures more, and arithmetic stays cheap


def changing_of(values):
    return frozenset().union(*[v.changing for v in values]) if values else frozenset()


def fold(operator, left, right):
    """Arithmetic on two values."""
    if isinstance(left, Dict) and isinstance(operator, ast.BitOr):
        merged = left.copy()
        merged.merge(right)
        return merged
    if isinstance(left, Elements) and isinstance(right, Elements) and isinstance(operator, ast.Add):
        return Elements(left.elements + right.elements, left.open or right.open)
    unknown = Value(left.changing | right.changing)
    if not isinstance(left, Const) or not isinstance(right, Const):
        return unknown
    try:
        result = compute(operator, left.value, right.value)
    except (ArithmeticError, TypeError, ValueError, KeyError):
        return unknown
    return unknown if result is None else Const(result)


def compute(operator, a, b):
    """The result, or None where it is too large or of no use for a setting."""
    if isinstance(operator, ast.Mod) and isinstance(a, str):
        result = a % b if wide(a) else None
    elif isinstance(a, str) and isinstance(b, str) and isinstance(operator, ast.Add):
        result = a + b
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
        result = number(operator, a, b)
    else:
        return None
    if isinstance(result, str):
        return result if len(result) < 10000 else None
    return result if result is not None and abs(result) < LIMIT else None


def wide(template):
    """Whether a template may be filled: "%9999999d" may not."""
    return len(template) < 1000 and "*" not in template and not any(len(part) > 3 and part[:4].isdigit() for part in template.split("%"))


def number(operator, a, b):
    kind = type(operator)
    if kind in (ast.Pow, ast.LShift) and not 0 <= b <= 64:
        return None
    return {
        ast.Add: lambda: a + b, ast.Sub: lambda: a - b, ast.Mult: lambda: a * b, ast.Div: lambda: a / b,
        ast.FloorDiv: lambda: a // b, ast.Mod: lambda: a % b, ast.Pow: lambda: a ** b,
        ast.LShift: lambda: a << b, ast.RShift: lambda: a >> b if 0 <= b <= 128 else None,
        ast.BitOr: lambda: a | b, ast.BitAnd: lambda: a & b,
    }[kind]()


def plain(value):
    """The Python value of a Const or of Elements of such, as (known, value)."""
    if isinstance(value, Const):
        return True, value.value
    if isinstance(value, Elements) and not value.open:
        parts = [plain(v) for _, v in value.elements]
        return all(known for known, _ in parts), [v for _, v in parts]
    return False, None
