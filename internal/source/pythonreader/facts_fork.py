"""Clients that are made before a fork. Their threads do not survive in the child."""
import ast

from facts import client_of, function, keyword, path_of, value, walk
from evaluate import class_of

STARTS = {"Process": "target", "Pool": "initializer", "ProcessPoolExecutor": "initializer"}
TASKS = ("map", "imap", "imap_unordered", "starmap", "apply", "apply_async", "map_async", "starmap_async", "submit")


def find(facts):
    module = facts.module
    made = [e for scope in module.scopes if scope.kind in ("module", "function")
            for events in scope.events.values() for e in events
            if e.kind == "assign" and isinstance(e.value, ast.Call) and client_of(e.value)[0]]
    if not made or not forks(module):
        return
    in_children = children(module)
    for event in made:
        if event.scope.kind == "module" and any(uses(scope, event.node, event.scope) for scope in in_children):
            facts.add("client-before-fork", event.value, class_of(value(event.value)))
    forked_here(facts, made)


def forks(module):
    """Whether new processes are forked: unless another way to start them is asked for."""
    ways = set()
    for call in module.calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in ("get_context", "set_start_method"):
            ways |= {a.value for a in call.args if isinstance(a, ast.Constant)}
    return not ways & {"spawn", "forkserver"}


def children(module):
    """The functions that run in another process."""
    found, pools = [], False
    for call in module.calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in STARTS and of_processes(call, module):
            pools = pools or name != "Process"
            given = keyword(call, STARTS[name])
            if given is not None and function(given) is not None:
                found.append(function(given))
    for call in module.calls if pools else ():
        if isinstance(call.func, ast.Attribute) and call.func.attr in TASKS and call.args:
            scope = function(call.args[0])
            if scope is not None:
                found.append(scope)
    return found


def of_processes(call, module):
    """Process of multiprocessing, or of a context of it."""
    path = path_of(call.func) if hasattr(call.func, "scope") else ""
    if path.startswith(("multiprocessing.", "concurrent.futures.")):
        return "Thread" not in path and "dummy" not in path
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    return receiver is not None and "get_context" in ast.dump(origin(receiver))


def origin(node):
    """The expression that a name is bound to last, or the expression itself."""
    if isinstance(node, ast.Name) and hasattr(node, "scope"):
        scope = node.scope.binder(node.id)
        events = [e for e in scope.events.get(node.id, ()) if e.kind == "assign" and e.value is not None] if scope else []
        return events[-1].value if events else node
    return node


def uses(scope, target, binder):
    """Whether a function, or one that it calls, reads the name that the client is bound to."""
    if not isinstance(target, ast.Name):
        return False
    seen, waiting = set(), [scope]
    while waiting:
        place = waiting.pop()
        if id(place) in seen:
            continue
        seen.add(id(place))
        if any(n.id == target.id and place.binder(n.id) is binder for n in place.loads):
            return True
        waiting += place.children
        waiting += [f for f in (function(n) for n in place.loads) if f is not None]
    return False


def forked_here(facts, made):
    """os.fork(), and the client in the branch of the child."""
    if not any(getattr(c.func, "attr", getattr(c.func, "id", "")) == "fork" for c in facts.module.calls):
        return
    for node in ast.walk(facts.module.tree):
        if not isinstance(node, ast.If) or not child_branch(node.test):
            continue
        for event in made:
            if isinstance(event.node, ast.Name) and event.value.lineno < node.lineno and any(
                    isinstance(n, ast.Name) and n.id == event.node.id and isinstance(n.ctx, ast.Load)
                    and n.scope.binder(n.id) is event.scope for n in walk(node.body)):
                facts.add("client-before-fork", event.value, class_of(value(event.value)))


def child_branch(test):
    """pid == 0, not pid, os.fork() == 0."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return forked(test.operand)
    zero = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) \
        and getattr(test.comparators[0], "value", None) == 0
    return zero and forked(test.left)


def forked(node):
    found = origin(node)
    return isinstance(found, ast.Call) and hasattr(found.func, "scope") and path_of(found.func) == "os.fork"


