"""Annotate every parameter and return without annotation in the standard library and torch, and check the result.

    python benchmarks/survive.py [--every N] [PATH ...]

A file survives if the result compiles, is the same program except for the new annotations and imports, contains all
bytes of the original in their order, and does not change in a second run. Prints every failure. The exit code is 1 if
there are failures.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import itertools
import sys
import sysconfig
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pdt_annotate.rewrite import Rewritten, rewrite
from pdt_annotate.source.module import read_module
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr

TYPE = TypeExpr("Optional", (TypeExpr("list", (TENSOR,)),))
_INSTALLED = {"site-packages", "dist-packages"}
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def main() -> int:
    """Run over the files, print counts and failures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders; the standard library and torch if none")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth file only")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    start = time.perf_counter()
    for file in itertools.islice(_files(options.paths or _libraries()), 0, None, options.every):
        for failure in survive(file, counts):
            counts["failures"] += 1
            print(f"{file}: {failure}", flush=True)
    seconds = time.perf_counter() - start
    print(", ".join(f"{name} {count}" for name, count in counts.items()), f"in {seconds:.0f} s")
    return 1 if counts["failures"] else 0


def survive(file: Path, counts: Counter[str]) -> Iterator[str]:
    """Yield the failures of a file; none if the original is not valid Python."""
    source = file.read_bytes()
    try:
        code = compile(source, str(file), "exec", dont_inherit=True)
        before = ast.parse(source)
    except (SyntaxError, ValueError):
        counts["not Python"] += 1
        return
    counts["files"] += 1
    counts["lines"] += source.count(b"\n")
    try:
        yield from _judge(source, str(file), before, _positions(code), counts)
    except (UserError, SyntaxError) as error:
        yield f"{type(error).__name__}: {error}"


def _judge(
    source: bytes, file: str, before: ast.Module, positions: set[tuple[str, int]], counts: Counter[str]
) -> Iterator[str]:
    found = _owners(source, file)
    lost = positions - {(owner.qualname, owner.line) for owner in found}
    if lost:
        yield f"not found: {sorted(lost)[:3]}"
    wanted = _annotations(before, found)
    result = rewrite(source, wanted, file=file, module="", classes={})
    counts["written"] += len(result.written)
    counts["refused"] += len(result.refused)
    compile(result.source, file, "exec", dont_inherit=True)
    if not _is_subsequence(source, result.source):
        yield "bytes were lost"
    if _stripped(ast.parse(result.source), result) != _stripped(before, Rewritten(b"")):
        yield "not the same program"
    moved = _owners(result.source, file)
    if [owner.qualname for owner in found] != [owner.qualname for owner in moved]:
        yield "functions changed their order"
    again = rewrite(result.source, _annotations(before, moved), file=file, module="", classes={})
    if again.source != result.source or again.written:
        yield f"a second run writes {len(again.written)} more"


def _owners(source: bytes, file: str) -> list[Owner]:
    """All functions and classes of a file in source order."""
    found = read_module(file, source)
    return sorted((each.owner for each in (*found.functions, *found.classes)), key=lambda each: each.line)


def _annotations(tree: ast.Module, found: Sequence[Owner]) -> list[Annotation]:
    """Annotate every parameter and return without annotation. The definitions of the tree have the order of `found`."""
    definitions = sorted(
        (node for node in ast.walk(tree) if isinstance(node, Definition)),
        key=lambda node: (node.lineno, node.col_offset),
    )
    return [
        Annotation(Slot(owner, kind, name), TYPE)
        for node, owner in zip(definitions, found, strict=True)
        for kind, name in _free_slots(node)
    ]


def _free_slots(node: Definition) -> Iterator[tuple[SlotKind, str]]:
    if isinstance(node, ast.ClassDef):
        return
    for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        if arg.annotation is None:
            yield SlotKind.PARAMETER, arg.arg
    if node.returns is None:
        yield SlotKind.RETURN, "return"


def _positions(code: object) -> set[tuple[str, int]]:
    """The (qualified name, first line) of every `def` and `class`, from Python's code objects."""
    found = set()
    for const in getattr(code, "co_consts", ()):
        if hasattr(const, "co_qualname"):
            found |= _positions(const)
            if not const.co_name.startswith("<"):
                found.add((const.co_qualname, const.co_firstlineno))
    return found


def _is_subsequence(old: bytes, new: bytes) -> bool:
    """Whether the new file contains all bytes of the old one in their order."""
    rest = iter(new)
    return all(byte in rest for byte in old)


def _stripped(tree: ast.Module, result: Rewritten) -> str:
    """The program without annotations in signatures and without the imports that the rewrite added."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    for statement in result.imports:
        for added in ast.parse(statement).body:
            assert isinstance(added, ast.Import | ast.ImportFrom)
            _remove(tree, added)
    return ast.dump(tree)


def _remove(tree: ast.Module, added: ast.Import | ast.ImportFrom) -> None:
    names = {ast.dump(alias) for alias in added.names}
    for node in tree.body:
        if type(node) is type(added) and getattr(node, "module", None) == getattr(added, "module", None):
            assert isinstance(node, ast.Import | ast.ImportFrom)
            kept = [alias for alias in node.names if ast.dump(alias) not in names]
            names -= {ast.dump(alias) for alias in node.names}
            node.names = kept
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom) or node.names]


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        found = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        yield from (file for file in found if _INSTALLED.isdisjoint(file.relative_to(path).parts))


def _libraries() -> list[Path]:
    torch = importlib.util.find_spec("torch")
    assert torch is not None and torch.origin is not None
    return [Path(sysconfig.get_path("stdlib")), Path(torch.origin).parent]


if __name__ == "__main__":
    sys.exit(main())
