"""Transactions that cannot begin, and aborts that do not do what was meant."""
import ast

from blocks import from_dict, from_keywords
from evaluate import Evaluator
from facts import argument, body, calls_in, client_of, function, method_calls, path_of, walk
from names import CLIENTS, KAFKA_EXCEPTION
from values import Const

LEAVING = (ast.Raise, ast.Return, ast.Break)


def find(facts):
    without_id(facts)
    after_abort(facts)
    in_signal_handler(facts)


def without_id(facts):
    """init_transactions() of a producer whose settings have no transactional.id."""
    told = set()
    for call, receiver in method_calls(facts.module, "init_transactions", "begin_transaction"):
        client, made = client_of(receiver) if hasattr(receiver, "scope") else ("", None)
        if not client or made.call is None or id(made.call) in told:
            continue
        if not has_id(made, client):
            told.add(id(made.call))
            facts.add("transaction-without-id", call.func, call.func.attr, client=client)


def has_id(made, client):
    evaluator = Evaluator()
    form = CLIENTS[made.path][2]
    settings = (from_dict if form == "dict" else from_keywords)(evaluator, made.call)
    if settings.open or any(not c.startswith("loop ") for c in evaluator.met):
        return True  # nobody knows
    item = settings.items.get("transactional.id" if form == "dict" else "transactional_id")
    return item is not None and not (isinstance(item.value, Const) and item.value.value in (None, ""))


def after_abort(facts):
    """A handler that aborts and lets the loop go on. The consumer stands after the
    aborted input: only a seek to what was committed brings it back."""
    module = facts.module
    sends = method_calls(module, "send_offsets_to_transaction")
    moves = method_calls(module, "seek", "seek_to_committed", "committed", "assign", "close_and_restart")
    for handler in module.handlers:
        aborts = calls_in(handler.body, "abort_transaction")
        if not aborts or leaves(handler):
            continue
        if sends and not moves:
            facts.add("abort-without-seek", aborts[0].func, "abort_transaction")
        elif broad(handler) and not asks(handler):
            facts.add("fatal-not-checked", aborts[0].func, "abort_transaction")


def leaves(handler):
    """Whether the handler ends what it is in, on some way."""
    if any(isinstance(node, LEAVING) for node in walk(handler.body)):
        return True
    return bool(calls_in(handler.body, "exit", "_exit", "set", "stop", "close", "kill")) or any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("exit", "quit")
        for n in walk(handler.body))


def broad(handler):
    names = ("builtins.Exception", "builtins.BaseException")
    path = path_of(handler.type) if handler.type is not None and hasattr(handler.type, "scope") else "builtins.Exception"
    return path in names or path in KAFKA_EXCEPTION


def asks(handler):
    """Whether it looks at what the error allows."""
    return bool(calls_in(handler.body, "fatal", "txn_requires_abort", "retriable", "code"))


def in_signal_handler(facts):
    """A signal handler that ends the transaction under the code that it interrupts."""
    for call in facts.module.calls:
        if not hasattr(call.func, "scope") or path_of(call.func) not in ("signal.signal",):
            continue
        given = argument(call, 1, "handler")
        scope = function(given) if given is not None and hasattr(given, "scope") else None
        for end in calls_in(body(scope), "abort_transaction", "commit_transaction") if scope else []:
            facts.add("transaction-in-signal-handler", end.func, end.func.attr)
