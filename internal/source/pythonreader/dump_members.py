"""Writes the names that the classes of Kafka's Python packages have, as members.tsv.

    python dump_members.py >> members.tsv      # with one package in the environment

One line a class: package, version, class, names. It asks the package itself. A class
written in Python also has what its methods assign to self. Private names are left out,
but for the constants of KafkaError, whose local codes begin with an underscore.
"""
import ast
import importlib
import inspect
import textwrap
from importlib import metadata

CLASSES = {
    "confluent-kafka": {
        "confluent_kafka": ["Producer", "Consumer", "SerializingProducer", "DeserializingConsumer", "KafkaError",
                            "KafkaException", "Message", "TopicPartition"],
        "confluent_kafka.admin": ["AdminClient"],
        "confluent_kafka.aio": ["AIOProducer", "AIOConsumer"],
    },
    "kafka-python": {"kafka": ["KafkaProducer", "KafkaConsumer", "KafkaAdminClient"]},
    "aiokafka": {"aiokafka": ["AIOKafkaProducer", "AIOKafkaConsumer"]},
}


def members(kind):
    """What objects of a class have."""
    found = {name for name in dir(kind) if shown(name)}
    for parent in kind.__mro__:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(parent)))
        except (TypeError, OSError):
            continue  # written in C
        found |= {node.attr for node in ast.walk(tree) if assigned(node) and shown(node.attr)}
    return sorted(found)


def shown(name):
    return not name.startswith("_") or name[1:].isupper() and not name.startswith("__")


def assigned(node):
    return (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name) and node.value.id == "self")


def main():
    for package, modules in CLASSES.items():
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
        for path, classes in modules.items():
            try:
                module = importlib.import_module(path)
            except ImportError:
                continue  # aio came with 2.12
            public = [name for name in dir(module) if not name.startswith("_")]
            print(package, version, path, " ".join(public), sep="\t")
            for name in classes:
                print(package, version, name, " ".join(members(getattr(module, name))), sep="\t")


main()
