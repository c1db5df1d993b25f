"""Where a function asks whether a value is true or false, and nothing more."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def tested(tree: ast.AST) -> list[ast.expr]:
    """The expressions of which only the truth counts, the innermost operands alone: `if a and not b: …` → a, b."""
    found = {operand: None for node in ast.walk(tree) for test in tests(node) for operand in _operands(test)}
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def tests(node: ast.AST) -> list[ast.expr]:
    """What one node asks for its truth."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    return node.ifs if isinstance(node, ast.comprehension) else []


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _operands(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _operands(test.operand)
    else:
        yield test
