"""Source bytes → `Outline`: one parse, one walk over the scopes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import libcst as cst

from pdt_annotate.rewrite.outline import Binding, Class, Function, Outline, Reach
from pdt_annotate.rewrite.read_class import read_class
from pdt_annotate.rewrite.read_def import parameter_names, read_def
from pdt_annotate.rewrite.read_imports import read_from_imports, read_import_place, read_loaded, read_stars
from pdt_annotate.rewrite.spans import Spans, parse
from pdt_annotate.rewrite.statements import Statement, bound_names, dotted, imported_names, statements
from pdt_annotate.source import survey
from pdt_annotate.source.text import decode
from pdt_annotate.values.errors import UserError

_KEPT = 64
"""How many files' outlines stay in memory: repair renders the same few files again and again."""


def read_outline(source: bytes, file: str) -> Outline:
    """Read a source file, from memory where the same bytes were read before.

    Raises:
        UserError: the bytes are no Python source, or could not be kept byte for byte.
    """
    try:
        return _read(source, file)
    except (cst.ParserSyntaxError, SyntaxError, ValueError, RecursionError) as error:
        raise UserError(f"the source cannot be rewritten: {error}", file=file) from error


@lru_cache(maxsize=_KEPT)
def _read(source: bytes, file: str) -> Outline:
    text, known = decode(source), survey.survey(file, source)
    spans = parse(text, known.comments)
    top = list(statements(spans.module))
    walk = _Walk(spans, known)
    walk.visit(top, _Scope())
    stars = read_stars(spans, top)
    return Outline(
        text=spans.text,
        known=known,
        functions=walk.functions,
        classes=walk.classes,
        bindings=(*_bindings(spans, top), *walk.bindings, *_walrus(spans)),
        loaded=read_loaded(spans, top),
        stars=stars,
        mentioned=frozenset(node.value for node in spans.nodes if isinstance(node, cst.Name)) if stars else frozenset(),
        from_imports=read_from_imports(spans),
        import_place=read_import_place(spans),
        heads=_heads(spans),
    )


@dataclass(frozen=True)
class _Scope:
    """Where a definition stands: under which names that hide the module's from it, and whether in a class."""

    hidden: frozenset[str] = frozenset()
    is_class: bool = False


@dataclass
class _Walk:
    """Collects every function and class, in source order, with what it needs to know of the scopes around it."""

    spans: Spans
    known: survey.Survey
    functions: dict[int, Function] = field(default_factory=dict)
    classes: dict[int, Class] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)

    def visit(self, items: list[Statement], scope: _Scope) -> None:
        bound: set[str] = set()
        for item in items:
            node = item.node
            if isinstance(node, cst.FunctionDef):
                self._visit_def(node, scope, scope.hidden | bound if scope.is_class else scope.hidden)
            elif isinstance(node, cst.ClassDef):
                self._visit_class(node, scope)
            elif isinstance(node, cst.Global):
                self.bindings += (Binding(each.name.value, "", self.spans.end(node)) for each in node.names)
            bound.update(bound_names(node))

    def _visit_def(self, node: cst.FunctionDef, scope: _Scope, shadows: frozenset[str]) -> None:
        items = list(statements(node.body))
        line = self.spans.text.line(self.spans.first(node))
        known = self.known.by_line[line]
        assert isinstance(known, survey.Function)
        function = self.functions[line] = read_def(self.spans, node, items, known, shadows)
        names = {name for item in items for name in bound_names(item.node)} | set(parameter_names(node))
        self.visit(items, _Scope((scope.hidden | names) - function.rebound))

    def _visit_class(self, node: cst.ClassDef, scope: _Scope) -> None:
        items = list(statements(node.body))
        line = self.spans.text.line(self.spans.first(node))
        known = self.known.by_line[line]
        assert isinstance(known, survey.Class)
        future = self.known.future_annotations
        self.classes[line] = read_class(self.spans, node, items, known, scope.hidden, future=future)
        self.visit(items, _Scope(scope.hidden, is_class=True))


def _bindings(spans: Spans, top: list[Statement]) -> Iterator[Binding]:
    for item in top:
        imported = dict(imported_names(item.node))
        for name in bound_names(item.node):
            yield Binding(name, imported.get(name, ""), spans.end(item.node), item.reach)


def _walrus(spans: Spans) -> Iterator[Binding]:
    """`:=` as if it were the module's: whose it is would take a walk over all expressions."""
    for node, span in spans.nodes.items():
        if isinstance(node, cst.NamedExpr):
            yield Binding(dotted(node.target), "", span.start, Reach.ALWAYS)


class _HeadVisitor(cst.CSTVisitor):
    """Collects the names and bars of an annotation: {"Optional", "Tensor"} of `t.Optional[Tensor]`."""

    def __init__(self) -> None:
        self.heads: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:
        self.heads.add(node.value)

    def visit_BitOr(self, node: cst.BitOr) -> None:
        self.heads.add("|")

    def visit_Subscript_value(self, node: cst.Subscript) -> None:
        self.heads.add(f"{dotted(node.value)}[]")


def _heads(spans: Spans) -> frozenset[str]:
    visitor = _HeadVisitor()
    for node in list(spans.nodes):
        if isinstance(node, cst.Annotation):
            node.visit(visitor)
    return frozenset(visitor.heads)
