"""Is the new source the same program but for annotations and the imports they need?

Both syntax trees are stripped of every annotation and compared; of imports, the new file may have more names, and must
have all the old ones in their order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.ir import Failure, FileChange, Verdict

JUDGE = "same program"
ANNOTATIONS = "__annotations__"


def judge(changes: tuple[FileChange, ...]) -> Verdict:
    """Compare each changed file with what it was."""
    for change in changes:
        if not is_same_program(change.before, change.after):
            return Verdict(JUDGE, False, Failure("the rewrite would change the program", "", change.file))
    return Verdict(JUDGE, True)


def is_same_program(before: bytes, after: bytes) -> bool:
    """Whether two sources differ in annotations and added imports only."""
    old, new = ast.parse(before), ast.parse(after)
    old_imports, new_imports = _take_imports(old), _take_imports(new)
    if not _is_subsequence(old_imports, new_imports):
        return False
    return ast.dump(_Stripper().visit(old)) == ast.dump(_Stripper().visit(new))


def _take_imports(tree: ast.Module) -> list[str]:
    """Remove the module-level imports and return them, one name each, in order."""
    taken: list[str] = []
    kept: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            taken += _imported_names(node)
        else:
            kept.append(node)
    tree.body = kept
    return taken


def _imported_names(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    source = "." * node.level + (node.module or "") + ":" if isinstance(node, ast.ImportFrom) else ""
    return (f"{source}{alias.name} as {alias.asname}" for alias in sorted(node.names, key=lambda a: a.name))


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(sorted(long))
    return all(item in rest for item in sorted(short))


class _Stripper(ast.NodeTransformer):
    """Removes annotations: `def f(a: T) -> R` → `def f(a)`, `x: T = v` → `x = v`, `x: T` → nothing."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        node.type_comment = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._refill(self.generic_visit(node))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self._refill(self.generic_visit(node))

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [s for s in node.body if not _sets_annotations(s)]
        return self._refill(self.generic_visit(node))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        self.generic_visit(node)
        return ast.Assign(targets=[node.target], value=node.value, type_comment=None)

    @staticmethod
    def _refill(node: ast.AST) -> ast.AST:
        """A body that held nothing but annotations is left with a `pass`, and one with a lone `pass` is the same."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            node.body = [s for s in node.body if not isinstance(s, ast.Pass)] or [ast.Pass()]
        return node


def _sets_annotations(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == ANNOTATIONS for target in statement.targets
    )
