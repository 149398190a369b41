"""Small questions about nodes of the tree."""
import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def dotted(node):
    """a.b.c as text, or None for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def condition(test):
    """A condition as a key and its polarity: `not X` is X turned round."""
    turned = True
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, turned = test.operand, not turned
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        opposite = {ast.IsNot: ast.Is, ast.NotEq: ast.Eq, ast.NotIn: ast.In}.get(type(test.ops[0]))
        if opposite:
            sides = ast.dump(test.left) + ast.dump(test.comparators[0])
            return opposite.__name__ + sides, not turned
        sides = ast.dump(test.left) + ast.dump(test.comparators[0])
        return type(test.ops[0]).__name__ + sides, turned
    return ast.dump(test), turned


def expects_failure(node):
    """pytest.raises(...), self.assertRaises(...): what is in such a block is wrong on purpose."""
    name = dotted(node.func) if isinstance(node, ast.Call) else None
    return name is not None and name.rsplit(".", 1)[-1] in ("raises", "assertRaises", "assertRaisesRegex")
