"""The keyword arguments of a Python client library, as a table.

    python3 keywords.py kafka-python > ../kafka-python-VERSION.tsv
    python3 keywords.py aiokafka > ../aiokafka-VERSION.tsv

With the python of a virtual environment, or PYTHONPATH=DIR after
pip install --target=DIR kafka-python==VERSION aiokafka==VERSION. kafka-python has its
arguments in DEFAULT_CONFIG, aiokafka in signatures. Neither says of which type one is:
that is read off the default, and of those without a default off the name.
"""
import importlib.metadata
import inspect
import math
import re
import sys

HEAD = ["name", "alias-of", "applies", "type", "range", "default", "application", "binding", "deprecated"]
CODE = re.compile(r"serializer|callback|ssl_context|partitioner|token_provider|selector|kafka_client|metric_reporters"
                  r"|socket_options|^loop$|assignment_strategy")


def clients(library):
    """Letter of Property.Applies to name and default of each argument."""
    if library == "kafka-python":
        import kafka
        all_of = {"P": kafka.KafkaProducer, "C": kafka.KafkaConsumer, "A": kafka.KafkaAdminClient}
        return {letter: dict(c.DEFAULT_CONFIG) for letter, c in all_of.items()}
    import aiokafka
    import aiokafka.admin
    all_of = {"P": aiokafka.AIOKafkaProducer, "C": aiokafka.AIOKafkaConsumer, "A": aiokafka.admin.AIOKafkaAdminClient}
    return {letter: {name: p.default for name, p in inspect.signature(c.__init__).parameters.items()
                     if p.kind == p.KEYWORD_ONLY} for letter, c in all_of.items()}


def kind(name, value):
    if CODE.search(name):
        return "code"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)) or re.search(r"_(ms|bytes|records)$", name):
        return "integer"
    return "string"


def shown(name, value):
    if value is None or kind(name, value) == "code" and name != "partition_assignment_strategy":
        return "-"
    if isinstance(value, (list, tuple)):
        return ",".join(getattr(v, "name", str(v)) for v in value) or "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    return "-" if type(value) is object else str(value) or "-"


def limits(name, value):
    return {"boolean": "true, false"}.get(kind(name, value), "-")


def main():
    library, rows = sys.argv[1], {}
    for letter, arguments in clients(library).items():
        for name, value in arguments.items():
            text = shown(name, value)
            same = [r for r in rows.get(name, []) if r[5] == text]
            if same:
                same[0][2] += letter
                continue
            code = "yes" if kind(name, value) == "code" else "-"
            rows.setdefault(name, []).append([name, "-", letter, kind(name, value), limits(name, value), text, code, "-", "-"])
    print(*HEAD, sep="\t")
    for name in sorted(rows):
        for row in rows[name]:
            row[2] = "*" if row[2] == "PCA" else row[2]
            print(*row, sep="\t")
    print(library, importlib.metadata.version(library), file=sys.stderr)


main()
