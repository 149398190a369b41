"""Reads files: a JSON line in for each, a JSON line out for each."""
import ast
import gc
import io
import json
import os
import sys
import textwrap
import tokenize
import traceback
import warnings

import facts_delivery
import facts_errors
import facts_fork
import facts_members
import facts_names
import facts_offsets
import facts_transactions
import listings
from blocks import Blocks, packages
from facts import Facts
from scopes import Module

MARK = "kcompare:ignore"
LARGEST = 1 << 20  # of a module that is read because another imports it


class Found:
    """A module that was imported, and the name it goes by."""

    def __init__(self, module, name):
        self.module, self.name = module, name


class Finder:
    """Finds the text of modules beside a file, or in the folders above it."""

    def __init__(self):
        self.modules, self.answers = {}, {}

    def find(self, path, level, name, member):
        """The module `name`, or `name.member` where that is one."""
        if not level and name.split(".", 1)[0] in STANDARD:
            return None
        asked = (os.path.dirname(path), level, name, member)
        if asked not in self.answers:
            self.answers[asked] = self.search(*asked)
        return self.answers[asked]

    def search(self, folder, level, name, member):
        parts = [p for p in name.split(".") if p]
        if level:
            for _ in range(level - 1):
                folder = os.path.join(folder, "..")
            return self.within(folder, parts, member)
        if not parts or parts[0] in sys.builtin_module_names:
            return None
        for _ in range(6):
            found = self.within(folder, parts, member)
            if found is not None or not folder or folder == os.path.dirname(folder):
                return found
            folder = os.path.dirname(folder)
        return None

    def within(self, folder, parts, member):
        base = os.path.join(folder, *parts) if parts else folder
        for path, name in ((os.path.join(base, member or ""), member), (base, None)):
            if member is None and name is None:
                path = base
            for file in (path + ".py", os.path.join(path, "__init__.py")):
                module = self.load(file)
                if module is not None:
                    return Found(module, name if name is not None and path != base else None)
        return None

    def load(self, path):
        path = os.path.normpath(path)
        if path not in self.modules:
            self.modules[path] = None  # also while it is being read: modules import each other
            self.modules[path] = self.read(path)
        return self.modules[path]

    def read(self, path):
        try:
            if os.path.getsize(path) > LARGEST:
                return None
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            return None
        tree = listings.parse(text)
        return self.made(path, tree, text) if tree is not None else None

    def made(self, path, tree, text, **more):
        module = Module(path, tree, listings.lines_of(text), **more)
        module.finder = self.find
        return module


STANDARD = {"abc", "argparse", "asyncio", "base64", "collections", "concurrent", "contextlib", "copy", "csv", "dataclasses",
            "datetime", "enum", "functools", "hashlib", "io", "itertools", "json", "logging", "math", "multiprocessing",
            "os", "pathlib", "queue", "random", "re", "signal", "socket", "ssl", "string", "struct", "subprocess", "sys",
            "tempfile", "threading", "time", "traceback", "types", "typing", "unittest", "urllib", "uuid", "warnings",
            "secrets", "pickle", "decimal", "zlib", "confluent_kafka", "kafka", "aiokafka"}


FINDERS = (facts_members, facts_errors, facts_offsets, facts_transactions, facts_delivery, facts_fork, facts_names)


class Reader:
    """Reads what comes in, with what is known from the start."""

    def __init__(self, known):
        self.known = known["settings"]
        self.members = {}  # class -> version -> names
        for line in known["members"].split("\n")[:-1]:
            _, version, kind, names = line.split("\t")
            self.members.setdefault(kind, {})[version] = set(names.split(" "))
        self.finder = Finder()
        self.before = {}  # path -> the listing before, for listings of one text

    def read(self, asked):
        try:
            return self.looked(asked)
        except (RecursionError, MemoryError):  # the parser says so in one way or the other
            return {"unread": "nested too deeply"}
        except Exception as error:  # a defect here costs one file its check, not all that follow
            place = traceback.extract_tb(error.__traceback__)[-1]
            return {"unread": "not checked: the reader failed: %r in %s:%d" % (error, place.filename, place.lineno)}

    def looked(self, asked):
        path, text, shift = asked["path"], asked["text"], asked["firstLine"]
        if not shift:
            self.before.pop(path, None)  # a whole text sees no other
        modules, unread, mistake = self.modules(path, text, shift, asked["unfenced"])
        found = {"blocks": [], "facts": [], "ignores": [], "unread": unread, "mistake": mistake}
        for module in modules:
            found["blocks"] += Blocks(module, self.known).all()
            found["facts"] += self.facts(module, asked["package"])
        for block in found["blocks"]:
            block["version"] = asked["versions"].get(block["client"], "")
        if MARK in text:
            found["ignores"] = ignores(text, shift)
        return found

    def facts(self, module, version):
        facts = Facts(module, self.members, version)
        if packages(module) - {"java"}:
            for finder in FINDERS:
                finder.find(facts)
        return sorted(facts.found, key=lambda fact: (fact["at"], fact["rule"]))

    def modules(self, path, text, shift, unfenced):
        """The file as one module, or its listings; why it could not be read; and the place where it is no Python."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except SyntaxError as error:
            at = [(error.lineno or 1) + shift, error.offset or 1]
            why = "not Python: line %d:%d: %s" % (at[0], at[1], error.msg)
            found = self.listings(path, text, shift) if unfenced or shift else []
            if unfenced or shift and listings.parse(textwrap.dedent(text)) is not None:
                return found, "", None
            return found, why, {"at": at, "message": error.msg}
        except ValueError as error:
            return [], "not Python: %s" % error, None
        if not shift and not unfenced:
            return [self.finder.made(path, tree, text)], "", None
        return [self.listing(path, tree, text, shift, 0)], "", None

    def listings(self, path, text, shift):
        lines, found = listings.lines_of(text), []
        for listing in listings.split(text):
            cut = listing.text(lines)
            tree = listings.parse(cut)
            if tree is not None:
                found.append(self.listing(path, tree, cut, shift, listing.margin))
        return found

    def listing(self, path, tree, text, shift, indent):
        module = self.finder.made(path, tree, text, shift=shift, indent=indent, listing=True)
        module.previous = self.before.get(path)
        self.before[path] = module
        return module


def ignores(text, shift):
    """The comments that may ask lint to be silent, and the lines that they speak for."""
    found, lines = [], listings.lines_of(text)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and MARK in token.string:
                line, column = token.start
                alone = not lines[line - 1][:column].strip()
                found.append({"comment": token.string, "at": [line + shift, column + 1],
                              "line": (following(lines, line) if alone else line) + shift})
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def following(lines, line):
    """The next line after `line` that has anything on it."""
    for i in range(line, len(lines)):
        if lines[i].strip() and not lines[i].lstrip().startswith("#"):
            return i + 1
    return line


def main(known, lines, out):
    gc.disable()  # trees are kept to the end anyway
    reader = Reader(known)
    for line in lines:
        out.write(json.dumps(reader.read(json.loads(line))) + "\n")
        out.flush()
