"""Names: nothing that the file calls something else is hidden, and no class is named before it is there."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from rewrite_case import FILE, INT, LIST, Case, info

from pdt_annotate.values.slots import ClassInfo
from pdt_annotate.values.types import TENSOR, TypeExpr

BOX = TypeExpr("shapes.flat.Box")
BOXES = TypeExpr("list", (TypeExpr("pkg.mod.Box"),))
OWN = info("pkg.mod.Box", file=FILE)

TAKEN = {
    "a variable": "«import typing\n\n»List = 3\ndef f(x«: typing.List[int]»): pass\n",
    "a class": "«import typing\n\n\n»class List: pass\ndef f(x«: typing.List[int]»): pass\n",
    "another import": "«import typing\n\n»from mylib import List\ndef f(x«: typing.List[int]»): pass\n",
    "another import in a try": (
        "«import typing\n\n»try:\n    from mylib import List\nexcept ImportError:\n    from typing import List\n"
        "def f(x«: typing.List[int]»): pass\n"
    ),
    "only for type checkers": (
        "«import typing\n\n»import a\nif a.TYPE_CHECKING:\n    from mylib import List\n"
        "def f(x«: typing.List[int]»): pass\n"
    ),
    "a global of a function": (
        "«import typing\n\n\n»def g():\n    global List\n    List = 3\ndef f(x«: typing.List[int]»): pass\n"
    ),
    "a walrus": "«import typing\n\n»if (List := 3): pass\ndef f(x«: typing.List[int]»): pass\n",
    "a loop": "«import typing\n\n»for a, (List, b) in c: pass\ndef f(x«: typing.List[int]»): pass\n",
    "a pattern": "«import typing\n\n»match a:\n    case [1, *List]: pass\ndef f(x«: typing.List[int]»): pass\n",
    "perhaps a star": "from mylib import *\n«import typing\n»List()\ndef f(x«: typing.List[int]»): pass\n",
    "typing too": (
        "«from typing import List as _List\n\n»import mylib as typing\nList = 3\ndef f(x«: _List[int]»): pass\n"
    ),
    "the alias too": (
        "«from typing import List as _List1\n\n»import mylib as typing\nList = _List = 3\n"
        "def f(x«: _List1[int]»): pass\n"
    ),
    "deleted": "«import typing\n»from typing import List\ndel List\ndef f(x«: typing.List[int]»): pass\n",
}


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN.keys())
def test_hides_nothing(text: str) -> None:
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
    "a local class by its name": ("", info("shapes.flat.Box", "f.<locals>.Box", importable=False)),
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
    [
        ("def g(x): pass\n", "Box"),
        ("def g(x, Box): pass\n", "Box"),
        ("Box = 3\ndef g(x): pass\n", "_Box"),
    ],
)
def test_a_class_that_a_function_made_gets_a_name_in_memory(source: str, name: str) -> None:
    wanted = TypeExpr("pkg.mod.f.<locals>.Box")
    result = Case(source).param("g", "x", wanted).run(classes=MADE, imports=False)
    assert result.imports == (f"from pdt_annotate.values.made import pkg_mod_f_locals_Box as {name}",)
    assert f"x: {name}" in result.source.decode()
