"""Expressions as text for another file: local names are replaced by the expressions they are bound to."""

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.source.imports import Import, NameResolver, Sources
from pdt_annotate.source.module import Module, Namespace
from pdt_annotate.values.installed import is_own

LIBRARIES = frozenset(("collections", "functools", "math", "numpy", "random", "torch", "typing"))
BUILTINS = {"abs", "bool", "complex", "dict", "enumerate", "float", "frozenset", "int", "len", "list", "max", "min"}
BUILTINS |= {"range", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "zip"}
READERS = frozenset(("load", "open", "read", "from_pretrained"))  # they read a file, which may be missing
LONGEST = 300  # characters; a person writes a longer value better
RESERVED = frozenset(("Call", "calls", "fill_in", "model"))  # names that a draft defines itself

TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py|tests?\.py|conftest\.py")
TEST_FOLDERS = frozenset(("test", "tests", "testing"))

TORCH = Import("torch", "", "torch")
DEPTH = 20


@dataclass(frozen=True)
class DraftExpression:
    """Source text, and the imports that it needs, by the name that each binds; `note` is its comment in a draft."""

    text: str
    imports: tuple[tuple[str, str], ...] = ()
    note: str = ""


def is_importable(module: Module) -> bool:
    """Whether a spec may import from a module; from a test it should not."""
    return module.file.endswith(".py") and not is_test(module.file)


def is_test(file: str) -> bool:
    path = Path(file)
    return bool(TEST_FILE.fullmatch(path.name)) or path.parent.name in TEST_FOLDERS


def scopes_of(module: Module) -> Iterator[Namespace]:
    """The scopes with code to read: the module's first, then its functions and methods, the inner ones last."""
    pending = [module.namespaces[0]]
    for space in pending:
        yield space
        inside = [each for each in module.namespaces if each.around is space]
        for each in inside:
            if isinstance(each.node, ast.ClassDef):
                inside += [inner for inner in module.namespaces if inner.around is each]
            else:
                pending.append(each)


def inline(value: ast.expr, scope: Namespace, line: int, names: NameResolver[Sources]) -> DraftExpression | None:
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
    within: list[tuple[Namespace, int, set[str]]] = field(default_factory=list)

    def inline(self, value: ast.expr, scope: Namespace, line: int) -> ast.expr:
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
        reads_file = isinstance(node, ast.Attribute) and node.attr in READERS
        if reads_file or isinstance(node, (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
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
            return self.inline(bound.value, bound.space, bound.line)
        return node if node.id in BUILTINS else ast.Name(self._need(node.id, scope.module), ast.Load())

    def _need(self, name: str, reader: Module) -> str:
        """Import the object that a name means, if a spec may, and return its name in the spec."""
        imported = self.names.names_in(reader).imports.get(name)
        module = module_name_of(reader.file)
        place = self.names.find(reader, name)
        if imported is None and module and is_importable(reader) and place is not None and place.file == reader.file:
            imported = Import(module, name, name)
        if imported is None:
            raise _Unknown
        if imported.module.partition(".")[0] not in LIBRARIES:
            file = self.names.sources.file_of(imported.module)
            own = self.names.sources.module(file) if is_own(file, self.names.sources.root) else None
            if own is None or not is_importable(own):
                raise _Unknown
        if imported == Import("torch", "", name):
            name, imported = "torch", TORCH
        if name in RESERVED or self.imports.setdefault(name, imported.statement) != imported.statement:
            raise _Unknown
        return name
