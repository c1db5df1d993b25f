"""The rewrite adds only annotations to any program: without them, Python parses the original program."""

import ast
import contextlib
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tally import LOST, WRONG, Means, Tally
from workers import Fell, Result, in_processes

from pdt_annotate.rewrite import Rewritten, rewrite
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.module import read_module
from pdt_annotate.source.text import decode
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.slots import Annotation, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

LEAST = 1_000
NOT_FOUND = ("has no such parameter", "no `def` of that name")
LIST = TypeExpr("list", (TypeExpr("int"),))
TENSOR = TypeExpr("torch.Tensor")


def run(means: Means, tally: Tally) -> None:
    installed = list(_installed())
    drawn = means.random("files").sample(installed, min(len(installed), means.times(len(installed) // 3)))
    in_processes(_attack, drawn, tally)


def _installed() -> Iterator[Path]:
    """The standard library, with its tests, and torch."""
    places = [Path(sysconfig.get_path("stdlib"))]
    torch = find_spec("torch")
    places += [Path(torch.origin).parent] if torch and torch.origin else []
    for place in places:
        for file in sorted(place.rglob("*.py")):
            left_out = {"site-packages", "idlelib"} & set(file.relative_to(place).parts)
            if not left_out and b"def " in file.read_bytes():  # otherwise there are no slots to annotate
                yield file


def _attack(file: Path) -> list[Result]:
    return [(str(file), _annotate(file.read_bytes()))]


def _annotate(source: bytes) -> Fell:
    try:
        annotations, made = annotate(source)
    except (SyntaxError, ValueError, UserError):
        if _tree(source) is None:
            return []
        with contextlib.suppress(SyntaxError, ValueError):  # the encoding would not restore the same bytes
            decode(source)
            return [(WRONG, "refused")]
        return []
    return faults(source, annotations, made)


def annotate(source: bytes) -> tuple[list[Annotation], Rewritten]:
    """Annotations for every slot in a source, and the rewrite with them."""
    annotations = list(_wanted(source))
    return annotations, rewrite(source, annotations, file="/project/m.py", module="m", classes={})


def faults(source: bytes, annotations: list[Annotation], made: Rewritten) -> Fell:
    return [*_compare(source, made), *_account(annotations, made)]


def _wanted(source: bytes) -> Iterator[Annotation]:
    """An annotation for each parameter, return and plain local."""
    for function in read_module("/project/m.py", source).functions:
        yield Annotation(Slot(function.owner, SlotKind.RETURN, "return"), LIST)
        for parameter in function.parameters:
            yield Annotation(Slot(function.owner, SlotKind.PARAMETER, parameter.name), TENSOR)
        for node in function.node.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield Annotation(Slot(function.owner, SlotKind.LOCAL, node.targets[0].id, node.lineno), LIST)


def _compare(before: bytes, made: Rewritten) -> Fell:
    """A rewrite that is another program without its annotations and imports, or that lost a byte."""
    fell: Fell = []
    body = decode(before).body
    if decode(made.source).body != decode(before).edited(made.edits, 0, len(body)):
        fell.append((LOST, "the edits do not make what was written"))
    taken = b"".join(body[each.offset : each.end] for each in made.edits)
    if taken.strip():
        fell.append((LOST, f"taken away: {taken!r}"))
    was, is_now = _tree(before), _tree(made.source)
    if is_now is None:
        fell.append((WRONG, f"does not parse: {made.source[:2000]!r}"))
    elif was is not None and ast.dump(_Bare().visit(was)) != ast.dump(_Bare().visit(is_now)):
        fell.append((WRONG, f"another program: {made.source[:2000]!r}"))
    return fell


def _account(annotations: list[Annotation], made: Rewritten) -> Fell:
    """A slot that is neither written nor refused must have an annotation, or be in a function that must not change."""
    written = {each.slot for each in made.written}
    strange = written - {each.slot for each in annotations}
    fell: Fell = [(WRONG, f"written, and not asked for: {strange}")] if strange else []
    fell += [(WRONG, f"not found: {each.message}") for each in made.refused if any(map(each.message.count, NOT_FOUND))]
    answered = written | {finding.slot for finding in made.refused}
    after = read_module("/project/m.py", made.source).functions
    lost = [each.slot for each in annotations if each.slot not in answered and not _is_settled(each.slot, after)]
    return [*fell, (WRONG, f"neither written nor refused: {lost[:3]}")] if lost else fell


def _is_settled(slot: Slot, after: Iterable[Function]) -> bool:
    """Whether a slot of a function that the tool may change has an annotation afterwards."""
    moved = [each for each in after if each.owner.qualname == slot.owner.qualname]
    if any(each.settled for each in moved):
        return True
    match slot.kind:
        case SlotKind.RETURN:
            return any(each.returns for each in moved)
        case SlotKind.PARAMETER:
            return any(each.annotation for function in moved for each in function.parameters if each.name == slot.name)
    return True  # the assignment of an already annotated local is not plain


def _tree(content: bytes) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


class _Bare(ast.NodeTransformer):
    """Removes all that the tool may add: annotations, and imports from `typing`, of `torch` and of `__future__`."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None or not node.simple:
            return self.generic_visit(node)
        return self.generic_visit(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module in ("typing", "torch") else node

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        names = [each for each in node.names if each.name not in ("torch", "typing")]
        return ast.Import(names) if names else None
