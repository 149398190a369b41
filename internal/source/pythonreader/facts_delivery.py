"""Records that are handed over and never sent, or whose fate nobody asks for."""
import ast

from blocks import from_dict
from evaluate import Evaluator
from facts import SENDING, argument, body, client_of, function, keyword, method_calls, path_of, value, walk
from values import Const, Function

ENDING = {"flush", "close", "commit_transaction", "abort_transaction", "stop", "purge", "__exit__", "send_and_wait"}
CALLBACKS = {"on_delivery", "dr_cb", "dr_msg_cb", "delivery_cb"}
PARTITION = {"python": 3, "kafka-python": 4, "aiokafka": 3}


def find(facts):
    for scope in facts.module.scopes:
        for name, events in list(scope.events.items()):
            made = [e for e in events if e.kind == "assign" and e.scope is scope and producer(e.value)]
            if made and scope.kind != "class":
                flushed(facts, scope, name)
    reports(facts)
    hashed(facts)


def producer(node):
    if not isinstance(node, ast.Call) or not hasattr(node, "scope"):
        return False
    client, made = client_of(node)
    return client in ("python", "kafka-python") and made.path.endswith("Producer") and "aio" not in made.path


# Flush.

def flushed(facts, scope, name):
    """A local producer that sends, is given to nobody, and is never flushed."""
    sends, used = [], set()
    for place in [s for s in facts.module.scopes if inside(s, scope)]:
        for node in place.loads:
            if node.id == name and place.binder(name) is scope:
                parent = attribute_of(facts.module, node)
                if parent is None:
                    return  # given away: somebody else may flush
                used.add(parent.attr)
                if parent.attr in SENDING and place.frame() is scope:
                    sends.append(parent)
    if sends and not used & ENDING and not polled(facts.module, sends[-1]) and not waited(facts.module, sends):
        facts.add("missing-flush", sends[-1], sends[-1].attr, producer=name)


def inside(scope, outer):
    while scope is not None and scope is not outer:
        scope = scope.parent
    return scope is outer


def attribute_of(module, node):
    """The attribute access that a name is the base of, or None."""
    if not hasattr(module, "bases"):
        module.bases = {id(a.value): a for a in module.attributes}
    return module.bases.get(id(node))


def polled(module, send):
    """Whether a loop around the send or after it polls: until all is delivered, or without end."""
    for loop in module.loops:
        if isinstance(loop, ast.While) and loop.end_lineno >= send.lineno and loop.scope.frame() is send.scope.frame():
            inner = list(walk(loop.body))
            leaves = any(isinstance(n, (ast.Break, ast.Return)) for n in inner)
            if any(isinstance(n, ast.Attribute) and n.attr == "poll" for n in inner) and (send not in inner or not leaves):
                return True
    return False


def waited(module, sends):
    """kafka-python: send(...).get() waits for each, future.get() too."""
    return sends[-1].attr == "send" and bool(method_calls(module, "get"))


# Delivery reports.

def reports(facts):
    """produce() of a producer without transactions, and no callback anywhere."""
    by_producer = {}
    for call, receiver in method_calls(facts.module, "produce"):
        client, made = client_of(receiver) if hasattr(receiver, "scope") else ("", None)
        if client == "python" and made.call is not None and made.path.endswith(".Producer"):
            by_producer.setdefault(id(made.call), (made, []))[1].append(call)
    for made, calls in by_producer.values():
        if not any(reported(call) for call in calls) and silent(made):
            facts.add("delivery-report-unread", calls[0].func, "produce")


def reported(call):
    return len(call.args) > 4 or keyword(call, "callback", "on_delivery") is not None \
        or any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args)


def silent(made):
    settings = from_dict(Evaluator(), made.call)
    if settings.open or CALLBACKS & set(settings.items):
        return False
    item = settings.items.get("transactional.id")
    return item is None or isinstance(item.value, Const) and item.value.value in (None, "")


# hash() as a partitioner.

def hashed(facts):
    for call, receiver in method_calls(facts.module, *SENDING):
        client = client_of(receiver)[0] if hasattr(receiver, "scope") else ""
        given = argument(call, PARTITION[client], "partition") if client in PARTITION else None
        if given is not None:
            search(facts, given, 0)
    for call in facts.module.calls:
        given = keyword(call, "partitioner")
        if given is not None and client_of(call)[0] in ("kafka-python", "aiokafka"):
            scope = function(given)
            for part in body(scope) if scope else []:
                search(facts, part, 0)


def search(facts, node, depth):
    """hash() in what an expression is made of: names and functions are followed."""
    for part in walk([node]):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and path_of(part.func) == "builtins.hash":
            if part.args and not whole_number(part.args[0]):
                facts.add("builtin-hash", part, "hash")
        elif depth < 4:
            for inner in behind(part):
                search(facts, inner, depth + 1)


def behind(part):
    """What a name is bound to, or a called function returns."""
    if isinstance(part, ast.Name) and hasattr(part, "scope"):
        scope = part.scope.binder(part.id)
        events = scope.events.get(part.id, ()) if scope else ()
        return [e.value for e in events if e.kind == "assign" and e.value is not None and e.seq < part.seq]
    if isinstance(part, ast.Call) and hasattr(part.func, "scope") and isinstance(value(part.func), Function):
        return body(value(part.func).scope)
    return []


def whole_number(node):
    """hash(5) is 5 in every process."""
    known = value(node) if hasattr(node, "scope") else None
    if isinstance(known, Const) and isinstance(known.value, int):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("int", "len", "crc32")
