"""A function's digest, and the numbers of its statements: what stays the same while lines move and annotations come.

The digest is taken of the syntax tree without annotations, type parameters, docstrings and positions, so annotating,
formatting or commenting a function leaves it as it is. The nodes are walked here, because `ast.dump` writes another
text on every Python: fields that are empty are skipped, and the others go by their names.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterator
from typing import Any

from pdt_annotate.source.survey import Definition, Scope

LENGTH = 32
"""Hexadecimal digits: 128 bits."""

REMEMBERED = 16_384
"""Functions whose digests are kept: a recorded program saves often, and the survey of a file gives the same trees."""

SKIPPED = frozenset(("annotation", "returns", "type_comment", "type_params", "ctx", "kind", "simple"))
ANNOTATIONS = "__annotations__"


@functools.lru_cache(maxsize=REMEMBERED)
def digest_of(function: Definition) -> str:
    """The digest of a function, the same on every Python from 3.11 on."""
    return hashlib.sha256("\n".join(_tokens(function)).encode("ascii")).hexdigest()[:LENGTH]


def statement_lines(function: Definition) -> tuple[int, ...]:
    """The line of each statement, in an order that two functions of one digest have in common."""
    return tuple(statement.lineno for statement in _statements(function))


def _statements(function: Definition) -> Iterator[ast.stmt]:
    pending: list[Any] = [function]
    while pending:
        value = pending.pop()
        if isinstance(value, ast.stmt):
            yield value
        if isinstance(value, ast.AST):
            value = [part for _, part in _fields(value)]
        if isinstance(value, list):
            pending += reversed(value)


def _tokens(function: Definition) -> Iterator[str]:
    """The tree as text, outermost first. Iterative: an expression may be nested deeper than Python recurses."""
    pending: list[Any] = [function]
    while pending:
        value = pending.pop()
        if isinstance(value, _Token):
            yield value
        elif isinstance(value, list):
            pending += [_Token("]"), *reversed(value), _Token("[")]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.Constant):
            parts = [part for name, field in _fields(value) for part in (_Token(name), field)]
            pending += [_Token(")"), *reversed(parts), _Token(f"({_name(value)}")]
        else:
            yield _spell(value.value if isinstance(value, ast.Constant) else value)


class _Token(str):
    """Text of the digest, as against a string that stands in the tree."""


def _spell(value: Any) -> str:
    """A constant with its type, in ASCII. Hexadecimal, because Python limits how long a decimal may become."""
    return f"{type(value).__name__} {hex(value) if type(value) is int else ascii(value)}"


def _name(node: ast.AST) -> str:
    return "Assign" if isinstance(node, ast.AnnAssign) else type(node).__name__


def _fields(node: ast.AST) -> list[tuple[str, Any]]:
    """The fields that count, by name; an annotated assignment is a plain one."""
    values: dict[str, Any] = {name: getattr(node, name, None) for name in node._fields if name not in SKIPPED}
    if isinstance(node, ast.AnnAssign):
        values["targets"] = [values.pop("target")]
    if isinstance(node, ast.JoinedStr):
        values["values"] = _join_texts(node.values)
    if isinstance(node, Scope) and ast.get_docstring(node, clean=False) is not None:
        values["body"] = node.body[1:]
    counted = ((name, _without_annotations(value)) for name, value in values.items())
    return sorted((name, value) for name, value in counted if value is not None and value != [])


def _without_annotations(value: Any) -> Any:
    return [each for each in value if not _says_nothing(each)] if isinstance(value, list) else value


def _says_nothing(node: Any) -> bool:
    """What comes and goes with annotations: `pass`, `x: T`, and the `__annotations__` of a class body."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == ANNOTATIONS for target in node.targets)
    return isinstance(node, ast.Pass) or (isinstance(node, ast.AnnAssign) and node.value is None)


def _join_texts(parts: list[ast.expr]) -> list[Any]:
    """The parts of an f-string, neighbouring texts as one and empty ones left out: Pythons cut them differently."""
    joined: list[Any] = []
    for part in parts:
        text = part.value if isinstance(part, ast.Constant) else None
        if isinstance(text, str) and joined and isinstance(joined[-1], str):
            joined[-1] += text
        elif text != "":
            joined.append(part if text is None else text)
    return joined
