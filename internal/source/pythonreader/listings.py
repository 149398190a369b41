"""Finds the listings of Python in a text that is neither marked nor fenced.

A unit is a statement at the margin with what is indented below it. A listing is a run of
units with nothing but blank lines between them. A line that no unit begins with is prose.
"""
import ast
import io
import re
import tokenize
import warnings

LINES = 400  # of one unit
TRIES = 60  # ends of a unit that are tried

OPENERS = ("try", "if", "for", "while", "with", "def", "class", "async", "match")
CLAUSES = re.compile(r"\s*(else|elif|except|finally|case)\b")
KAFKA = re.compile(r"kafka|bootstrap[._]servers|(transactional|group|client)\.id|"
                   r"(init|begin|commit|abort)_transaction|send_offsets_to_transaction|\.produce\(|\.ms['\"]", re.I)


class Listing:
    """Lines from first to last (from 0, last excluded), indented by margin."""

    def __init__(self, first, last, margin):
        self.first, self.last, self.margin = first, last, margin

    def text(self, lines):
        cut = [line[self.margin:] for line in lines[self.first:self.last]]
        return "\n" * self.first + "\n".join(cut) + "\n"


def parse(text):
    """The tree, or None. Warnings about escapes in strings are nobody's here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def lines_of(text):
    """Lines as Python's parser counts them: a form feed ends none."""
    return re.split(r"\r\n?|\n", text)


def split(text):
    """The listings of a text that have to do with Kafka."""
    lines = lines_of(text)
    found, i = [], 0
    while i < len(lines):
        end = unit(lines, i) if lines[i].strip() else None
        if end is None:
            i += 1
            continue
        join(found, lines, i, end)
        i = end
    return [listing for listing in found if kafka(listing, lines)]


def kafka(listing, lines):
    return any(KAFKA.search(line) for line in lines[listing.first:listing.last])


def join(found, lines, first, end):
    """Adds a unit to the listing before it, where only blank lines are between them."""
    margin = indent(lines[first])
    if heading(lines, first, end):
        return
    if found and found[-1].margin == margin and not any(line.strip() for line in lines[found[-1].last:first]):
        found[-1].last = end
    else:
        found.append(Listing(first, end, margin))


def heading(lines, first, end):
    """A comment on its own between blank lines: in a text that is a title."""
    alone = end - first == 1 and lines[first].lstrip().startswith("#")
    before = first == 0 or not lines[first - 1].strip()
    after = end == len(lines) or not lines[end].strip()
    return alone and before and after


def indent(line):
    return len(line) - len(line.lstrip(" \t"))


def unit(lines, first):
    """The line after the unit that begins at first, or None where none does."""
    margin, opener = indent(lines[first]), opens(lines[first].strip())
    found, tries = None, 0
    for end in ends(lines, first, margin):
        tries += 1
        if tries > TRIES:
            break
        text = "\n".join(line[margin:] for line in lines[first:end]) + "\n"
        tree = parse(text)
        if tree is not None:
            if prose(tree):
                return None
            found = end
            if not continued(lines, end, margin):
                return found
        elif found is not None or not (opener or unfinished(text)):
            return found
    return found


def opens(line):
    """Whether more belongs to a line: a body, or what a decorator is for. Prose that begins
    with "for" or "with" does not go on after a colon."""
    return line.startswith("@") or line.startswith(OPENERS) and line.partition("#")[0].rstrip().endswith(":")


def ends(lines, first, margin):
    """Where a unit may end: before a line at the margin."""
    for end in range(first + 1, min(len(lines), first + LINES) + 1):
        if end == len(lines) or lines[end].strip() and indent(lines[end]) <= margin:
            yield trimmed(lines, first, end)


def trimmed(lines, first, end):
    while end > first + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def continued(lines, end, margin):
    """Whether `else:` and the like follow: the unit goes on."""
    while end < len(lines) and not lines[end].strip():
        end += 1
    return end < len(lines) and indent(lines[end]) == margin and bool(CLAUSES.match(lines[end]))


def unfinished(text):
    """Whether a bracket or a string is still open at the end."""
    try:
        for _ in tokenize.generate_tokens(io.StringIO(text).readline):
            pass
    except tokenize.TokenError:
        return True
    except (SyntaxError, ValueError):
        return False
    return False


def prose(tree):
    """Whether what parses is words all the same: `Producer`, `Retry - backoff`, `Note: this`."""
    return bool(tree.body) and all(wordy(statement) for statement in tree.body)


def wordy(statement):
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None
    if not isinstance(statement, ast.Expr):
        return False
    parts = (ast.Call, ast.Attribute, ast.Dict, ast.Await, ast.Yield)
    return not any(isinstance(part, parts) for part in ast.walk(statement))
