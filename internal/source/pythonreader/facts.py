"""What the code around settings does: the facts that package lint judges by their rule.

Each is certain from the text. Where it depends on what is not there, there is no fact.
"""
import ast

from evaluate import class_of, plain_value
from names import CLIENTS
from values import External, Function, Object

SENDING = ("produce", "send")


class Facts:
    """Collects the facts of one module."""

    def __init__(self, module, members, version):
        self.module, self.members, self.version = module, members, version
        self.found, self.said = [], set()

    def add(self, rule, node, about, **args):
        fact = {"rule": rule, "at": self.module.place(node), "about": about, "args": args}
        key = (rule, about, tuple(fact["at"]))
        if key not in self.said and not self.module.fails(node):
            self.said.add(key)
            self.found.append(fact)


def value(node):
    """What a marked node is worth where it stands."""
    return plain_value(node) if hasattr(node, "scope") else None


def path_of(node):
    """The path of a name from a module that is not looked into, else ""."""
    found = value(node)
    return found.path if isinstance(found, External) else ""


def method_calls(module, *names):
    """The calls of methods of these names: (call, receiver node)."""
    return [(call, call.func.value) for call in module.calls
            if isinstance(call.func, ast.Attribute) and call.func.attr in names]


def client_of(node):
    """The client whose object an expression is, and that object: ("python", Object)."""
    found = value(node)
    if isinstance(found, Object) and found.path in CLIENTS:
        return CLIENTS[found.path][0], found
    return "", found if isinstance(found, Object) else None


def keyword(call, *names):
    for given in call.keywords:
        if given.arg in names:
            return given.value
    return None


def argument(call, position, *names):
    """An argument by its place or name, or None."""
    if len(call.args) > position and not any(isinstance(a, ast.Starred) for a in call.args[:position + 1]):
        return call.args[position]
    return keyword(call, *names)


def calls_in(nodes, *names):
    """Calls of methods of these names anywhere in statements, not in functions within."""
    found = []
    for node in walk(nodes):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            found.append(node)
    return found


def walk(nodes):
    """Everything in statements or expressions, without functions and classes within."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop(0)
        yield node
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                waiting.append(child)


def function(node):
    """The scope of the function that an expression names, or None."""
    found = value(node) if hasattr(node, "scope") else None
    if isinstance(found, Function):
        return found.scope
    return getattr(node, "inner", None) if isinstance(node, ast.Lambda) else None


def body(scope):
    """The statements of a function, or the expression of a lambda."""
    inner = getattr(scope.node, "body", [])
    return inner if isinstance(inner, list) else [inner]

