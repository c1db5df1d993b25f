"""Find the annotations that a rewrite added to a source, except annotations of parameters, and remove some of them.

This module reads only the two syntax trees, and uses no code of the tool, so that it can test the tool.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Definition = ast.FunctionDef | ast.AsyncFunctionDef
TABLE = "__annotations__"


@dataclass(frozen=True)
class Added:
    """One annotation: bytes `start` to `end` of the file, and the text that replaces them without the annotation."""

    file: str
    kind: str
    name: str
    line: int
    start: int
    end: int
    instead: bytes = b""

    def __str__(self) -> str:
        return f"{self.kind} `{self.name}` at {self.file}:{self.line}"


def find_added(file: str, before: bytes, after: bytes) -> list[Added]:
    """The annotations that the rewrite of a file added. Both sources have the same definitions in the same order."""
    old, new = (list(_definitions(ast.parse(source))) for source in (before, after))
    finder = _Finder(file, after)
    return [added for pair in zip(old, new, strict=True) for added in finder.between(*pair)]


def without(source: bytes, dropped: Iterable[Added]) -> bytes:
    """The source without these annotations."""
    for each in sorted(dropped, key=lambda added: -added.start):
        source = source[: each.start] + each.instead + source[each.end :]
    return source


@dataclass(frozen=True)
class _Finder:
    file: str
    source: bytes

    def between(self, old: ast.AST, new: ast.AST) -> Iterator[Added]:
        """The annotations that the new definition has and the old one does not have."""
        if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef):
            yield from self._attributes(old, new)
        elif isinstance(old, Definition) and isinstance(new, Definition):
            yield from self._assignments(old, new)
            if new.returns is not None and old.returns is None:
                start = self.source.rindex(b"->", 0, self._offset(new.returns))
                space = start - len(self.source[:start].rstrip())
                yield self._added("return", new.name, new, start - space, self._offset(new.returns, end=True))

    def _attributes(self, old: ast.ClassDef, new: ast.ClassDef) -> Iterator[Added]:
        known = {ast.unparse(node.target) for node in old.body if isinstance(node, ast.AnnAssign)}
        for node in new.body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) not in known:
                yield self._plain(node, "attribute")
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == TABLE:
                yield from self._entries(old, node)

    def _entries(self, old: ast.ClassDef, new: ast.Assign) -> Iterator[Added]:
        """The entries of `__annotations__ = {...}`, which replaces class-body annotations under the future import."""
        tables = [n.value for n in old.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == TABLE]
        known = {ast.unparse(key) for table in tables if isinstance(table, ast.Dict) for key in table.keys if key}
        table = new.value if isinstance(new.value, ast.Dict) else ast.Dict([], [])
        for key, value in zip(table.keys, table.values, strict=True):
            if isinstance(key, ast.Constant) and ast.unparse(key) not in known:
                end = self._offset(value, end=True)
                comma = self.source[end:].lstrip().startswith(b",")
                end = self.source.index(b",", end) + 1 if comma else end
                yield self._added("attribute", str(key.value), key, self._offset(key), end)

    def _assignments(self, old: Definition, new: Definition) -> Iterator[Added]:
        for before, after in zip(_own_statements(old), _own_statements(new), strict=True):
            if isinstance(after, ast.AnnAssign) and not isinstance(before, ast.AnnAssign):
                yield self._plain(after, "local" if isinstance(after.target, ast.Name) else "attribute")

    def _plain(self, node: ast.AnnAssign, kind: str) -> Added:
        """`x: T = v` becomes `x = v`. `x: T` becomes `pass`, since it may be the only statement of the class."""
        name = ast.unparse(node.target)
        if node.value is None:
            return self._added(kind, name, node, self._offset(node), self._offset(node, end=True), b"pass")
        start, end = self._offset(node.target, end=True), self._offset(node.annotation, end=True)
        return self._added(kind, name, node, start, end)

    def _added(
        self, kind: str, name: str, node: ast.expr | ast.stmt, start: int, end: int, instead: bytes = b""
    ) -> Added:
        return Added(self.file, kind, name, node.lineno, start, end, instead)

    def _offset(self, node: ast.expr | ast.stmt, end: bool = False) -> int:
        """The offset of the start or the end of a node in bytes; columns of syntax trees are in bytes, too."""
        line, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        assert line is not None and column is not None
        return sum(map(len, self.source.splitlines(keepends=True)[: line - 1])) + column


def _definitions(tree: ast.Module) -> Iterator[ast.AST]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | Definition))


def _own_statements(function: Definition) -> Iterator[ast.stmt]:
    """The statements of a function's body, at any depth, except statements inside nested definitions."""
    rest: list[ast.AST] = list(function.body)
    while rest:
        node = rest.pop(0)
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.ClassDef | Definition):
            rest += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
