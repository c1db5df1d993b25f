"""Functions and classes are found where Python says they are."""

from __future__ import annotations

import ast
import dataclasses
import statistics
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch.nn.modules.rnn
from rewrite_case import FILE, Case, check_edits, owners

from pdt_annotate.rewrite import Rewritten, rewrite
from pdt_annotate.values.slots import Annotation, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr

ODD = b"""\
@d
@e(lambda: 3)
class A:
    def f(self): pass
    @property
    def f(self): pass
    class B:
        async def f(self): pass
def outer():
    global g
    def g(): pass
    class C:
        def f(self):
            def f(): pass
try:
    pass
except E:
    def h(): pass
else:
    while 1:
        def h(): pass
match x:
    case 1:
        def h(): pass
"""
MODULES = [ast, dataclasses, statistics, torch.nn.modules.rnn]
TYPE = TypeExpr("Optional", (TypeExpr("list", (TENSOR,)),))


OTHERS = ("<", "__annotate__")
"""Code of what is no definition: of comprehensions and, on Python 3.14, of annotations."""


def _positions(code: types.CodeType) -> Iterator[tuple[int, str]]:
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _positions(const)
            if not const.co_name.startswith(OTHERS):
                yield const.co_firstlineno, const.co_qualname


def test_finds_what_python_finds() -> None:
    found = [(each.line, each.qualname) for each in owners(ODD, FILE)]
    assert sorted(found) == sorted(_positions(compile(ODD, FILE, "exec")))
    assert found == sorted(found)


def _slots(source: bytes) -> Iterator[Slot]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    nodes = sorted((node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)), key=lambda n: n.lineno)
    for node, owner in zip(nodes, owners(source, FILE), strict=True):
        if not isinstance(node, ast.ClassDef):
            for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                yield Slot(owner, SlotKind.PARAMETER, arg.arg)
            yield Slot(owner, SlotKind.RETURN, "return")


def _signatureless(source: bytes, result: Rewritten) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    added = {alias.name for text in result.imports for alias in ast.parse(text).body[0].names}  # type: ignore[attr-defined]
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in imports:
        node.names = [alias for alias in node.names if alias.name not in added]
    tree.body = [node for node in tree.body if node not in imports or node.names]
    return ast.dump(tree)


@pytest.mark.parametrize("module", MODULES, ids=lambda each: each.__name__)
def test_a_whole_file_stays_the_same_program(module: types.ModuleType) -> None:
    source = Path(str(module.__file__)).read_bytes()
    found = {(each.line, each.qualname) for each in owners(source, FILE)}
    assert found >= set(_positions(compile(source, FILE, "exec", dont_inherit=True)))
    case = Case(source)
    case.annotations = [Annotation(slot, TYPE) for slot in _slots(source)]
    result = case.run()
    assert result.refused == ()
    check_edits(source, result)
    assert _signatureless(result.source, result) == _signatureless(source, result)
    assert _without(result, source) == source
    again = [Annotation(slot, TYPE) for slot in _slots(result.source)]
    assert rewrite(result.source, again, file=FILE, module="pkg.mod", classes={}) == Rewritten(result.source)


def _without(result: Rewritten, source: bytes) -> bytes:
    """The result with every piece cut out that the source does not have: the source, or a byte was changed."""
    left, rest = bytearray(), iter(result.source)
    for byte in source:
        left += bytes(next(([byte] for each in rest if each == byte), []))
    return bytes(left)
