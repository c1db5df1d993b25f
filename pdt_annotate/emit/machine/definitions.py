"""The functions and classes of a syntax tree, and their first lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Block = ast.stmt | ast.excepthandler | ast.match_case


def find_definitions(tree: ast.AST) -> Iterator[Definition]:
    """The functions and classes below a node, in source order."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, Definition):
            yield child
        if isinstance(child, Block):
            yield from find_definitions(child)


def line_of(definition: Definition) -> int:
    """The line that an Owner knows a definition by: that of the first decorator, where there is one."""
    return definition.decorator_list[0].lineno if definition.decorator_list else definition.lineno
