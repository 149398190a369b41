"""Offsets that are committed: the next one is expected, not the one of the record."""
import ast

from facts import argument, class_of, client_of, method_calls
from evaluate import Evaluator, at
from blocks import packages
from values import Dict, Elements

# Where the offsets stand, by method and whether it is confluent_kafka's.
PLACES = {
    ("send_offsets_to_transaction", True): 0, ("commit", True): 1, ("store_offsets", True): 1,
    ("send_offsets_to_transaction", False): 0, ("commit", False): 0, ("commit_async", False): 0,
}


def find(facts):
    imported = packages(facts.module)
    for call, receiver in method_calls(facts.module, "send_offsets_to_transaction", "commit", "store_offsets", "commit_async"):
        client = client_of(receiver)[0] if hasattr(receiver, "scope") else ""
        if not client:
            client = next(iter(imported)) if len(imported) == 1 else ""
        place = PLACES.get((call.func.attr, client == "python"))
        if client and place is not None:
            check(facts, call, argument(call, place, "offsets", "positions"))


def check(facts, call, node):
    if node is None:
        return
    for part, known in parts(Evaluator().value(node, at(call))):
        found = offset(part, known)
        if found is not None:
            facts.add("offset-not-next", found, call.func.attr)


def parts(given):
    """The offsets of a list or dict: [(node, value)]."""
    if isinstance(given, Elements):
        return given.elements
    return given.loose if isinstance(given, Dict) else []


def offset(node, known):
    """Where the offset of a record is used as it is, or None."""
    if class_of(known) == "Offset":
        return node
    if class_of(known) in ("TopicPartition", "OffsetAndMetadata") and known.call is not None:
        given = argument(known.call, 2 if class_of(known) == "TopicPartition" else 0, "offset")
        if given is not None and class_of(Evaluator().value(given, known.context)) == "Offset":
            return given
    if isinstance(node, ast.Tuple) and isinstance(known, Elements) and known.elements:
        return offset(*known.elements[0])
    return None


