"""Source bytes → `Outline`: the tree of the survey, one walk over its scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from pdt_annotate.rewrite.outline import ClassPlace, FunctionPlace, NameBinding, Outline
from pdt_annotate.rewrite.read_imports import (
    read_from_imports,
    read_import_lines,
    read_import_place,
    read_loaded,
    read_stars,
)
from pdt_annotate.rewrite.read_scopes import read_class, read_def
from pdt_annotate.rewrite.spans import Spans, Statement, bound_names, imported_names, parameters, statements
from pdt_annotate.source import survey
from pdt_annotate.source.imports import dotted_name
from pdt_annotate.source.text import decode
from pdt_annotate.values.errors import UserError

_KEPT = 64  # how many files' outlines stay in memory: repair renders the same few files again and again


def read_outline(source: bytes, file: str) -> Outline:
    """Read a source file, from memory if the same bytes were read before.

    Raises:
        UserError: the bytes are no Python source, or could not be kept byte for byte.
    """
    try:
        return _read(source, file)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UserError(f"the source cannot be rewritten: {error}", file=file) from error


@lru_cache(maxsize=_KEPT)
def _read(source: bytes, file: str) -> Outline:
    spans = Spans(decode(source), survey.survey(file, source))
    nodes = list(ast.walk(spans.known.tree))
    top = list(statements(spans.known.tree.body))
    walk = _Walk(spans)
    walk.visit(top, _Scope())
    stars = read_stars(spans, top)
    # They count as the module's: to find their scopes would take a walk over all expressions.
    walrus = (NameBinding(node.target.id, "", spans.start(node)) for node in nodes if isinstance(node, ast.NamedExpr))
    return Outline(
        text=spans.text,
        known=spans.known,
        functions=walk.functions,
        classes=walk.classes,
        bindings=(*_bindings(spans, top), *walk.bindings, *walrus),
        loaded=read_loaded(spans, top),
        stars=stars,
        mentioned=frozenset(_mentioned(nodes) if stars else ()),
        from_imports=read_from_imports(spans),
        import_lines=tuple(read_import_lines(spans)),
        import_place=read_import_place(spans),
        heads=frozenset(_heads(nodes)),
        quoted=frozenset(_quoted(nodes)),
    )


@dataclass(frozen=True)
class _Scope:
    """The scope of a definition: the names that hide the module's from it, and whether it is a class."""

    hidden: frozenset[str] = frozenset()
    is_class: bool = False


@dataclass
class _Walk:
    """Collects every function and class, in source order, with the hidden names of the scopes around it."""

    spans: Spans
    functions: dict[int, FunctionPlace] = field(default_factory=dict)
    classes: dict[int, ClassPlace] = field(default_factory=dict)
    bindings: list[NameBinding] = field(default_factory=list)

    def visit(self, items: list[Statement], scope: _Scope) -> None:
        bound: set[str] = set()
        for node in (item.node for item in items):
            if isinstance(node, survey.Scope):
                self._visit_inner(node, scope, scope.hidden | bound if scope.is_class else scope.hidden)
            elif isinstance(node, ast.Global):
                self.bindings += (NameBinding(name, "", self.spans.end(node)) for name in node.names)
            bound.update(bound_names(node))

    def _visit_inner(self, node: survey.Scope, scope: _Scope, shadows: frozenset[str]) -> None:
        items = list(statements(node.body))
        line = survey.first_line(node)
        known = self.spans.known.by_line[line]
        if isinstance(known, survey.Class):
            self.classes[line] = read_class(self.spans, known, items, scope.hidden)
            self.visit(items, _Scope(scope.hidden, is_class=True))
        else:
            function = self.functions[line] = read_def(self.spans, known, items, shadows)
            names = {name for item in items for name in bound_names(item.node)}
            names.update(each.arg for each in parameters(known.node))
            self.visit(items, _Scope((scope.hidden | names) - function.rebound))


def _bindings(spans: Spans, top: list[Statement]) -> Iterator[NameBinding]:
    for item in top:
        imported = dict(imported_names(item.node))
        for name in bound_names(item.node):
            yield NameBinding(name, imported.get(name, ""), spans.end(item.node), item.reach)


def _mentioned(nodes: list[ast.AST]) -> Iterator[str]:
    names = (getattr(node, field, None) for node in nodes for field in ("id", "attr", "arg", "name"))
    return (name for name in names if isinstance(name, str))


def _quoted(nodes: list[ast.AST]) -> Iterator[int]:
    strings = (node for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr))
    for node in strings:
        if node.end_lineno and node.end_lineno > node.lineno:
            yield from range(node.lineno, node.end_lineno + 1)


def _heads(nodes: list[ast.AST]) -> Iterator[str]:
    """The names and bars of all annotations: "t", "Optional", "Tensor" and "t.Optional[]" of `t.Optional[Tensor]`."""
    annotations = filter(None, (getattr(node, name, None) for node in nodes for name in ("annotation", "returns")))
    for part in (part for annotation in annotations for part in ast.walk(annotation)):
        if isinstance(part, ast.Name | ast.Attribute):
            yield part.id if isinstance(part, ast.Name) else part.attr
        elif isinstance(part, ast.BitOr):
            yield "|"
        elif isinstance(part, ast.Subscript):
            yield f"{dotted_name(part.value)}[]"
