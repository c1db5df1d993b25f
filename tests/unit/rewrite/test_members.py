"""Attributes: lines and tables in class bodies."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path

import pytest
import torch
from rewrite_case import FILE, LIST, OPTIONAL, Case, info

from pdt_annotate.values.types import TypeExpr

_numbers = itertools.count()

ALONE = {
    "annotated": "class A:\n    n: int\n",
    "annotated with a value": "class A:\n    n: int = 3\n",
    "annotated in a branch": "class A:\n    if y:\n        n: int = 3\n",
    "in the table": "class A:\n    __annotations__ = {'n': int}\n",
    "skipped": "class A:  # pdt: skip\n    pass\n",
    "skipped above": "# pdt: skip\n@d\nclass A: pass\n",
}


@pytest.mark.parametrize("source", ALONE.values(), ids=ALONE.keys())
def test_leaves_alone(source: str) -> None:
    Case(source).attribute("A", "n", LIST).stays()


BODIES = {
    "one line": ("class A: pass\n", "class A: pass; n: int; m: int\n"),
    "one line with semicolon": ("class A: x = 1; pass;\n", "class A: x = 1; pass; n: int; m: int;\n"),
    "one line with docstring": ("class A: 'doc'  # c\n", "class A: 'doc'; n: int; m: int  # c\n"),
    "pass": ("class A:\n  pass\n", "class A:\n  n: int\n  m: int\n  pass\n"),
    "method": (
        "class A(B):  # c\n    def f(self): pass\n",
        "class A(B):  # c\n    n: int\n    m: int\n\n    def f(self): pass\n",
    ),
    "method below a blank": (
        "class A:\n\n    def f(self): pass\n",
        "class A:\n    n: int\n    m: int\n\n    def f(self): pass\n",
    ),
    "method below a comment": (
        "class A:\n    # about f\n    @d\n    def f(self): pass\n",
        "class A:\n    n: int\n    m: int\n\n    # about f\n    @d\n    def f(self): pass\n",
    ),
    "docstring": (
        'class A:\n    """Doc."""\n    def f(self): pass\n',
        'class A:\n    """Doc."""\n\n    n: int\n    m: int\n\n    def f(self): pass\n',
    ),
    "docstring and blank": (
        'class A:\n    """Doc."""\n\n    def f(self): pass\n',
        'class A:\n    """Doc."""\n\n    n: int\n    m: int\n\n    def f(self): pass\n',
    ),
    "docstring only": ('class A:\n    """Doc."""\n', 'class A:\n    """Doc."""\n\n    n: int\n    m: int\n'),
    "annotations": (
        "class A:\n    a: int  # first\n    b: int = (\n        3)\n    c = 1\n    d: int\n",
        "class A:\n    a: int  # first\n    b: int = (\n        3)\n    n: int\n    m: int\n    c = 1\n    d: int\n",
    ),
    "assignment": (
        "class A:\n    n = 3\n    n = 4\n    def f(self): pass\n",
        "class A:\n    m: int\n    n: int = 3\n    n = 4\n    def f(self): pass\n",
    ),
    "table": (
        "class A:\n    __annotations__ = {'a': (int)}\n",
        'class A:\n    __annotations__ = {\'a\': (int), "n": int, "m": int}\n',
    ),
    "empty table": ("class A:\n    __annotations__ = {}\n", 'class A:\n    __annotations__ = {"n": int, "m": int}\n'),
    "table with comma": (
        "class A:\n    n = 1\n    __annotations__ = {\n        'a': int,\n    }\n",
        'class A:\n    n = 1\n    __annotations__ = {\n        \'a\': int, "n": int, "m": int,\n    }\n',
    ),
}


@pytest.mark.parametrize(("source", "expected"), BODIES.values(), ids=BODIES.keys())
def test_annotates_a_body(source: str, expected: str) -> None:
    Case(source).attribute("A", "n").attribute("A", "m").becomes(expected)


def test_a_class_in_a_function_keeps_its_indent() -> None:
    source = "def g():\n\tclass A:\n\t\tdef f(self): pass\n"
    Case(source).attribute("g.<locals>.A", "n").becomes(source.replace("A:\n", "A:\n\t\tn: int\n\n"))


def test_final() -> None:
    Case("import typing\nclass A:\n    n = 3\n").attribute("A", "n", final=True).becomes(
        "import typing\nclass A:\n    n: typing.Final[int] = 3\n"
    )


def test_refuses_a_class_that_is_not_there_yet() -> None:
    source = "class A: pass\nclass B: pass\n"
    box = TypeExpr("pkg.mod.B")
    Case(source).attribute("A", "n", box).refuses("PDT017", classes=info("pkg.mod.B", file=FILE))
    source = "class B: pass\nclass A: pass\n"
    Case(source).attribute("A", "n", box).becomes(
        source.replace("A: pass", "A: pass; n: B"), classes=info("pkg.mod.B", file=FILE)
    )


FUTURE = "from __future__ import annotations\nfrom typing import *\n"
TABLES = {
    "nothing else": ("class A: pass\n", 'class A: pass; __annotations__ = {"n": List[int]}\n'),
    "an assignment": (
        "class A:\n    n = []\n",
        'class A:\n    __annotations__ = {"n": List[int]}\n    n = []\n',
    ),
    "live annotations repeated, behind the last": (
        "class A:\n    a: Optional[int]\n    def f(self): pass\n    b: A.C\n",
        "class A:\n    a: Optional[int]\n    def f(self): pass\n    b: A.C\n"
        '    __annotations__ = {"a": Optional[int], "b": "A.C", "n": List[int]}\n',
    ),
    "names for type checkers stay strings": (
        "if TYPE_CHECKING:\n    import c\nclass A:\n    a: c.D\n",
        'if TYPE_CHECKING:\n    import c\nclass A:\n    a: c.D\n    __annotations__ = {"a": "c.D", "n": List[int]}\n',
    ),
    "a long table": (
        "class A:\n    a: Optional[Union[List[int], Dict[str, int], Tuple[int, int, int, int, int]]]\n",
        "class A:\n    a: Optional[Union[List[int], Dict[str, int], Tuple[int, int, int, int, int]]]\n"
        "    __annotations__ = {\n"
        '        "a": Optional[Union[List[int], Dict[str, int], Tuple[int, int, int, int, int]]],\n'
        '        "n": List[int],\n'
        "    }\n",
    ),
}


SAID_TWICE = {
    "text": ("class A:\n    n: List[int]\n", 'class A:\n    n: List[int]\n    __annotations__ = {"n": List[int]}\n'),
    "text with a value": (
        "class A:\n    a: str\n    n: List[int] = []\n    c = 1\n",
        'class A:\n    a: str\n    n: List[int] = []\n    __annotations__ = {"a": str, "n": List[int]}\n    c = 1\n',
    ),
}


@pytest.mark.parametrize(("source", "expected"), SAID_TWICE.values(), ids=SAID_TWICE.keys())
def test_under_the_future_import_an_annotation_is_text_and_said_again(source: str, expected: str) -> None:
    Case(FUTURE + source).attribute("A", "n", LIST).becomes(FUTURE + expected)


@pytest.mark.parametrize(("source", "expected"), TABLES.values(), ids=TABLES.keys())
def test_under_the_future_import_a_table_holds_live_types(source: str, expected: str) -> None:
    Case(FUTURE + source).attribute("A", "n", LIST).becomes(FUTURE + expected)


MODULE = """\
from typing import *
import torch
class M(torch.nn.Module):
    k: int
    def __init__(self):
        super().__init__()
        self.k = 2
        self.items = []
        self.last = None
    def forward(self, n: int) -> int:
        self.items.append(n)
        self.last = n
        return len(self.items) + self.k + self.size
    size = 3
"""


@pytest.mark.parametrize("head", ["", "from __future__ import annotations\n"])
def test_the_compiler_takes_the_attributes(head: str, tmp_path: Path) -> None:
    case = Case(head + MODULE).attribute("M", "items", LIST).attribute("M", "last", OPTIONAL)
    result = case.attribute("M", "size", final=True).run()
    assert len(result.written) == 3
    path = tmp_path / f"members_{next(_numbers)}.py"
    path.write_bytes(result.source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    scripted = torch.jit.script(module.M())
    assert (scripted(5), scripted(5), scripted.last) == (6, 7, 5)
