"""Settings that go to a client, or would: dicts and keyword arguments as entries."""
import ast
import builtins

from evaluate import Context, Evaluator, at, named, plain_value
from names import ASSUMED, CLIENTS, FOREIGN, NO_SETTINGS, OBJECTS, PACKAGES, RESOURCES
from values import Code, Const, Dict, External, Item, Object, Value, plain

VARIANTS = 6  # conditions that are tried out, one at a time


class Blocks:
    """Finds the blocks of one module. Known says of each setting to whom it applies."""

    def __init__(self, module, known):
        self.module, self.known = module, known
        self.found, self.used = [], set()

    def all(self):
        for call in self.module.calls:
            self.of_call(call)
        for name, node, context in self.candidates():
            self.stray(name, node, context)
        return self.found

    # Settings that a class takes.

    def of_call(self, call):
        path = called(call)
        if self.module.listing and path.startswith("builtins."):
            path = self.assumed(call, path)
        if path in CLIENTS:
            client, role, form = CLIENTS[path]
            self.variants(call, client, role, path.rsplit(".", 1)[-1],
                          from_dict if form == "dict" else from_keywords)
        elif path in RESOURCES:
            client, keyword, position = RESOURCES[path]
            client = client or resource(call)
            if client:
                self.variants(call, client, "", path.rsplit(".", 1)[-1],
                              lambda e, c: one_argument(e, c, keyword, position))

    def assumed(self, call, path):
        """A listing often leaves its imports out. A class by the name of a client's that
        is given Kafka's settings is that client's."""
        path = ASSUMED.get(path.split(".", 1)[1], "")
        if not path:
            return ""
        read = from_dict if CLIENTS[path][2] == "dict" else from_keywords
        return path if self.form(read(Evaluator(), call)) else ""

    def variants(self, call, client, role, kind, read):
        evaluator = Evaluator()
        values = [read(evaluator, call)]
        for condition in [c for c in evaluator.met if not c.startswith("loop ")][:VARIANTS]:
            values.append(read(Evaluator({condition: True}), call))
        seen = []
        values = [value for value in values if isinstance(value, Dict)]
        for value in values:
            self.used.update(id(node) for node in value.nodes)
            if self.module.fails(call):
                continue
            block = self.block(value, client, role, kind, call)
            for entry in block["entries"]:
                if any(entry["key"] not in other.items for other in values):
                    entry["maybe"] = True
            if (block["entries"] or not value.open) and block not in seen:
                seen.append(block)
        self.found += seen

    def block(self, value, client, role, kind, node):
        items = [item for item in value.items.values() if wanted(item, kind)]
        return {"client": client, "role": role, "class": kind, "at": self.module.place(node), "open": value.open,
                "entries": [self.entry(item, client) for item in items]}

    def entry(self, item, client):
        module = item.module
        made = {"key": item.key, "keyAt": module.place(item.key_node), "at": module.place(item.value_node),
                "source": module.source(item.value_node)}
        if module.path != self.module.path:
            made["path"] = module.path
        made.update(described(item.value, client))
        return made

    # Settings that are given to nothing in sight.

    def candidates(self):
        """Dicts by name: where a name is bound to one, the name at the end of its scope."""
        listed, named_nodes = [], set()
        for scope in self.module.scopes:
            for table in (scope.events, scope.attrs):
                for name, events in table.items():
                    for event in events:
                        if event.kind == "assign" and self.dict_like(event.value):
                            named_nodes.add(id(event.value))
                            listed.append((name, event.value, self.end_of(event, name)))
        for node in self.module.dicts:
            if id(node) not in named_nodes:
                listed.append(("", node, at(node)))
        return listed

    def end_of(self, event, name):
        """The context after the last event of a name, under the event's own conditions."""
        return Context(event.scope, 1 << 60, event.path)

    def dict_like(self, node):
        if isinstance(node, ast.Dict):
            return True
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict"

    def stray(self, name, node, context):
        if id(node) in self.used or isinstance(node, ast.Dict) and not self.telling(node):
            return
        evaluator = Evaluator()
        value = evaluator.value(node, at(node))
        if name and "." not in name and name in context.scope.bound:
            whole = evaluator.look(name, context)
            if isinstance(whole, Dict) and any(n is node for n in whole.nodes):
                value = whole
        if not isinstance(value, Dict):
            return
        form = self.form(value)
        if not form:
            return
        self.used.update(id(n) for n in value.nodes)
        client = self.client(form)
        self.found.append(self.block(value, client, self.role(name, value), "", node))

    def telling(self, node):
        """Whether a display can hold settings: most do not even have one key of theirs."""
        keys = [getattr(key, "value", None) for key in node.keys]
        return None in keys or any(isinstance(k, str) and k.replace("_", ".") in self.known for k in keys) or "metadata.broker.list" in keys

    def form(self, value):
        """ "dots" or "underscores" where the keys are clearly Kafka's, else ""."""
        keys = set(value.items)
        if keys & set(FOREIGN):
            return ""
        dotted_keys = [k for k in keys if "." in k and k in self.known]
        if len(dotted_keys) >= 2 or keys & {"bootstrap.servers", "metadata.broker.list"}:
            return "dots"
        lines = [k for k in keys if "_" in k and k.replace("_", ".") in self.known]
        return "underscores" if "bootstrap_servers" in keys and len(lines) >= 2 else ""

    def client(self, form):
        imported = packages(self.module)
        if form == "underscores":
            mine = [c for c in ("kafka-python", "aiokafka") if c in imported]
        else:
            mine = [c for c in ("python", "java") if c in imported]
        return mine[0] if len(mine) == 1 else ""

    def role(self, name, value):
        for role in ("producer", "consumer", "admin"):
            if role in name.lower():
                return role
        applies = {self.known.get(k.replace("_", ".") if "." not in k else k, "*") for k in value.items}
        if "P" in applies and "C" not in applies:
            return "producer"
        return "consumer" if "C" in applies and "P" not in applies else ""


def called(call):
    """The path of what a call calls, where it is of a module that is not looked into."""
    target = plain_value(call.func) if hasattr(call.func, "scope") else None
    return target.path if isinstance(target, External) else parent_client(call)


def parent_client(call):
    """The client class whose __init__ a subclass calls: super().__init__(conf)."""
    func = call.func
    if not (isinstance(func, ast.Attribute) and func.attr == "__init__" and isinstance(func.value, ast.Call)):
        return ""
    owner = call.scope.owner()
    if owner is None or not isinstance(func.value.func, ast.Name) or func.value.func.id != "super":
        return ""
    for base in owner.node.bases:
        value = Evaluator().value(base, Context(owner.parent, owner.node.lineno << 20))
        if isinstance(value, External) and value.path in CLIENTS:
            return value.path
    return ""


def from_dict(evaluator, call):
    """Settings of confluent_kafka: a dict, and keyword arguments beside it."""
    context = at(call)
    first = call.args[0] if call.args else None
    rest = call.keywords
    if first is None:
        for keyword in call.keywords:
            if keyword.arg in ("config", "conf", "producer_conf", "consumer_conf"):
                first, rest = keyword.value, [k for k in rest if k is not keyword]
    base = evaluator.value(first, context) if first is not None else Dict()
    made = base.copy() if isinstance(base, Dict) else Dict(open=True)
    return with_keywords(made, rest, evaluator, context)


def from_keywords(evaluator, call):
    """Settings of kafka-python and aiokafka: keyword arguments."""
    return with_keywords(Dict(), call.keywords, evaluator, at(call))


def with_keywords(made, keywords, evaluator, context):
    for keyword in keywords:
        value = evaluator.value(keyword.value, context)
        if keyword.arg is None:
            made.merge(value)
        elif keyword.arg not in NO_SETTINGS:
            made.put(Item(keyword.arg, context.scope.module, named(keyword), keyword.value, value))
    return made


def one_argument(evaluator, call, keyword, position):
    for given in call.keywords:
        if given.arg == keyword:
            return evaluator.value(given.value, at(call))
    if position is not None and len(call.args) > position:
        return evaluator.value(call.args[position], at(call))
    return Value()


def resource(call):
    """Whose settings a ConfigResource holds, by its first argument."""
    first = ast.dump(call.args[0]).lower() if call.args else ""
    return "broker" if "'broker'" in first else "topic" if "'topic'" in first else ""


def wanted(item, kind):
    """Avro's old classes take settings of the schema registry in the same dict."""
    return not (kind.startswith("Avro") and item.key.startswith("schema.registry."))


def described(value, client):
    """Kind and text of a value, as the library gets it."""
    known, result = plain(value)
    if not known:
        if code(value):
            return {"kind": "code"}
        return {"kind": "computed", "changing": sorted(value.changing)}
    if result is None:
        return {"kind": "null"}
    if isinstance(result, bool):
        return {"kind": "truth", "text": "true" if result else "false"}
    if isinstance(result, (int, float)):
        return {"kind": "number", "text": str(result)}
    return {"kind": "text", "text": text(result, client in ("kafka-python", "aiokafka"))}


def text(result, listed):
    """librdkafka gets str() of whatever it is given, the others take lists and bytes."""
    if isinstance(result, str):
        return result
    if isinstance(result, bytes):
        return result.decode("utf-8", "replace")
    if listed and isinstance(result, list):
        return ",".join(str(part) for part in result)
    return str(result)


def code(value):
    if isinstance(value, (Code, Object)):
        return True
    if not isinstance(value, External):
        return bool(getattr(value, "elements", None)) and all(code(v) for _, v in value.elements)
    root = value.path.split(".")[0]
    if root == "builtins":
        return hasattr(builtins, value.path.split(".")[1])
    return root in OBJECTS


def packages(module):
    """The clients whose packages a file, or a listing before it, imports."""
    found = set()
    while module is not None:
        found |= {PACKAGES.get(star.split(".")[0]) for star in module.stars}
        for events in module.scope.events.values():
            for event in events:
                if event.kind == "import" and event.value[0] == 0:
                    found.add(PACKAGES.get(event.value[1].split(".")[0]))
        module = module.previous
    return found - {None}
