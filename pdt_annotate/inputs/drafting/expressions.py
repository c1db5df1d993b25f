"""Expressions as text for another file: local names are replaced by the expressions they are bound to."""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from pdt_annotate.source.imports import Imported, NameResolver
from pdt_annotate.source.pages import Page, Sources, module_name_of
from pdt_annotate.source.survey import Definition, defaults_of
from pdt_annotate.values.installed import is_own

LIBRARIES = frozenset(("collections", "functools", "math", "numpy", "random", "torch", "typing"))
BUILTINS = {"abs", "bool", "complex", "dict", "enumerate", "float", "frozenset", "int", "len", "list", "max", "min"}
BUILTINS |= {"range", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "zip"}
READERS = frozenset(("load", "open", "read", "from_pretrained"))  # they read a file, which may be missing
LONGEST = 300  # characters; a person writes a longer value better
RESERVED = frozenset(("Call", "calls", "fill_in", "model"))  # names that a draft defines itself

TORCH = Imported("torch", alias="torch")
DEPTH = 20
Block = ast.Module | Definition | ast.ClassDef
UNKNOWN_PARTS = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


@dataclass(frozen=True)
class DraftExpression:
    """Source text, and the imports that it needs, by the name that each binds."""

    text: str
    imports: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Bound:
    """The expression that a name is bound to; None if the binding has no expression, as in a loop."""

    value: ast.expr | None
    scope: DraftScope
    line: int


class DraftScope:
    """A module, or a function with its enclosing scope, and the values of its names; a parameter has its default."""

    def __init__(self, page: Page, node: ast.Module | Definition, around: DraftScope | None = None) -> None:
        self.page = page
        self.node = node
        self.around = around
        self.name = "" if isinstance(node, ast.Module) else node.name
        self._bound: defaultdict[str, list[Bound]] = defaultdict(list)
        if not isinstance(node, ast.Module):
            defaults = defaults_of(node)
            for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                self._bound[arg.arg].append(Bound(defaults.get(arg.arg), self, 0))
        self.nodes = list(own_nodes(node))
        for inner in self.nodes:
            line = getattr(inner, "lineno", 0)
            if isinstance(inner, ast.Assign):
                for target in inner.targets:
                    self._bind(target, inner.value, line)
            elif isinstance(inner, ast.AnnAssign) and inner.value:
                self._bind(inner.target, inner.value, line)
            elif isinstance(inner, (ast.AugAssign, ast.For)):
                self._bind(inner.target, None, line)
            elif isinstance(inner, ast.withitem) and inner.optional_vars:
                self._bind(inner.optional_vars, None, line)

    def lookup(self, name: str, line: int) -> Bound | None:
        """The binding of a name at a line; None if the module does not bind it."""
        bound = self._bound.get(name, [])
        before = [each for each in bound if each.line < line] or bound
        if before:
            return before[-1]
        return self.around.lookup(name, line) if self.around else None

    def _bind(self, target: ast.expr, value: ast.expr | None, line: int) -> None:
        if isinstance(target, ast.Name):
            self._bound[target.id].append(Bound(value, self, line))
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts: list[ast.expr | None] = [None] * len(target.elts)
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                parts = list(value.elts)
            for inner, part in zip(target.elts, parts, strict=True):
                self._bind(inner, part, line)


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a block in source order, without the functions and classes inside it."""
    pending: list[ast.AST] = list(node.body) if isinstance(node, Block) else [node]
    while pending:
        inner = pending.pop(0)
        yield inner
        if not isinstance(inner, (Definition, ast.ClassDef, ast.Lambda)):
            pending[:0] = ast.iter_child_nodes(inner)


def scopes_of(page: Page) -> Iterator[DraftScope]:
    """The scopes of a page: the module first, then its functions and methods."""
    pending = [DraftScope(page, page.tree)]
    for scope in pending:
        yield scope
        inside = [*scope.nodes]
        for node in inside:
            if isinstance(node, Definition):
                pending.append(DraftScope(page, node, scope))
            elif isinstance(node, ast.ClassDef):
                inside += own_nodes(node)


def inline(value: ast.expr, scope: DraftScope, line: int, names: NameResolver[Sources]) -> DraftExpression | None:
    """The expression at a line of a scope as text for another file; None if part of it is only known at run time."""
    inliner = _Inliner(names)
    try:
        text = ast.unparse(ast.fix_missing_locations(inliner.inline(value, scope, line)))
    except (_Unknown, RecursionError):
        return None
    needs_a_device = "cuda" in text and "is_available" not in text
    if len(text) > LONGEST or needs_a_device:
        return None
    return DraftExpression(text, tuple(sorted(inliner.imports.items())))


class _Unknown(Exception):
    """Part of the expression is known only when the code runs."""


@dataclass(eq=False)
class _Inliner(ast.NodeTransformer):
    names: NameResolver[Sources]
    imports: dict[str, str] = field(default_factory=dict)
    within: list[tuple[DraftScope, int, set[str]]] = field(default_factory=list)

    def inline(self, value: ast.expr, scope: DraftScope, line: int) -> ast.expr:
        if len(self.within) > DEPTH:
            raise _Unknown
        names = (node for node in ast.walk(value) if isinstance(node, ast.Name))
        of_comprehensions = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        self.within.append((scope, line, of_comprehensions))
        # A copy, because all readers of a page share its tree.
        result: ast.expr = self.visit(copy.deepcopy(value))
        self.within.pop()
        return result

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, UNKNOWN_PARTS):
            raise _Unknown
        return super().generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        scope, line, of_comprehensions = self.within[-1]
        if node.id in of_comprehensions:
            return node
        bound = scope.lookup(node.id, line)
        if bound is not None:
            if bound.value is None:
                raise _Unknown
            return self.inline(bound.value, bound.scope, bound.line)
        return node if node.id in BUILTINS else ast.Name(self._need(node.id, scope.page), ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in READERS:
            raise _Unknown
        return self.generic_visit(node)

    def _need(self, name: str, page: Page) -> str:
        """Import the object that a name means, if a spec may, and return its name in the spec."""
        imported = self.names.names_in(page).imports.get(name)
        module = module_name_of(page.file)
        place = self.names.find(page, name)
        if imported is None and module and page.is_module and place is not None and place.file == page.file:
            imported = Imported(module, name, name)
        if imported is None:
            raise _Unknown
        if imported.module.partition(".")[0] not in LIBRARIES:
            file = self.names.sources.file_of(imported.module)
            own = self.names.sources.page(file) if is_own(file, self.names.sources.root) else None
            if own is None or not own.is_module:
                raise _Unknown
        if imported == Imported("torch", alias=name):
            name, imported = "torch", TORCH
        if name in RESERVED or self.imports.setdefault(name, imported.statement) != imported.statement:
            raise _Unknown
        return name
