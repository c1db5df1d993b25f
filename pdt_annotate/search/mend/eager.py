"""Statements that run in Python alone: `if not torch.jit.is_scripting():`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.source.survey import Definition
from pdt_annotate.values.edits import Edit

IS_SCRIPTING = "torch.jit.is_scripting"


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements that both read, the outer ones before those in them; none of inner functions."""
    for statement in body:
        yield statement
        if isinstance(statement, (*Definition.__args__, ast.ClassDef)) or asks_for_python(statement):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from statements(getattr(statement, field, []))


def asks_for_python(statement: ast.stmt) -> bool:
    """Whether a statement is `if not torch.jit.is_scripting():`."""
    return isinstance(statement, ast.If) and ast.unparse(statement.test).endswith("is_scripting()")


def can_be_indented(site: MendSite, statement: ast.stmt) -> bool:
    """Whether no text in a statement has a line of its own."""
    source = site.source(statement)
    return not any(mark in source for mark in ('"""', "'''", "\\\n", "\\\r"))


def in_python_alone(site: MendSite, statement: ast.stmt) -> tuple[list[Edit], tuple[str, ...]]:
    """What lets the scripted model pass over a statement, and what that needs to be imported.

    The compiler folds this test alone: joined with another, both are read.
    """
    asked, imports = site.spell(IS_SCRIPTING)
    if _is_behind_another(site, statement):
        return list(_indent(site, statement)), imports
    return [site.insert_before(statement, f"if not {asked}():"), *_indent(site, statement)], imports


def _is_behind_another(site: MendSite, statement: ast.stmt) -> bool:
    """Whether the statement in front of it runs in Python alone already, on the lines right above."""
    before = (s for s in statements(site.node.body) if s.end_lineno == statement.lineno - 1)
    return any(asks_for_python(s) and not s.orelse and s.col_offset == statement.col_offset for s in before)  # type: ignore[attr-defined]


def _indent(site: MendSite, statement: ast.stmt) -> Iterator[Edit]:
    for line in range(statement.lineno, (statement.end_lineno or 0) + 1):
        if site.text.lines[line - 1].strip():
            yield Edit(site.text.line_start(line), "    ")
