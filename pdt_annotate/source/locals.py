"""The locals of a function whose types are worth reading while it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.source.survey import Definition, read_survey
from pdt_annotate.source.syntax import called_name, plain_assignments, root_name
from pdt_annotate.source.uses import FOREIGN, MAKERS, REDUCERS
from pdt_annotate.values.slots import Owner


def wanted_locals(owner: Owner) -> Iterator[tuple[str, int]]:
    """The locals to read: those whose type the source leaves open, and at line 0 those that are passed on."""
    found = read_survey(owner.file)
    function = found.function(owner) if found is not None else None
    if function is not None:
        yield from open_locals(function.node)
        yield from ((name, 0) for name in passed_locals(function.node))


def every_local(owner: Owner) -> Iterator[tuple[str, int]]:
    """The same, and all others as locals that are passed on."""
    found = read_survey(owner.file)
    function = found.function(owner) if found is not None else None
    if function is not None:
        left_open = dict(open_locals(function.node))
        yield from left_open.items()
        yield from ((name, 0) for name in sorted(_stored(function.node) - left_open.keys()))


def _stored(function: Definition) -> set[str]:
    return {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def open_locals(function: Definition) -> Iterator[tuple[str, int]]:
    """The locals whose first assignment leaves their type open, each with its line."""
    first: dict[str, ast.Assign] = {}
    for name, node in plain_assignments(function):
        first.setdefault(name, node)
    return ((name, node.lineno) for name, node in first.items() if is_open(node.value))


def is_open(value: ast.expr) -> bool:
    """Whether an initial value leaves the type of what it will hold open."""
    if isinstance(value, ast.Constant):
        return value.value is None
    if isinstance(value, (ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.Tuple)):
        return True
    if isinstance(value, ast.BinOp):
        return is_open(value.left) or is_open(value.right)
    if isinstance(value, ast.Call):
        return called_name(value) in MAKERS
    return isinstance(value, ast.IfExp) and (is_open(value.body) or is_open(value.orelse))


def passed_locals(function: Definition) -> Iterator[str]:
    """The names that a function assigns and passes to functions other than torch's: what is called sees their types."""
    passed = {
        argument.id
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and root_name(node.func) not in {"", *FOREIGN, *REDUCERS}
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
        if isinstance(argument, ast.Name)
    }
    yield from sorted(_stored(function) & passed)
