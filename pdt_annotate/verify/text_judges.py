"""The judges that need no compiler: is the rewritten source good Python, the same program, and stable?

Two sources are the same program if they differ only in annotations and in imports that the second adds.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from importlib.util import decode_source

from pdt_annotate.source.module import parse
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.slots import Place, place_of_error
from pdt_annotate.values.verdicts import PARSES, SAME_PROGRAM, STABLE, Failure, Trial, Verdict


def judge_texts(rendered: Rendered) -> tuple[Verdict, ...]:
    return judge_parsing(rendered.changes), judge_program(rendered.changes), judge_stability(rendered.again)


def judge_parsing(changes: tuple[FileChange, ...]) -> Verdict:
    """Compile every changed file, which finds errors that a syntax tree does not show, such as a late future import."""
    for change in changes:
        try:
            compile(change.after, change.file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:  # ValueError: a null byte
            failure = Failure(str(error), type(error).__name__, place_of_error(change.file, error))
            return Verdict(PARSES, False, failure)
    return Verdict(PARSES, True)


def judge_program(changes: tuple[FileChange, ...]) -> Verdict:
    for change in changes:
        if not is_same_program(change.before, change.after, change.file):
            message = "without its annotations, the annotated source is a different program"
            return Verdict(SAME_PROGRAM, False, Failure(message, "", Place(change.file)))
    return Verdict(SAME_PROGRAM, True)


def judge_stability(again: tuple[FileChange, ...]) -> Verdict:
    """Compare each rewritten file with the result of a second rewrite."""
    for change in again:
        if change.before != change.after:
            failure = Failure("annotating the file a second time would change it again", "", Place(change.file))
            return Verdict(STABLE, False, failure)
    return Verdict(STABLE, True)


def is_same_program(before: bytes, after: bytes, file: str = "<unknown>") -> bool:
    """Whether two sources differ in annotations and added imports only."""
    old, new = parse(file, before).tree, parse(file, after).tree
    written = _written(old, before), _written(new, after)
    count = Counter(written[1])
    same = {text for text, times in Counter(written[0]).items() if count[text] == times}  # not taken apart: it is slow
    first, rest = _keyed(old, written[0], same), _keyed(new, written[1], same)
    is_same = all(_take(*each, rest) for each in first) and all(_may_be_added(each) for _, each in rest)
    return is_same and ast.get_docstring(old, clean=False) == ast.get_docstring(new, clean=False)


def _written(tree: ast.Module, source: bytes) -> list[str]:
    """Each statement at the top as it is written, with its columns: several may share a line."""
    lines = decode_source(source).split("\n")
    first = ((node, min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))) for node in tree.body)
    texts = ((node, "\n".join(lines[begin - 1 : node.end_lineno])) for node, begin in first)
    return [f"{node.col_offset} {node.end_col_offset}\n{text}" for node, text in texts]


def _keyed(tree: ast.Module, written: list[str], same: set[str]) -> Iterator[tuple[str, ast.stmt]]:
    """Each statement without annotations, after a key that is equal for equal ones."""
    for text, node in zip(written, tree.body, strict=True):
        stripped = node if text in same else _Stripper().visit(deepcopy(node))
        if stripped is not None:
            yield text if text in same else ast.dump(stripped), stripped


def _take(key: str, statement: ast.stmt, rest: Iterator[tuple[str, ast.stmt]]) -> bool:
    """Whether the statement comes next, after added imports only."""
    for other_key, other in rest:
        if key == other_key:
            return True
        if isinstance(statement, ast.ImportFrom) and isinstance(other, ast.ImportFrom) and _may_be_added(other):
            # A from-import of the same names and others.
            names = iter([ast.dump(alias) for alias in other.names])
            is_same = (statement.module, statement.level) == (other.module, other.level)
            if is_same and all(ast.dump(alias) in names for alias in statement.names):
                return True
        if not _may_be_added(other):
            return False
    return False


def _may_be_added(statement: ast.stmt) -> bool:
    """Whether it is an import, but no future import, which changes how the module is compiled."""
    is_from = isinstance(statement, ast.ImportFrom) and statement.module != "__future__"
    return isinstance(statement, ast.Import) or is_from


class _Stripper(ast.NodeTransformer):
    """Removes annotations: `def f(a: T) -> R` → `def f(a)`, `x: T = v` → `x = v`, `x: T` → nothing."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        node.type_comment = None
        return node

    def visit_block(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        if isinstance(node, ast.ClassDef):
            targets = ((each, each.targets if isinstance(each, ast.Assign) else ()) for each in node.body)
            node.body = [each for each, held in targets if not any(is_name(one, "__annotations__") for one in held)]
        else:
            node.returns = None
        self.generic_visit(node)
        # A body of annotations alone is the same as one of a `pass`.
        node.body = [each for each in node.body if not isinstance(each, ast.Pass)] or [ast.Pass()]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_block

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        self.generic_visit(node)
        return ast.Assign(targets=[node.target], value=node.value, type_comment=None)


def accept_undecided(trial: Trial) -> Trial:
    """The trial, with all accepted that no annotation decides; failures stay, for the review."""
    verdicts = (replace(each, ok=True) if each.failure and each.failure.code else each for each in trial.verdicts)
    return replace(trial, verdicts=tuple(verdicts))


def accept_on_purpose(trial: Trial, as_scripted: Callable[[], Trial]) -> Trial:
    """The trial, accepted if answers differ on purpose: the source asks whether it is scripted; failures stay.

    To raise is no answer: a module may refuse to be scripted by raising then. `as_scripted` makes the same trial, with
    `torch.jit.is_scripting()` true in eager mode.
    """
    raises = any(verdict.failure is not None and verdict.failure.raises for verdict in trial.verdicts)
    if raises or not trial.compiles or accept_undecided(trial).ok or not accept_undecided(as_scripted()).ok:
        return trial
    return replace(trial, verdicts=tuple(replace(verdict, ok=True) for verdict in trial.verdicts))


def join_trials(trials: Iterable[Trial]) -> Trial:
    """The trials of several targets as one; it ends at the first that fails."""
    joined = Trial(())
    for trial in trials:
        compiled = dict.fromkeys((*joined.compiled, *trial.compiled))
        ignored = dict.fromkeys((*joined.ignored, *trial.ignored))
        joined = Trial((*joined.verdicts, *trial.verdicts), tuple(compiled), tuple(ignored))
        if not trial.ok:
            break
    return joined
