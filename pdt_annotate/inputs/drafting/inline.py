"""An expression as text that stands by itself: its local names replaced by what they are bound to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from pdt_annotate.inputs.drafting.scopes import Bound, DraftScope
from pdt_annotate.source.imports import Imported, NameResolver, dotted_name
from pdt_annotate.source.pages import Sources, module_name_of
from pdt_annotate.values.installed import is_own

LIBRARIES = frozenset(("collections", "functools", "math", "numpy", "random", "torch", "typing"))
BUILTINS = {"abs", "bool", "complex", "dict", "enumerate", "float", "frozenset", "int", "len", "list", "max", "min"}
BUILTINS |= {"range", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "zip"}
READERS = frozenset(("load", "open", "read", "from_pretrained"))
"""What is called so reads a file, which may not be there."""

LONGEST = 300
"""Characters; a longer value is better written by hand."""

RESERVED = frozenset(("Call", "calls", "fill_in", "model"))
"""Names that a draft defines itself."""

TORCH = Imported("torch", alias="torch")
DEPTH = 20


@dataclass(frozen=True)
class InlineText:
    """Source text, and the imports that it needs, by the name that each binds."""

    text: str
    imports: tuple[tuple[str, str], ...] = ()


class _Unknown(Exception):
    """Part of the expression is known only when the code runs."""


def inline(value: ast.expr, scope: DraftScope, line: int, names: NameResolver[Sources]) -> InlineText | None:
    """The expression as it stands alone; None where it depends on what only a run knows.

    Args:
        value: the expression.
        scope: where it stands.
        line: its line there; later assignments don't count.
    """
    inliner = _Inliner(names)
    try:
        text = ast.unparse(ast.fix_missing_locations(inliner.inline(value, scope, line)))
    except (_Unknown, RecursionError):
        return None
    needs_a_device = "cuda" in text and "is_available" not in text
    if len(text) > LONGEST or needs_a_device:
        return None
    return InlineText(text, tuple(sorted(inliner.imports.items())))


class _Inliner:
    def __init__(self, names: NameResolver[Sources]) -> None:
        self.names = names
        self.imports: dict[str, str] = {}
        self.depth = 0

    def inline(self, value: ast.expr, scope: DraftScope, line: int) -> ast.expr:
        if self.depth > DEPTH:
            raise _Unknown
        self.depth += 1
        result: ast.expr = _Substitution(self, scope, line, _own_names(value)).visit(value)
        self.depth -= 1
        return result

    def inline_bound(self, bound: Bound) -> ast.expr:
        if bound.value is None:
            raise _Unknown
        return self.inline(bound.value, bound.scope, bound.line)

    def need(self, name: str, scope: DraftScope) -> str:
        """Import what a name means, where a spec may; the name that it then has."""
        imported = self.names.imports(scope.page).get(name) or self._own(name, scope)
        if imported is None or not self._may_import(imported):
            raise _Unknown
        if imported == Imported("torch", alias=name):
            name, imported = "torch", TORCH
        if name in RESERVED or self.imports.setdefault(name, imported.statement) != imported.statement:
            raise _Unknown
        return name

    def _own(self, name: str, scope: DraftScope) -> Imported | None:
        module = module_name_of(scope.page.file)
        place = self.names.resolve(scope.page, name)
        is_own = place is not None and place.file == scope.page.file and scope.page.is_module
        return Imported(module, name, name) if is_own and module else None

    def _may_import(self, imported: Imported) -> bool:
        if imported.module.partition(".")[0] in LIBRARIES:
            return True
        file = self.names.sources.file_of(imported.module)
        page = self.names.sources.page(file) if file else None
        return page is not None and page.is_module and is_own(file, self.names.sources.root)


@dataclass(frozen=True)
class _Substitution(ast.NodeTransformer):
    """`torch.randn(B, n)` → `torch.randn(2, 16)`. Makes new nodes; the old tree stays."""

    inliner: _Inliner
    scope: DraftScope
    line: int
    own: frozenset[str]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            raise _Unknown
        return super().generic_visit(_copy(node))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.own:
            return node
        bound = self.scope.lookup(node.id, self.line)
        if bound is not None:
            return self.inliner.inline_bound(bound)
        return node if node.id in BUILTINS else ast.Name(self.inliner.need(node.id, self.scope), ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = dotted_name(node)
        if name.startswith("self."):
            bound = self.scope.lookup(name, self.line)
            if bound is None:
                raise _Unknown
            return self.inliner.inline_bound(bound)
        if node.attr in READERS:
            raise _Unknown
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        helper = self.scope.function(node.func.id) if isinstance(node.func, ast.Name) else None
        if helper is None:
            return self.generic_visit(node)
        returned = helper.returned()
        if returned is None or node.args or node.keywords:
            raise _Unknown
        return self.inliner.inline_bound(returned)


def _copy(node: ast.AST) -> ast.AST:
    """A shallow copy whose lists may be changed: what is parsed is shared by all who read the page."""
    fields: Mapping[str, object] = dict(ast.iter_fields(node))
    return type(node)(**{name: list(v) if isinstance(v, list) else v for name, v in fields.items()})


def _own_names(value: ast.expr) -> frozenset[str]:
    """The names that comprehensions in an expression bind."""
    return frozenset(n.id for n in ast.walk(value) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
