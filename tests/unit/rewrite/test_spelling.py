"""Types in the spelling of the file, as the compiler accepts them; and signatures that are broken as formatters do."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from loaded import load
from rewrite_case import FILE, INT, LIST, OPTIONAL, Case, info
from torch_differences import holds

from pdt_annotate.source.module import read_module
from pdt_annotate.values.style import PLAIN, Spelling, Style
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

TENSORS = TypeExpr("Optional", (TypeExpr("list", (TENSOR,)),))
NESTED = TypeExpr("dict", (TypeExpr("str"), TypeExpr("tuple", (INT, TENSOR))))
FUTURE = TypeExpr("torch.futures.Future", (INT,))
PACKED = TypeExpr("torch.nn.utils.rnn.PackedSequence")

WORDS = {
    "nothing to go by": ("", TENSORS, "Optional[List[Tensor]]"),
    "names of typing": ("from typing import List as L, Optional\n", TENSORS, "Optional[L[Tensor]]"),
    "typing_extensions": ("from typing_extensions import List\n", LIST, "List[int]"),
    "typing": ("import typing\n", TENSORS, "typing.Optional[typing.List[Tensor]]"),
    "typing as t": ("import typing as t\n", LIST, "t.List[int]"),
    "typing and names of it": ("import typing\nfrom typing import Any\n", LIST, "List[int]"),
    "star of typing": ("from typing import *\n", TENSORS, "Optional[List[Tensor]]"),
    "builtin generics": ("def g(x: list[int]): pass\n", NESTED, "dict[str, tuple[int, Tensor]]"),
    "builtin generics beside typing's": ("from typing import Dict\ndef g(x: list[int]): pass\n", LIST, "List[int]"),
    "a bare list": ("def g(x: list): pass\n", LIST, "List[int]"),
    "bars": ("def g(x: int | None): pass\n", OPTIONAL, "int | None"),
    "bars in bars": (
        "def g(x: int | None): pass\n",
        TypeExpr("Optional", (TypeExpr("Union", (INT, TypeExpr("str"))),)),
        "int | str | None",
    ),
    "bars in brackets": ("y: list[int] | None\n", TypeExpr("list", (OPTIONAL,)), "list[int | None]"),
    "bars beside Optional": ("from typing import Optional\ndef g(x: int | None): pass\n", OPTIONAL, "Optional[int]"),
    "bars outside annotations": ("y = 1 | 2\n", OPTIONAL, "Optional[int]"),
    "union": ("", TypeExpr("Union", (INT, NONE, TypeExpr("str"))), "Union[int, None, str]"),
    "empty tuple": ("", TypeExpr("tuple"), "Tuple[()]"),
    "empty tuple, builtin": ("y: list[int]\n", TypeExpr("tuple"), "tuple[()]"),
    "None": ("", NONE, "None"),
    "Any": ("import typing\n", ANY, "typing.Any"),
    "Tensor": ("from torch import Tensor\nimport torch\n", TENSOR, "Tensor"),
    "Tensor as T": ("import torch\nfrom torch import Tensor as T\n", TENSOR, "T"),
    "torch": ("import torch\n", TENSOR, "torch.Tensor"),
    "torch as th": ("import torch as th\n", TENSOR, "th.Tensor"),
    "torch.nn": ("import torch.nn\n", TENSOR, "torch.Tensor"),
    "torch.nn as nn": ("import torch.nn as nn\n", TENSOR, "Tensor"),
    "device": ("import torch\n", TypeExpr("torch.device"), "torch.device"),
    "dtype": ("", TypeExpr("torch.dtype"), "dtype"),
    "Generator": ("import torch as th\n", TypeExpr("torch.Generator"), "th.Generator"),
    "Stream": ("", TypeExpr("torch.Stream"), "Stream"),
    "Future": ("import torch\n", FUTURE, "torch.futures.Future[int]"),
    "Future by name": ("", FUTURE, "Future[int]"),
    "packed sequence": ("from torch import nn\n", PACKED, "nn.utils.rnn.PackedSequence"),
    "packed sequence by name": ("", PACKED, "PackedSequence"),
}
if holds("takes torch.qscheme for an annotation"):
    WORDS["qscheme"] = ("", TypeExpr("torch.qscheme"), "qscheme")


@pytest.mark.parametrize(("head", "type", "text"), WORDS.values(), ids=WORDS.keys())
def test_spells_and_the_compiler_agrees(head: str, type: TypeExpr, text: str, tmp_path: Path) -> None:
    source = head + "def f(x):\n    return x\n"
    result = Case(source).param("f", "x", type).run()
    assert f"def f(x: {text}):" in result.source.decode()
    _compile(tmp_path / f"spelled_{abs(hash(source + text))}.py", result.source)


def _compile(path: Path, source: bytes) -> str:
    return str(torch.jit.script(load(path, source).f).schema)


def test_bars_are_never_quoted(tmp_path: Path) -> None:
    source = (
        "import typing\ndef f(x):\n    return x\ndef g(y: int | None): pass\nclass P(typing.NamedTuple):\n    a: int\n"
    )
    case = Case(source).param("f", "x", TypeExpr("Optional", (TypeExpr("pkg.mod.P"),)))
    result = case.run(classes=info("pkg.mod.P", file=FILE))
    assert b'def f(x: "typing.Optional[P]"):' in result.source
    assert "P? x" in _compile(tmp_path / "quoted_bars.py", result.source)


def test_a_namedtuple_is_its_name() -> None:
    case = Case("from shapes import Box\ndef f(x«: Box»): pass\n").param(
        "f", "x", TypeExpr("shapes.Box", (INT, TENSOR))
    )
    case.becomes(classes=info("shapes.Box"))


@pytest.mark.parametrize("wrap", [lambda box: box, lambda box: TypeExpr("list", (TypeExpr("dict", (INT, box)),))])
def test_refuses_an_unknown_class_and_all_that_has_it(wrap: Callable[[TypeExpr], TypeExpr]) -> None:
    Case("def f(x): pass\n").param("f", "x", wrap(TypeExpr("shapes.Box"))).refuses("PDT017")


def _style(version: int, upgrades: bool = False, spelling: Spelling = Spelling.AUTO) -> Style:
    return Style(python=(3, version), upgrades=upgrades, spelling=spelling)


BOTH = TypeExpr("Optional", (TypeExpr("dict", (TypeExpr("str"), TypeExpr("Optional", (LIST,)))),))
OLD, NEW = "Optional[Dict[str, Optional[List[int]]]]", "dict[str, list[int] | None] | None"
MIXED = "Optional[dict[str, Optional[list[int]]]]"
FUTURE_IMPORT = "from __future__ import annotations\n"
SPELLINGS = {
    "an old Python": (_style(8), "", OLD),
    "a Python without bars": (_style(9), "", MIXED),
    "a newer Python": (_style(10), "", NEW),
    "a file of typing": (_style(11), "from typing import Dict, List, Optional\n", OLD),
    "a file of typing, upgraded": (_style(11, upgrades=True), "from typing import Dict, List, Optional\n", NEW),
    "upgraded as far as Python goes": (_style(9, upgrades=True), "from typing import Dict\n", MIXED),
    "unions of typing": (_style(11), "from typing import Optional\n", MIXED),
    "no evaluation": (_style(8), FUTURE_IMPORT, NEW),
    "no evaluation and no Python": (PLAIN, FUTURE_IMPORT, OLD),
    "no evaluation in a file of typing": (_style(8), f"{FUTURE_IMPORT}from typing import Dict, Optional\n", OLD),
    "asked for": (_style(8, spelling=Spelling.MODERN), "from typing import Dict\n", NEW),
    "asked not to": (_style(12, upgrades=True, spelling=Spelling.TYPING), "def g(x: list[int]): pass\n", OLD),
}


@pytest.mark.parametrize(("style", "head", "text"), SPELLINGS.values(), ids=SPELLINGS)
def test_spells_as_the_project_asks_for(style: Style, head: str, text: str, tmp_path: Path) -> None:
    result = Case(f"{head}def f(x):\n    return x\n").param("f", "x", BOTH).run(style=style)
    assert f"def f(x: {text}):" in result.source.decode()
    assert "f(Dict(str, int[]?)? x)" in _compile(tmp_path / f"asked_{abs(hash(result.source))}.py", result.source)


@pytest.mark.parametrize("head", ["import torch\nimport typing as t\n", "import torch\nfrom typing import *\n"])
def test_no_bar_stands_beside_a_dotted_generic(head: str, tmp_path: Path) -> None:
    wanted = TypeExpr("Optional", (FUTURE,))
    modern = Style(spelling=Spelling.MODERN)
    result = Case(f"{head}def f(x):\n    return x\n").param("f", "x", wanted).run(style=modern)
    assert "Optional[torch.futures.Future[int]]" in result.source.decode()
    path = tmp_path / f"dotted_{abs(hash(head))}.py"
    assert "Future(int)? x" in _compile(path, result.source)
    barred = re.sub(rb"[\w.]*Optional\[(.*)\]\)", rb"\1 | None)", result.source)
    with pytest.raises(RuntimeError, match="Unknown type constructor"):
        _compile(path, barred)


def test_a_table_under_the_future_import_is_evaluated() -> None:
    source = f"{FUTURE_IMPORT}class A:\n    def f(self, x): pass\n"
    text = Case(source).attribute("A", "y", BOTH).param("A.f", "x", BOTH).run(style=_style(8)).source.decode()
    assert f'"y": {OLD}' in text
    assert f"x: {NEW}" in text


NARROW = Style(line_length=40)

KEPT = {
    "short enough": "def f(a«: int», b«: int»):\n    pass\n",
    "to the last column": "def f(aaaaaaaaaa«: int», bbbbbbbbbb«: int»):\n    pass\n",
    "too long before": "def f(a«: int», bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb«: int»):\n    pass\n",
    "no parameters": "def ffffffffffffffffffffffffffffffffff()« -> int»:\n    pass\n",
    "one parameter a line": "def f(\n    a«: int»,\n    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb«: int»,\n):\n    pass\n",
    "nowhere to break": "def f(a«: int»,\n      bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb«: int»):\n    pass\n",
}
"""Only the types are added."""

WRAPPED = {
    "on one line": "def f(«\n    »aaaaaaaaaa«: int», bbbbbbbbbbb«: int\n»):\n    pass\n",
    "one a line": "def f(«\n    »aaaaaaaaaa«: int»,«\n   » bbbbbbbbbb«: int»,«\n   » c«: int,\n») -> int:\n    pass\n",
    "a single parameter": "def f(«\n    »aaaaaaaaaaaaaaaaaaaaaaaaaaaaa«: int,\n»):\n    pass\n",
    "the return alone": "def f(«\n    »aaaaaaaaaa: int, bbbbb: int«\n»)« -> int»:\n    pass\n",
    "all kinds": (
        "def f(«\n    »a«: int»,«\n   » /,«\n   » b«: int »=« »0,«\n   » *args,«\n   » c«: int»,«\n   » **rest«,\n"
        "»):\n    pass\n"
    ),
    "keywords alone": "def f(«\n    »*, aaaaaaaaaa«: int», bbbbbbbbb«: int\n»):\n    pass\n",
    "brackets, lambdas and strings": (
        'def f(«\n    »a«: int »=« »(1,),«\n   » b«: int »=« »lambda x, y: x,«\n   » c«: int »=« »",("«,\n»):\n'
        "    pass\n"
    ),
    "a method": (
        "class A:\n    @staticmethod\n    async def f(«\n        »aaaaaaa«: int», bbbbb«: int\n    »):\n        pass\n"
    ),
    "a comment behind it": "def f(«\n    »aaaaaaaaa«: int»,«\n   » bbbb«: int,\n»):  # noqa\n    pass\n",
    "all on a line below": (
        "def f(\n    aaaaaaaaaa«: int»,«\n   » bbbbbbbbbb«: int»,«\n   » ccccc«: int,»\n):\n    pass\n"
    ),
    "wide characters": "def f(«\n    »aaaaaaaaaa«: int», 幅幅幅幅幅幅«: int\n»):\n    pass\n",
    "a type parameter": "def f[T: (int, str)](«\n    »aaaa«: int», bbbb«: int\n»):\n    pass\n",
}
"""The layout of black and ruff."""

OTHER_LAYOUTS = {
    "a body on the line": "def f(«\n    »aaaaaaaaa«: int»,«\n   » bbb«: int,\n»): return aaaaaa\n",
    "a comma at the end": "def f(«\n    »aaaaaaaaaaa«: int»,«\n   » bbbbbbbbbb«: int»,«\n»):\n    pass\n",
    "two spaces": "class A:\n  def f(«\n    »aaaaaaaaaaa«: int», bbbbbbbb«: int\n  »):\n    pass\n",
    "tabs": "class A:\n\tdef f(«\n\t\t»aaaaaaaaaaa«: int», bbbbbb«: int\n\t»):\n\t\tpass\n",
    "carriage returns": "def f(«\r\n    »aaaaaaaaaa«: int», bbbbbbbbbbb«: int\r\n»):\r\n    pass\r\n",
    "aligned": (
        "def f(aaaaaaa«: int», bbbbbbb«: int»,«\n     » ccccccc«: int»,\n      ddddddd«: int», eeeeeee«: int»,«\n"
        "     » fffffff«: int»):\n    pass\n"
    ),
    "comments inside": "def f(\n    aaaaaaaaaaaaa«: int»,«\n   » bbbbbbbbbb«: int»,  # c\n):\n    pass\n",
}
"""Layouts that every formatter would change."""


def annotated(text: str) -> Case:
    """A case that annotates all free parameters of `f` with `int`, and its return if the text has this annotation."""
    case = Case(text)
    (function,) = read_module("", case.source).functions
    name, args = function.owner.qualname, function.node.args
    for parameter in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        case.param(name, parameter.arg)
    return case.returns(name) if "« -> int»" in text else case


CASES = KEPT | WRAPPED | OTHER_LAYOUTS


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_breaks_what_gets_too_long_and_keeps_the_layout_otherwise(text: str) -> None:
    if "[T" in text and sys.version_info < (3, 12):
        pytest.skip("type parameters need Python 3.12")
    annotated(text).becomes(style=NARROW)


def test_nothing_is_broken_where_no_line_may_move() -> None:
    expected = "def f(aaaaaaaaaa: int, bbbbbbbbbbb: int):\n    pass\n"
    annotated(WRAPPED["on one line"]).becomes(expected, style=NARROW, imports=False)


@pytest.mark.parametrize("formatter", [("black",), ("ruff", "format", "--isolated")], ids=lambda each: each[0])
def test_the_formatters_leave_it_at_that(formatter: tuple[str, ...], tmp_path: Path) -> None:
    for index, text in enumerate(WRAPPED.values()):
        (tmp_path / f"case{index}.py").write_bytes(Case(text).expected)
    command = [sys.executable, "-m", *formatter, "--check", "--line-length", "40", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


LIMITS = {
    "a file of short lines": ("x = 1\n", 88),
    "a file of longer lines": (f"x = {'1' * 96}\n", 100),
    "a file of the longest": (f"x = {'1' * 196}\n", 120),
    "long comments and strings": (f'"""Doc.\n\n{"d" * 100}\n"""\n# {"c" * 100}\n', 88),
}


@pytest.mark.parametrize(("head", "limit"), LIMITS.values(), ids=LIMITS)
def test_a_file_that_nobody_configures_is_its_own_measure(head: str, limit: int) -> None:
    name = "a" * (limit - len("def f(: int, b: int):"))
    annotated(f"{head}def f({name}«: int», b«: int»):\n    pass\n").becomes()
    annotated(f"{head}def f(«\n    »{name}«: int», bb«: int\n»):\n    pass\n").becomes()
