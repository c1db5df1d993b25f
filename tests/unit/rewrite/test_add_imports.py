"""Imports that suffice, grow or are new. No name is hidden, and no class is used before its definition."""

from collections.abc import Mapping

import pytest
from rewrite_case import FILE, INT, LIST, Case, info

from pdt_annotate.values.slots import ClassInfo
from pdt_annotate.values.style import Sorting, Style
from pdt_annotate.values.types import TENSOR, TypeExpr

TENSORS = TypeExpr("Optional", (TypeExpr("list", (TENSOR,)),))
DEF = "def f(x): pass\n"

ENOUGH = {
    "names": "from typing import List, Optional\nfrom torch import Tensor\n",
    "in a try with the same names": (
        "try:\n    from typing import List, Optional\nexcept ImportError:\n"
        "    from typing_extensions import List, Optional\nfrom torch import Tensor\n"
    ),
    "in a try that raises": (
        "try:\n    import torch\n    from typing import List, Optional\nexcept ImportError:\n"
        "    print('install torch')\n    raise\n"
    ),
    "in a with": "import typing as t\nwith open('x'):\n    import torch\n",
    "in the arm without type checker": (
        "import typing\nif not typing.TYPE_CHECKING:\n    import torch\n    from typing import List, Optional\n"
    ),
}


@pytest.mark.parametrize("head", ENOUGH.values(), ids=ENOUGH.keys())
def test_adds_nothing_to_what_is_enough(head: str) -> None:
    assert Case(head + DEF).param("f", "x", TENSORS).run().imports == ()


GROWING = {
    "at the end": "from typing import List«, Optional»\n",
    "in order": "from typing import Any, List«, Optional», Tuple\n",
    "in front": "from typing import Tuple, Union, List«, Optional»\n",
    "in order of both": "from typing import «List, Optional, »Tuple\n",
    "no order": "from typing import Tuple, Any«, List, Optional»\n",
    "aliases": "from typing import Any as A«, List, Optional», Tuple\n",
    "comment": "from typing import Any«, List, Optional»  # noqa\n",
    "parentheses": "from typing import (Any«, List, Optional»)\n",
    "trailing comma": "from typing import (Any«, List, Optional»,)\n",
    "backslash": "from typing import \\\n    Any«, List, Optional»\n",
    "one name a line": "from typing import (\n    Any,  # a\n«    List,\n    Optional,\n»    Tuple,  # t\n)\n",
    "one name a line, at the end": "from typing import (\n    Any,  # a\n«    List,\n    Optional,\n»)\n",
    "one name a line, no last comma": "from typing import (\n  Any,\n  Dict«,\n  List,\n  Optional»\n)\n",
    "several names a line": "from typing import (\n    Any, Dict,\n    «List, Optional, »Set,\n)\n",
    "an alias alone": "from typing import Any as A\n«from typing import List, Optional\n»",
    "with other statements": "import os; from typing import Any«, List, Optional»; os\n",
}


@pytest.mark.parametrize("head", GROWING.values(), ids=GROWING.keys())
def test_a_from_import_grows(head: str) -> None:
    Case(f"import torch\n{head}def f(x«: Optional[List[torch.Tensor]]»): pass\n").param("f", "x", TENSORS).becomes()


def test_a_relative_import_grows() -> None:
    case = Case("from .shapes import «Box, »Disc\ndef f(x«: Box»): pass\n")
    case.param("f", "x", TypeExpr("pkg.shapes.Box")).becomes(classes=info("pkg.shapes.Box"))


PLACES = {
    "an empty top": "«from typing import List\n\n\n»def f(x): pass\n",
    "blank lines at the top": "«from typing import List\n»\n\ndef f(x): pass\n",
    "behind the last import": "import os\nimport sys\n«from typing import List\n»\ndef f(x): pass\n",
    "close to code": "import os\n«from typing import List\n»y = 1\ndef f(x): pass\n",
    "behind the docstring": '"""Doc."""\n\n«from typing import List\n\n»\ndef f(x): pass\n',
    "behind a crowded docstring": '"""Doc."""\n«\nfrom typing import List\n\n»y = 1\ndef f(x): pass\n',
    "behind the future": "from __future__ import annotations\n\n«from typing import List\n\n»\ndef f(x): pass\n",
    "below the interpreter line": (
        "#!/usr/bin/python\n# coding: utf-8\n«from typing import List\n\n\n»# about f\ndef f(x): pass\n"
    ),
    "below the licence": "# Licence\n\n«from typing import List\n\n\n»# about f\n@d\ndef f(x): pass\n",
    "above a skipped function": "«from typing import List\n\n\n»# pdt: skip\ndef g(x): pass\ndef f(x): pass\n",
    "not in a try": (
        "import os\n«from typing import List\n»try:\n    import b\nexcept ImportError:\n    b = None\ndef f(x): pass\n"
    ),
    "not under TYPE_CHECKING": (
        "from abc import TYPE_CHECKING\n«from typing import List\n»if TYPE_CHECKING:\n    from typing import List\n"
        "def f(x): pass\n"
    ),
    "not in a from import of others": (
        "«from typing import List\n\n»from typing_extensions import Self\nfrom a.typing import Any\ndef f(x): pass\n"
    ),
    "never behind a definition": "import os\n«from typing import List\n»def f(x): pass\nfrom typing import Any, List\n",
    "behind an import over lines": "from abc import (\n    b,\n)\n«from typing import List\n»def f(x): pass\n",
}


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES.keys())
def test_places_a_new_import(text: str) -> None:
    Case(text.replace("def f(x)", "def f(x«: List[int]»)")).param("f", "x", LIST).becomes()


BOTH = TypeExpr("tuple", (LIST, TENSOR, TypeExpr("own.shapes.Box")))
SECTIONS = {
    "none of them": (
        "import os\n«from typing import List, Tuple\n»\nimport numpy\n«from torch import Tensor\n»\nimport own\n"
        "«from own.shapes import Box\n»\nfrom . import x\n"
    ),
    "behind the future": (
        "from __future__ import division\n\n«from typing import List, Tuple\n\nfrom torch import Tensor\n\n"
        "from own.shapes import Box\n\n»from . import x\n"
    ),
    "in the order of modules": (
        "import typing as t\n\nimport aaa\nimport zzz\nfrom Sss import s\n«from torch import Tensor\n"
        "»from uuu import u\n\nfrom own.a10 import a\n«from own.shapes import Box\n»"
    ),
    "below a heading": (
        "# About.\n\nimport typing as t\n\n# others\n«from torch import Tensor\n»from zzz import z\n\n# ours\n"
        "from own.a import a\n«from own.shapes import Box\n»"
    ),
    "without blank lines": (
        "import typing as t\nimport numpy\n«from torch import Tensor\nfrom own.shapes import Box\n»from . import x\n"
    ),
    "no order": (
        "from own.z import z\nimport numpy\nimport math\nimport aaa\n«from torch import Tensor\n»from own.a import a\n"
        "«from own.shapes import Box\n»import typing as t\n"
    ),
    "apart from each other": (
        "import os\n«from typing import List, Tuple\n»\nos.x = 1\n\nimport numpy\n«from torch import Tensor\n»\n"
        "numpy.x = 1\n\nimport own\n«from own.shapes import Box\n»"
    ),
    "a star": (
        "from zzz import *\nimport own\n«from typing import List, Tuple\nfrom torch import Tensor\n"
        "from own.shapes import Box\n»"
    ),
}
SORTING = Sorting(known_first_party=frozenset({"own"}))


@pytest.mark.parametrize("head", SECTIONS.values(), ids=SECTIONS)
def test_sections(head: str) -> None:
    typed = "t.Tuple[t.List[int], Tensor, Box]" if " t\n" in head else "Tuple[List[int], Tensor, Box]"
    case = Case(f"{head}\n\ndef f(x«: {typed}»):\n    pass\n").param("f", "x", BOTH)
    case.becomes(classes=info("own.shapes.Box"), style=Style(sorting=SORTING))


SORTINGS = {
    "kinds mixed": (
        Sorting(force_sort_within_sections=True),
        "import abc\nfrom os import path\n«from typing import List, Optional\n»import zlib\n",
    ),
    "kinds apart": (Sorting(lines_between_types=1), "import abc\nimport zlib\n«\nfrom typing import List, Optional\n»"),
    "from first": (Sorting(from_first=True), "from abc import ABC\n«from typing import List, Optional\n»import abc\n"),
    "one name a line": (
        Sorting(force_single_line=True),
        "«from typing import List\n»from typing import Mapping\n«from typing import Optional\n»from zlib import b\n",
    ),
    "one name a line, but of typing": (
        Sorting(force_single_line=True, single_line_exclusions=frozenset({"typing"})),
        "from typing import «List, »Mapping«, Optional»\n",
    ),
    "constants first": (Sorting(), "from typing import TYPE_CHECKING, Any«, List, Optional», cast\n"),
    "by letters alone": (
        Sorting(order_by_type=False),
        "from typing import Any, cast«, List, Optional», TYPE_CHECKING\n",
    ),
    "too long a line": (
        Sorting(line_length=40),
        "from typing import «(\n    »Dict,«\n    List,\n   » Mapping,«\n    Optional,\n   » Tuple«,\n)»\n",
    ),
    "too long a line, ends anew": (
        Sorting(line_length=40),
        "from typing import «(\n    »Any,«\n   » Callable,«\n   » Dict«,\n    List,\n    Optional,\n)»\n",
    ),
    "too long already": (Sorting(line_length=30), "from typing import Any, Callable, Dict«, List, Optional»\n"),
    "too long a new line": (
        Sorting(line_length=30),
        "import os\n«from typing import (\n    List,\n    Optional,\n)\n»",
    ),
}


@pytest.mark.parametrize(("sorting", "head"), SORTINGS.values(), ids=SORTINGS)
def test_settings_of_isort(sorting: Sorting, head: str) -> None:
    tensor = "import torch\n" if sorting.lines_between_types or sorting.from_first else "from torch import Tensor\n"
    name = "torch.Tensor" if tensor.startswith("import") else "Tensor"
    case = Case(f"{head}\n{tensor}\n\ndef f(x«: Optional[List[{name}]]»):\n    pass\n").param("f", "x", TENSORS)
    case.becomes(style=Style(sorting=sorting))


def test_one_statement_a_module_in_a_fixed_order_above_all_of_a_decorator() -> None:
    result = Case(DEF).param("f", "x", TENSORS).run()
    assert result.imports == ("from typing import List, Optional", "from torch import Tensor")
    assert result.source.startswith(b"from typing import List, Optional\n\nfrom torch import Tensor\n\n\ndef f")
    case = Case("@(\n    d\n)\ndef f(x):\n    return x\n").param("f", "x", LIST)
    assert case.run().source.decode().startswith("from typing import List\n\n\n@(\n    d\n)\ndef f(x: List[int]):\n")


BOX = TypeExpr("shapes.flat.Box")
BOXES = TypeExpr("list", (TypeExpr("pkg.mod.Box"),))
OWN = info("pkg.mod.Box", file=FILE)

TAKEN = {
    "a variable": "«import typing\n\n»List = 3\n",
    "a class": "«import typing\n\n\n»class List: pass\n",
    "another import": "«import typing\n\n»from mylib import List\n",
    "another import in a try": (
        "«import typing\n\n»try:\n    from mylib import List\nexcept ImportError:\n    from typing import List\n"
    ),
    "only for type checkers": "«import typing\n\n»import a\nif a.TYPE_CHECKING:\n    from mylib import List\n",
    "a global of a function": "«import typing\n\n\n»def g():\n    global List\n    List = 3\n",
    "a walrus": "«import typing\n\n»if (List := 3): pass\n",
    "a loop": "«import typing\n\n»for a, (List, b) in c: pass\n",
    "a pattern": "«import typing\n\n»match a:\n    case [1, *List]: pass\n",
    "perhaps a star": "from mylib import *\n«import typing\n»List()\n",
    "the alias too": (
        "«from typing import List as _List1\n\n»import mylib as typing\nList = _List = 3\n"
        "def f(x«: _List1[int]»): pass\n"
    ),
    "deleted": "«import typing\n»from typing import List\ndel List\n",
}


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN.keys())
def test_hides_nothing(text: str) -> None:
    text = text if "«: " in text else text + "def f(x«: typing.List[int]»): pass\n"
    Case(text).param("f", "x", LIST).becomes()


FREE = {
    "a parameter": "def f(x, List): pass\n",
    "a local": "def f(x):\n    List = 3\n",
    "an attribute": "def f(x): x.List = 3\n",
    "a keyword": "y = dict(List=3)\ndef f(x): pass\n",
    "a name of another function": "def g():\n    from mylib import List\ndef f(x): pass\n",
    "a word": "'List'\n# List\ndef f(x): pass\n",
    "an annotation without value": "List: int\ndef f(x): pass\n",
    "a star that nobody asks for it": "from mylib import *\ndef f(x): pass\n",
}


@pytest.mark.parametrize("source", FREE.values(), ids=FREE.keys())
def test_takes_a_name_that_is_free(source: str) -> None:
    result = Case(source).param("f", "x", LIST).run()
    assert result.imports == ("from typing import List",)
    assert b"def f(x: List[int]" in result.source


def test_scopes_around_a_function_hide_names_from_its_signature() -> None:
    case = Case("""\
        «import typing
        »from typing import List
        import torch
        «from torch import Tensor
        »def outer(torch):
            def f(x«: Tensor»): pass
        class A:
            List = 3
            def f(self, x«: typing.List[int]»): pass
        """)
    case.param("outer.<locals>.f", "x", TENSOR).param("A.f", "x", LIST).becomes()


NESTED = info("pkg.mod.Box.Kind", "Box.Kind", FILE)
FOREIGN_NESTED = info("shapes.flat.Box.Kind", "Box.Kind")
WRITTEN: dict[str, tuple[str, dict[str, str], Mapping[str, ClassInfo]]] = {
    "in a class with a method named like a type, in quotes": (
        'class A:\n    def f(self, x«: float»): pass\n    def float(self): pass\n    def g(self, x«: "float"»): pass\n',
        {"A.f.x": "float", "A.g.x": "float"},
        {},
    ),
    "beside a method named like a type, but never evaluated": (
        "from __future__ import annotations\nclass A:\n    def float(self): pass\n    def g(self, x«: float»): pass\n",
        {"A.g.x": "float"},
        {},
    ),
    "a nested class, dotted": (
        "class Box:\n    class Kind: pass\ndef f(x«: Box.Kind»): pass\n",
        {"f.x": "pkg.mod.Box.Kind"},
        NESTED,
    ),
    "a nested class of another file, by the outermost": (
        "import os\n«\nfrom shapes.flat import Box\n»def f(x«: Box.Kind»): pass\n",
        {"f.x": "shapes.flat.Box.Kind"},
        FOREIGN_NESTED,
    ),
    "a class named like a builtin, by an alias": (
        "import os\n«\nfrom shapes import slice as _slice\n»def f(x«: _slice»): pass\n",
        {"f.x": "shapes.slice"},
        info("shapes.slice"),
    ),
    "two classes of one name, by two": (
        "import os\n«\nfrom a import Box\nfrom b import Box as _Box\n»def f(x«: Box», y«: _Box»): pass\n",
        {"f.x": "a.Box", "f.y": "b.Box"},
        info("a.Box") | info("b.Box"),
    ),
    "a relative import of a class": (
        "from .shapes import Box\ndef f(x«: Box»): pass\n",
        {"f.x": "pkg.shapes.Box"},
        info("pkg.shapes.Box"),
    ),
    "a relative import of a module": (
        "from . import shapes\ndef f(x«: shapes.Box»): pass\n",
        {"f.x": "pkg.shapes.Box"},
        info("pkg.shapes.Box"),
    ),
}


@pytest.mark.parametrize(("text", "wanted", "classes"), WRITTEN.values(), ids=WRITTEN)
def test_names_each_class(text: str, wanted: Mapping[str, str], classes: Mapping[str, ClassInfo]) -> None:
    case = Case(text)
    for parameter, type_ in wanted.items():
        function, _, name = parameter.rpartition(".")
        case.param(function, name, TypeExpr(type_))
    case.becomes(classes=classes)


def test_a_module_name_like_a_type_makes_the_annotation_a_string() -> None:
    number = TypeExpr("float")
    case = Case('float = 3\ndef f(x«: "float"»):\n    y«: float» = x\n')
    case.param("f", "x", number).local("f", "y", 3, number).becomes()


OWN_CLASSES = {
    "above": ("class Box: pass\ndef f(x): pass\n", "List[Box]"),
    "below": ("def f(x): pass\nclass Box: pass\n", '"List[Box]"'),
    "below, never evaluated": ("from __future__ import annotations\ndef f(x): pass\nclass Box: pass\n", "List[Box]"),
    "in a branch": ("if y:\n    class Box: pass\ndef f(x): pass\n", "List[Box]"),
    "made by a call": ("Box = namedtuple('Box', 'a')\ndef f(x): pass\n", "List[Box]"),
    "made by a call below": ("def f(x): pass\nBox = namedtuple('Box', 'a')\n", '"List[Box]"'),
    "compiled": ("class Box: pass\nBox = torch.jit.script(Box)\ndef f(x): pass\n", "List[Box]"),
}


@pytest.mark.parametrize(("source", "text"), OWN_CLASSES.values(), ids=OWN_CLASSES.keys())
def test_names_a_class_of_the_file(source: str, text: str) -> None:
    result = Case(source).param("f", "x", BOXES).run(classes=OWN)
    assert f"def f(x: {text})" in result.source.decode()
    assert result.imports == ("from typing import List",)


def test_a_class_is_a_string_in_its_own_methods_and_bare_in_locals() -> None:
    box = TypeExpr("pkg.mod.Box")
    case = Case('class Box:\n    def f(self, x«: "Box"»)« -> "Box"»:\n        y«: Box» = x\n')
    case.param("Box.f", "x", box).returns("Box.f", box).local("Box.f", "y", 3, box).becomes(classes=OWN)


UNNAMEABLE: dict[str, tuple[str, Mapping[str, ClassInfo]]] = {
    "a local class": ("", info("shapes.flat.Box", importable=False)),
    "the main program's": ("", {BOX.name: info("__main__.Box")["__main__.Box"]}),
    "of this file, but no name of it": ("", info("shapes.flat.Box", file=FILE)),
}


@pytest.mark.parametrize(("head", "classes"), UNNAMEABLE.values(), ids=UNNAMEABLE.keys())
def test_refuses_what_has_no_name(head: str, classes: Mapping[str, ClassInfo]) -> None:
    wanted = BOX if BOX.name in classes else TypeExpr(next(iter(classes)))
    Case(head + "def f(x): pass\n").param("f", "x", wanted).refuses("PDT017", classes=classes)


FOREIGN = {
    "by name": ("from shapes.flat import Box\n", "", "Box"),
    "by alias": ("from shapes.flat import Box as B\n", "", "B"),
    "from its package": ("from shapes import Box\n", "", "Box"),
    "through its module": ("import shapes.flat\n", "", "shapes.flat.Box"),
    "through its module as m": ("import shapes.flat as m\n", "", "m.Box"),
    "through its module from its package": ("from shapes import flat\n", "", "flat.Box"),
    "its package is not enough": ("import shapes\n", "from shapes.flat import Box\n", "Box"),
    "not at all": ("import os\n", "from shapes.flat import Box\n", "Box"),
    "another Box": ("from other import Box\n", "from shapes.flat import Box as _Box\n", "_Box"),
    "a Box of ours": ("Box = 3\n", None, "_Box"),
}


@pytest.mark.parametrize(("head", "added", "text"), FOREIGN.values(), ids=FOREIGN.keys())
def test_names_a_class_of_another_file(head: str, added: str | None, text: str) -> None:
    result = Case(head + "def f(x): pass\n").param("f", "x", BOX).run(classes=info(BOX.name))
    assert f"def f(x: {text}): pass" in result.source.decode()
    wanted = "from shapes.flat import Box as _Box\n" if added is None else added
    assert "".join(f"{each}\n" for each in result.imports) == wanted


def test_relative_imports_count_from_the_package() -> None:
    classes = info("pkg.shapes.Box")
    package = Case("from .shapes import Box\ndef f(x): pass\n").param("f", "x", TypeExpr("pkg.shapes.Box"))
    assert package.run(classes=classes, file="/project/pkg/__init__.py", module="pkg").imports == ()
    assert package.run(classes=classes, module="").imports == ("from pkg.shapes import Box as _Box",)


def test_refuses_an_import_that_closes_a_circle() -> None:
    graph = {"shapes.flat": frozenset({"pkg.mod"})}
    case = Case("import os\ndef f(x): pass\n").param("f", "x", BOX)
    message = case.refuses("PDT035", classes=info(BOX.name), imports_of=lambda name: graph.get(name, frozenset()))
    assert "Box" in message and "shapes.flat" in message
    assert case.run(classes=info(BOX.name), imports_of=lambda name: frozenset()).imports


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("from shapes.flat import Box", "Box"),
        ("from shapes import flat", '"flat.Box"'),
        ("import shapes.flat", '"shapes.flat.Box"'),
        ("from __future__ import annotations\nfrom shapes import flat", "flat.Box"),
    ],
)
def test_a_module_in_a_circle_may_not_have_the_class_yet(head: str, text: str) -> None:
    graph = {"shapes.flat": frozenset({"pkg.mod"})}
    source = f"{head}\ndef f(x): pass\n"
    case = Case(source).param("f", "x", BOX)
    result = case.run(classes=info(BOX.name), imports_of=lambda name: graph.get(name, frozenset()))
    assert result.source.decode() == source.replace("f(x)", f"f(x: {text})")
    straight = case.run(classes=info(BOX.name), imports_of=lambda name: frozenset())
    assert straight.source.decode() == source.replace("f(x)", f"f(x: {text.strip(chr(34))})")


def test_a_mid_file_import_serves_what_is_below_it() -> None:
    source = "import os\ndef f(x): pass\nfrom typing import List\ndef g(x«: List[int]»): pass\n"
    Case(source).param("g", "x", LIST).becomes()
    Case(source).local("f", "y", 2, INT).refuses("PDT036")


MADE = info("pkg.mod.f.<locals>.Box", "f.<locals>.Box", file=FILE)


@pytest.mark.parametrize(
    ("source", "name"),
    [("def g(x): pass\n", "Box"), ("def g(x, Box): pass\n", "Box"), ("Box = 3\ndef g(x): pass\n", "_Box")],
)
def test_a_class_that_a_function_made_gets_a_name_in_memory(source: str, name: str) -> None:
    wanted = TypeExpr("pkg.mod.f.<locals>.Box")
    result = Case(source).param("g", "x", wanted).run(classes=MADE, imports=False)
    assert result.imports == (f"from pdt_annotate.values.made import pkg_mod_f_locals_Box as {name}",)
    assert f"x: {name}" in result.source.decode()
