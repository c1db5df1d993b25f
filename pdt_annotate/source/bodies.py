"""What one walk over a function's body notes: what its names are bound to, what is put into them, calls and returns."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from dataclasses import dataclass, field

from pdt_annotate.source.survey import Definition

BodyBinding = ast.Assign | ast.AnnAssign | ast.For


@dataclass(frozen=True)
class BodyNotes:
    """Notes of one function.

    Names are those of variables, and "self.x" for an attribute of one. `bindings` are by name, each the target that
    holds the name and the statement; `filled` are by name the parts of `name.append(part)` and `name[part] = part`.
    """

    bindings: dict[str, list[tuple[ast.expr, BodyBinding]]] = field(default_factory=lambda: defaultdict(list))
    filled: dict[str, list[tuple[ast.expr, ...]]] = field(default_factory=lambda: defaultdict(list))
    calls: list[ast.Call] = field(default_factory=list)
    returned: list[ast.expr] = field(default_factory=list)


@functools.lru_cache(maxsize=4096)
def read_body(function: Definition) -> BodyNotes:
    """Walk a function once: in a process that scripts many objects of one file, for all of them."""
    body = BodyNotes()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                _note_target(body, target, node)
            target = node.targets[0]
            if isinstance(target, ast.Subscript) and (name := dotted(target.value)):
                body.filled[name].append((target.slice, node.value))
        elif isinstance(node, (ast.AnnAssign, ast.For)):
            _note_target(body, node.target, node)
        elif isinstance(node, ast.Call):
            body.calls.append(node)
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr == "append" and (name := dotted(called.value)):
                body.filled[name].append(tuple(node.args))
        elif isinstance(node, ast.Return) and node.value is not None:
            body.returned.append(node.value)
    return body


def _note_target(body: BodyNotes, target: ast.expr, statement: BodyBinding) -> None:
    if isinstance(target, ast.Attribute) and (attribute := dotted(target)):
        body.bindings[attribute].append((target, statement))
    for name in ast.walk(target):
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
            body.bindings[name.id].append((target, statement))


def dotted(node: ast.expr) -> str:
    """The name of a variable, or of an attribute of one; empty for other expressions."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
