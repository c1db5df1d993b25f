"""Where the names in a function or module get their values: assignments, fixtures, parametrized tests, `setUp`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pdt_annotate.source.imports import dotted_name
from pdt_annotate.source.pages import Page
from pdt_annotate.source.survey import Definition, defaults_of

SETUPS = frozenset(("setUp", "setUpClass", "setup_method", "setup_class", "setup", "__init__"))


@dataclass(frozen=True)
class Bound:
    """The expression that a name is bound to; None where it is bound to what no expression says."""

    value: ast.expr | None
    scope: DraftScope
    line: int


@dataclass
class DraftScope:
    """A module, or a function with the scope around it.

    `attributes` are those that a test class sets up, shared by the scopes of its methods; `fixtures` are functions of
    other files that a module's tests may ask for.
    """

    page: Page
    node: ast.Module | Definition
    parent: DraftScope | None = None
    attributes: dict[str, Bound] = field(default_factory=dict)
    fixtures: Mapping[str, DraftScope] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._bound: dict[str, list[Bound]] = {}
        self.functions: dict[str, DraftScope] = {}
        if not isinstance(self.node, ast.Module):
            self._bind_parameters(self.node)
        for node in own_nodes(self.node):
            for target, value in _bindings(node):
                self._bind(target, value, getattr(node, "lineno", 0))

    @property
    def name(self) -> str:
        return "" if isinstance(self.node, ast.Module) else self.node.name

    def lookup(self, name: str, line: int) -> Bound | None:
        """What a name, or `self.name`, is bound to at a line; None where nothing in the page binds it."""
        if name.startswith("self."):
            return self.attributes.get(name)
        bound = self._bound.get(name, [])
        before = [each for each in bound if each.line < line] or bound
        if before:
            return before[-1]
        return self.parent.lookup(name, line) if self.parent else None

    def function(self, name: str) -> DraftScope | None:
        """A function that the name means here."""
        if name in self.functions:
            return self.functions[name]
        return self.parent.function(name) if self.parent else self.fixtures.get(name)

    def returned(self) -> Bound | None:
        """What the function returns or yields, where it says so once."""
        found = [node for node in own_nodes(self.node) if isinstance(node, (ast.Return, ast.Yield)) and node.value]
        return Bound(found[0].value, self, found[0].lineno) if len(found) == 1 else None

    def _bind(self, target: ast.expr, value: ast.expr | None, line: int) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            parts: list[ast.expr | None] = [None] * len(target.elts)
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                parts = list(value.elts)
            for inner, part in zip(target.elts, parts, strict=True):
                self._bind(inner, part, line)
            return
        name = dotted_name(target)
        if name.startswith("self.") and self.name in SETUPS:
            self.attributes[name] = Bound(value, self, line)
        elif isinstance(target, ast.Name):
            self._bound.setdefault(name, []).append(Bound(value, self, line))

    def _bind_parameters(self, node: Definition) -> None:
        args = node.args
        names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        for name, default in (dict.fromkeys(names) | defaults_of(node) | dict(_parametrized(node))).items():
            fixture = self.parent.function(name) if self.parent and default is None else None
            bound = fixture.returned() if fixture else None
            self._bound[name] = [bound or Bound(default, self, 0)]


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value:
        yield node.target, node.value
    elif isinstance(node, (ast.AugAssign, ast.For)):
        yield node.target, None
    elif isinstance(node, ast.withitem) and node.optional_vars:
        yield node.optional_vars, None


def _parametrized(node: Definition) -> Iterator[tuple[str, ast.expr]]:
    """The names that `pytest.mark.parametrize` gives a test, each with its first value."""
    for decorator in node.decorator_list:
        if not (isinstance(decorator, ast.Call) and dotted_name(decorator.func).endswith("mark.parametrize")):
            continue
        names, rows = _row_of(decorator)
        if len(names) == 1 and rows:
            yield names[0], rows[0]
        elif rows and isinstance(rows[0], (ast.Tuple, ast.List)) and len(rows[0].elts) == len(names):
            yield from zip(names, rows[0].elts, strict=True)


def _row_of(decorator: ast.Call) -> tuple[list[str], list[ast.expr]]:
    if len(decorator.args) < 2 or not isinstance(decorator.args[1], (ast.List, ast.Tuple)):
        return [], []
    names = decorator.args[0]
    if isinstance(names, ast.Constant):
        return [name.strip() for name in str(names.value).split(",")], decorator.args[1].elts
    elements = names.elts if isinstance(names, (ast.List, ast.Tuple)) else []
    return [str(e.value) for e in elements if isinstance(e, ast.Constant)], decorator.args[1].elts


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function or module itself, not in the functions and classes inside it; in source order."""
    pending: list[ast.AST] = list(node.body) if isinstance(node, (ast.Module, Definition)) else [node]
    while pending:
        inner = pending.pop(0)
        yield inner
        if not isinstance(inner, (Definition, ast.ClassDef, ast.Lambda)):
            pending[:0] = ast.iter_child_nodes(inner)


def scopes_of(page: Page, fixtures: Mapping[str, DraftScope]) -> Iterator[DraftScope]:
    """The scopes of a page: the module first, then its functions and methods."""
    module = DraftScope(page, page.tree, fixtures=fixtures)
    yield module
    yield from _inner(module, page.tree.body, {})


def _inner(around: DraftScope, body: list[ast.stmt], attributes: dict[str, Bound]) -> Iterator[DraftScope]:
    """The scopes of functions in a body. What is set up, and fixtures, come before the tests that use them."""
    definitions = [node for node in body if isinstance(node, Definition)]
    for function in sorted(definitions, key=lambda node: node.name not in SETUPS and not node.decorator_list):
        scope = DraftScope(around.page, function, around, attributes)
        around.functions.setdefault(function.name, scope)
        yield scope
        yield from _inner(scope, function.body, {})
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _inner(around, node.body, {})
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _inner(around, [*node.body, *getattr(node, "orelse", [])], attributes)
