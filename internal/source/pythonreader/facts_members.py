"""Names that a class of the library does not have."""
import ast
import difflib

from facts import class_of, value
from names import CLIENTS, KAFKA_ERROR, KAFKA_EXCEPTION
from values import External

PACKAGE = {"python": "confluent-kafka", "kafka-python": "kafka-python", "aiokafka": "aiokafka"}
SUBMODULES = {"admin", "avro", "schema_registry", "serialization", "aio", "experimental", "cimpl", "error",
              "deserializing_consumer", "serializing_producer"}


def find(facts):
    asked = guarded(facts.module)
    for node in facts.module.attributes:
        kind = owner(node.value)
        if kind in facts.members and judged(node.attr) and node.attr not in asked:
            check(facts, node, kind, node.attr)
    imports(facts)


def judged(name):
    return not name.startswith("_") or name[1:].isupper() and not name.startswith("__")


def owner(node):
    """The class that an expression is, or is an object of."""
    if not hasattr(node, "scope"):
        return ""
    found = value(node)
    if isinstance(found, External):
        if found.path in KAFKA_ERROR:
            return "KafkaError"
        if found.path in KAFKA_EXCEPTION:
            return "KafkaException"
        return found.path.rsplit(".", 1)[-1] if found.path in CLIENTS else ""
    return class_of(found)


def guarded(module):
    """Names that the code itself asks for: hasattr(p, "close"), except AttributeError, p.close = ..."""
    asked = set()
    for call in module.calls:
        if isinstance(call.func, ast.Name) and call.func.id in ("hasattr", "getattr") and len(call.args) > 1:
            asked.add(getattr(call.args[1], "value", None))
    for handler in module.handlers:
        if handler.type is not None and "AttributeError" in ast.dump(handler.type):
            for part in handler.attempt.body:
                asked |= {n.attr for n in ast.walk(part) if isinstance(n, ast.Attribute)}
    for scope in module.scopes:
        asked |= {name.rsplit(".", 1)[-1] for name, events in scope.events.items()
                  if "." in name and any(e.kind == "assign" for e in events)}
    return asked


def check(facts, node, kind, name):
    versions = facts.members[kind]
    with_it = [v for v, names in versions.items() if name in names]
    exact = facts.version in versions and package(kind) == "confluent-kafka"
    if exact and facts.version in with_it or not exact and common(kind, versions, with_it):
        return
    args = {"class": kind, "package": package(kind), "versions": ", ".join(versions),
            "nearest": nearest(name, set().union(*versions.values()))}
    if not with_it:
        facts.add("no-such-member", node, name, **args)
        return
    args.update(has=", ".join(with_it), version=facts.version if exact else "")
    facts.add("no-such-member" if exact else "member-of-some-versions", node, name, **args)


def common(kind, versions, with_it):
    """Whether nothing is to be said where nobody knows the version: all have the name,
    or the newest has it and the package is one whose old versions are hardly met."""
    newest = list(versions)[-1]
    return len(with_it) == len(versions) or newest in with_it and package(kind) != "confluent-kafka"


def package(kind):
    for path, (client, _, _) in CLIENTS.items():
        if path.rsplit(".", 1)[-1] == kind:
            return PACKAGE[client]
    return "confluent-kafka"


def nearest(name, names):
    """The name that was most likely meant: without the underscore, with more words, or alike."""
    bare = name.strip("_")
    for same in (bare, "_" + bare):
        if same in names:
            return same
    longer = sorted(n for n in names if bare in n and len(bare) > 5)
    alike = difflib.get_close_matches(name, sorted(names), 1, 0.75)
    return (alike + longer + [""])[0]


def imports(facts):
    """from confluent_kafka import NAME, of a name that it has not."""
    for scope in facts.module.scopes:
        for events in list(scope.events.values()):
            for event in events:
                if event.kind != "import" or any(key.startswith("except ") for key, _ in event.path):
                    continue
                level, module, name = event.value
                if level == 0 and module == "confluent_kafka" and name and name not in SUBMODULES and judged(name) \
                        and not tried(facts.module, event.node):
                    check(facts, event.node, "confluent_kafka", name)


def tried(module, node):
    """Whether an import stands in a try whose handler takes care of ImportError."""
    return any(node in handler.attempt.body for handler in module.handlers)
