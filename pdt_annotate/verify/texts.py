"""The judges that need no compiler: is the rewritten source good Python, the same program, and stable?

The same program it is but for annotations and the imports that they need: both syntax trees are stripped of every
annotation and compared, statement by statement; the new module may import more between its statements, and more names
in a from-import that it has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.values.judges import PARSES, SAME_PROGRAM, STABLE
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.places import Place, place_of_error
from pdt_annotate.values.verdicts import Failure, Verdict

ANNOTATIONS = "__annotations__"
FUTURE = "__future__"


def judge_texts(rendered: Rendered) -> tuple[Verdict, ...]:
    """What each of them says of what was rendered."""
    return judge_parsing(rendered.changes), judge_program(rendered.changes), judge_stability(rendered.again)


def judge_parsing(changes: tuple[FileChange, ...]) -> Verdict:
    """Compile every changed file, which finds what a syntax tree lets pass, such as a late future import."""
    for change in changes:
        try:
            compile(change.after, change.file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:  # ValueError: a null byte
            failure = Failure(str(error), type(error).__name__, place_of_error(change.file, error))
            return Verdict(PARSES, False, failure)
    return Verdict(PARSES, True)


def judge_program(changes: tuple[FileChange, ...]) -> Verdict:
    """Compare each changed file with what it was."""
    for change in changes:
        if not is_same_program(change.before, change.after):
            return Verdict(SAME_PROGRAM, False, Failure("the rewrite would change the program", "", Place(change.file)))
    return Verdict(SAME_PROGRAM, True)


def judge_stability(again: tuple[FileChange, ...]) -> Verdict:
    """Compare each rewritten file with what rewriting it once more gave."""
    for change in again:
        if change.before != change.after:
            failure = Failure("a second rewrite would change the file again", "", Place(change.file))
            return Verdict(STABLE, False, failure)
    return Verdict(STABLE, True)


def is_same_program(before: bytes, after: bytes) -> bool:
    """Whether two sources differ in annotations and added imports only."""
    old, new = (_Stripper().visit(ast.parse(source)) for source in (before, after))
    rest = iter(new.body)
    same = all(_take(statement, rest) for statement in old.body) and all(map(_may_be_added, rest))
    return same and ast.get_docstring(old, clean=False) == ast.get_docstring(new, clean=False)


def _take(statement: ast.stmt, rest: Iterator[ast.stmt]) -> bool:
    """Whether the statement comes next, behind nothing but added imports."""
    for other in rest:
        if _is_kept(statement, other):
            return True
        if not _may_be_added(other):
            return False
    return False


def _may_be_added(statement: ast.stmt) -> bool:
    """A future import changes how the module is compiled; any other is an import that annotations may need."""
    return isinstance(statement, ast.Import) or (isinstance(statement, ast.ImportFrom) and statement.module != FUTURE)


def _is_kept(old: ast.stmt, new: ast.stmt) -> bool:
    """Whether a statement is the same, or a from-import of the same names and more."""
    if not (isinstance(old, ast.ImportFrom) and isinstance(new, ast.ImportFrom) and _may_be_added(new)):
        return ast.dump(old) == ast.dump(new)
    names = iter([ast.dump(alias) for alias in new.names])
    return (old.module, old.level) == (new.module, new.level) and all(ast.dump(alias) in names for alias in old.names)


class _Stripper(ast.NodeTransformer):
    """Removes annotations: `def f(a: T) -> R` → `def f(a)`, `x: T = v` → `x = v`, `x: T` → nothing."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        node.type_comment = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self._refill(self.generic_visit(node))

    visit_AsyncFunctionDef = visit_FunctionDef

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
