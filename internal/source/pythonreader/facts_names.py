"""Names that nothing binds, in code around Kafka."""
import ast
import builtins

from blocks import packages
from names import CLASSES, CLIENTS

# Names of the library that are not imported where they are used.
LIBRARY = {path.rsplit(".", 1)[-1] for path in list(CLIENTS) + list(CLASSES)}


def find(facts):
    module = facts.module
    if module.stars or not packages(module) or dynamic(module):
        return
    for scope in module.scopes:
        for node in scope.loads:
            judge(facts, scope, node)


def dynamic(module):
    """Whether names may come from where no reader looks."""
    return any(isinstance(c.func, ast.Name) and c.func.id in ("exec", "globals", "eval", "vars") for c in module.calls)


def judge(facts, scope, node):
    module, name = facts.module, node.id
    if scope.binder(name) is not None or name in module.scope.bound or hasattr(builtins, name) or name.startswith("__"):
        return
    earlier = bound_before(module, name)
    if name in LIBRARY and imports_library(module):
        facts.add("name-not-imported" if earlier else "undefined-name", node, name)
    elif not earlier and name in LIBRARY and not module.listing:
        facts.add("undefined-name", node, name)
    elif not earlier and scope.frame().kind == "function":
        for other in module.scopes:
            if other.kind == "function" and name in other.bound:
                facts.add("undefined-name", node, name, function=other.described(),
                          attribute=own_attribute(scope, name))
                return


def bound_before(module, name):
    while module.previous is not None:
        module = module.previous
        if name in module.scope.bound or module.stars:
            return True
    return False


def imports_library(module):
    """Whether the module itself imports from confluent_kafka by name."""
    return any(e.kind == "import" and e.value[1].split(".")[0] == "confluent_kafka" and e.value[2]
               for events in module.scope.events.values() for e in events)


def own_attribute(scope, name):
    owner = scope.owner()
    return "yes" if owner is not None and name in owner.attrs else ""
