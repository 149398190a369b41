"""What the librdkafka of an installed confluent-kafka says of its settings, as a table.

    python3 librdkafka.py > ../librdkafka-VERSION.tsv       (with the python of a virtual
    environment, or PYTHONPATH=DIR after pip install --target=DIR confluent-kafka==VERSION)

Names, ranges and types are those that rd_kafka_conf_properties_show prints, defaults those
that rd_kafka_conf_get reads from a fresh configuration. It prints no hidden settings: they
are the words in the library's own file that rd_kafka_conf_set knows. Which names the Python
binding adds is found out by giving it code under each word of its own file.
"""
import ctypes
import glob
import os
import re
import sys
import tempfile
import time

import confluent_kafka
import confluent_kafka.cimpl

HEAD = ["name", "alias-of", "applies", "type", "range", "default", "application", "binding", "deprecated"]
UNKNOWN, INVALID = -2, -1
TYPES = {"CSV flags": "flags", "boolean": "boolean", "enum value": "enum", "float": "float", "integer": "integer",
         "pattern list": "string", "string": "string", "see dedicated API": "code"}


def open_library():
    folder = os.path.dirname(os.path.dirname(confluent_kafka.__file__))
    path = glob.glob(os.path.join(folder, "confluent_kafka.libs", "librdkafka-*"))[0]
    lib = ctypes.CDLL(path)
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for new in (lib.rd_kafka_conf_new, lib.rd_kafka_topic_conf_new):
        new.restype, new.argtypes = pointer, []
    lib.rd_kafka_conf_set.argtypes = [pointer, text, text, text, ctypes.c_size_t]
    for get in (lib.rd_kafka_conf_get, lib.rd_kafka_topic_conf_get):
        get.argtypes = [pointer, text, text, ctypes.POINTER(ctypes.c_size_t)]
    lib.rd_kafka_conf_destroy.argtypes = [pointer]
    lib.rd_kafka_conf_properties_show.argtypes = [pointer]
    lib.rd_kafka_version_str.restype = text
    return lib, path


def shown(lib):
    """The lines that the library prints, as lists of their columns."""
    c = ctypes.CDLL(None)
    c.fopen.restype, c.fopen.argtypes = ctypes.c_void_p, [ctypes.c_char_p] * 2
    c.fclose.argtypes = [ctypes.c_void_p]
    with tempfile.NamedTemporaryFile() as file:
        stream = c.fopen(file.name.encode(), b"w")
        lib.rd_kafka_conf_properties_show(stream)
        c.fclose(stream)
        text = open(file.name, encoding="utf-8").read()
    rows = [[part.strip() for part in line.split("|", 5)] for line in text.splitlines() if "*Type: " in line]
    assert len(rows) > 150, "rd_kafka_conf_properties_show prints other lines than expected"
    return rows


def words(path):
    with open(path, "rb") as file:
        return sorted({w.decode() for w in re.findall(rb"[a-z][a-zA-Z0-9._-]{3,63}(?=\0)", file.read())})


def configured(lib, name, value):
    """What rd_kafka_conf_set says to it: 0, INVALID with a text, UNKNOWN."""
    conf, text = lib.rd_kafka_conf_new(), ctypes.create_string_buffer(512)
    code = lib.rd_kafka_conf_set(conf, name.encode(), value, text, len(text))
    lib.rd_kafka_conf_destroy(conf)
    return code, text.value.decode()


def default(lib, name):
    for get, conf in ((lib.rd_kafka_conf_get, lib.rd_kafka_conf_new()),
                      (lib.rd_kafka_topic_conf_get, lib.rd_kafka_topic_conf_new())):
        text, size = ctypes.create_string_buffer(4096), ctypes.c_size_t(4096)
        if get(conf, name.encode(), text, ctypes.byref(size)) == 0:
            return text.value.decode() or "-"
    return "-"


def row(lib, parts):
    name, applies, limits, _, _, text = parts
    kind = TYPES[re.search(r"\*Type: ([a-zA-Z ]+)\*", text).group(1)]
    alias = re.match(r"Alias for `([^`]*)`", text)
    code = kind == "code"
    if kind == "integer" and configured(lib, name, b"all")[0] == 0:
        limits += ", all"  # acks takes a word that it does not print
    return [name, alias.group(1) if alias else "-", applies, kind, limits or "-",
            "-" if code else default(lib, name), "yes" if code else "-", "-", "yes" if "**DEPRECATED**" in text else "-"]


def hidden(lib, path, known):
    """Rows of settings that are not printed."""
    for name in words(path):
        if name in known or name.startswith("ut_") or configured(lib, name, None)[0] == UNKNOWN:
            continue  # "ut_" is a hook of its own unit tests
        answers = [configured(lib, name, value) for value in (b"kcompare", b"true", b"-2147483648")]
        limits = re.search(r"range (-?\d+)\.\.(\d+)", answers[2][1])
        if answers[0][0] == 0:
            kind = ["string", "-", default(lib, name)]
        elif answers[1][0] == 0:
            kind = ["boolean", "true, false", default(lib, name)]
        elif limits:
            kind = ["integer", "%s .. %s" % limits.groups(), default(lib, name)]
        else:
            kind = ["refused", "-", "-"]
        yield [name, "-", "*", *kind, "-", "-", "-"]


class Code:
    """An object that can be called, gives a token, and has the method of a logger.

    A client of 2.16.1 that has an oauth_cb waits until it has given a token.
    """
    def __call__(self, *_):
        return "token", time.time() + 3600

    log = __call__


def bound(known):
    """Names that the Python binding takes code under."""
    login = {"security.protocol": "sasl_plaintext", "sasl.mechanism": "OAUTHBEARER", "log_level": 0}
    for name in words(confluent_kafka.cimpl.__file__):
        takers = ""
        for letter, new, conf in (("P", confluent_kafka.Producer, {}), ("C", confluent_kafka.Consumer, {"group.id": "kcompare"})):
            try:
                new({**login, **conf, name: Code()})
                takers += letter
            except Exception:  # every refusal is the same answer
                pass
        if takers and (name not in known or known[name][6] == "yes"):
            yield [name, "-", "*" if takers == "PC" else takers, "code", "-", "-", "yes", "python", "-"]


def main():
    lib, path = open_library()
    rows = {}
    for parts in shown(lib):  # three are there again for topics, where rd_kafka_conf_set does not get
        rows.setdefault(parts[0], row(lib, parts))
    rows.update({r[0]: r for r in hidden(lib, path, rows)})
    for r in list(bound(rows)):
        rows.setdefault(r[0], r)[7] = "python"
    print(*HEAD, sep="\t")
    for name in sorted(rows):
        print(*rows[name], sep="\t")
    print("librdkafka", lib.rd_kafka_version_str().decode(), file=sys.stderr)


if __name__ == "__main__":
    main()
