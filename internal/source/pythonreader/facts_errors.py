"""How errors of confluent_kafka are caught and raised.

The library raises KafkaException, whose args[0] is the KafkaError. KafkaError is no
exception: its type has the flag of one, but not its base (confluent_kafka.c,
KafkaError_init0), so `except Exception` does not catch it where it is raised.
"""
import ast

from blocks import packages
from facts import class_of, path_of, value
from names import KAFKA_ERROR, KAFKA_EXCEPTION
from values import Object


def find(facts):
    for handler in facts.module.handlers:
        if handler.type is not None and catches_error(handler.type) and not beside_exception(handler):
            facts.add("except-kafka-error", handler, "except KafkaError")
    for node in facts.module.raises:
        if node.exc is not None and raises_error(facts.module, node.exc):
            facts.add("raise-kafka-error", node, "raise")


def catches_error(node):
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return bool(parts) and all(path_of(p) in KAFKA_ERROR for p in parts if hasattr(p, "scope"))


def beside_exception(handler):
    """Whether the same try has a handler for what is really raised."""
    for other in handler.attempt.handlers:
        if other.type is not None:
            parts = other.type.elts if isinstance(other.type, ast.Tuple) else [other.type]
            if any(path_of(p) in KAFKA_EXCEPTION for p in parts if hasattr(p, "scope")):
                return True
    return False


def raises_error(module, node):
    found = value(node) if hasattr(node, "scope") else None
    if class_of(found) == "KafkaError":
        return not caught(node)
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "error"
    unknown = called and not node.args and not node.keywords and not isinstance(value(node.func.value), Object)
    return unknown and packages(module) == {"python"}


def caught(node):
    """`except KafkaError as e: raise e` is about the handler, which is told already."""
    found = value(node)
    return isinstance(node, ast.Name) and found.call is None
