"""Types in the words of the file; every spelling is one that the compiler takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from imported import import_source
from rewrite_case import FILE, INT, LIST, OPTIONAL, Case, info
from torch_differences import holds

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
    "bars beside Optional": (
        "from typing import Optional\ndef g(x: int | None): pass\n",
        OPTIONAL,
        "Optional[int]",
    ),
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
    return str(torch.jit.script(import_source(path, source).f).schema)


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
    path = tmp_path / f"asked_{abs(hash(result.source))}.py"
    assert "f(Dict(str, int[]?)? x)" in _compile(path, result.source)


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
    case = Case(source).attribute("A", "y", BOTH).param("A.f", "x", BOTH)
    text = case.run(style=_style(8)).source.decode()
    assert f'"y": {OLD}' in text
    assert f"x: {NEW}" in text
