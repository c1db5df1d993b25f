"""Slots that are skipped, that cannot be written, and the text of the others; lines and tables in class bodies."""

import itertools
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from loaded import load
from rewrite_case import FILE, INT, LIST, OPTIONAL, Case, info

from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

_numbers = itertools.count()

ALONE = {
    "annotated": "def f(x: str) -> str: return x\n",
    "annotated with a string": "def f(x: 'str') -> 'str': return x\n",
    "signature comment below": "def f(x):\n    # type: (int) -> int\n    return x\n",
    "skipped on the line": "def f(x):  # pdt: skip\n    return x\n",
    "skipped file": "def f(x): return x\n\n\n# pdt: skip-file\n",
}


@pytest.mark.parametrize("source", ALONE.values(), ids=ALONE.keys())
def test_leaves_alone(source: str) -> None:
    Case(source).param("f", "x", LIST).returns("f", LIST).stays()


LEFT_LOCALS = [
    ("f", "n", "def f(x):\n    n: int = 3\n"),
    ("f", "n", "def f(x):  # pdt: skip\n    n = 3\n"),
    ("f", "n", "# pdt: skip-file\nn = 1\ndef f(x): n = 3\n"),
    ("A.f", "self.n", "class A:\n    def f(self):\n        self.n: List[int] = []\n"),
    ("A.f", "self.n", "class A:\n    def f(self):  # pdt: skip\n        self.n = []\n"),
]


@pytest.mark.parametrize(("function", "name", "source"), LEFT_LOCALS)
def test_leaves_locals_and_attributes_of_self_alone(function: str, name: str, source: str) -> None:
    Case(source).local(function, name, source.count("\n"), LIST).stays()


CLOSED = {
    "a signature on the line": "def f(x):  # type: (int) -> int\n    return x\n",
    "a signature behind one line": "def f(x): return x  # type: (int) -> int\n",
    "a comment at a decorator": "@d  # type: d\ndef f(x):\n    return x\n",
}
"""Headers with a comment that the compiler reads as a signature, and cannot parse."""


@pytest.mark.parametrize("source", CLOSED.values(), ids=CLOSED.keys())
def test_tells_of_a_header_that_is_closed_in_vain(source: str) -> None:
    assert "cannot parse it" in Case(source).param("f", "x", LIST).refuses("PDT048")
    assert "cannot parse it" in Case(source).returns("f", LIST).refuses("PDT048")


def test_tells_of_a_type_comment_that_the_compiler_does_not_read() -> None:
    Case("def f(x):\n    n = []  # type: List[int]\n").local("f", "n", 2, LIST).refuses("PDT048")
    Case("class A:\n    n = []  # type: List[int]\n").attribute("A", "n", LIST).refuses("PDT048")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f(x):\n    a, b = x\n", 2),
        ("def f(x):\n    a = b = x\n", 2),
        ("def f(x):\n    (a) = x\n", 2),
        ("def f(x):\n    a += x\n", 2),
        ("def f(x):\n    for a in x: pass\n", 2),
        ("def f(x):\n    a = x\n", 1),
        ("def f(x):\n    global a\n    a = x\n", 3),
        ("def f(x):\n    def a(): pass\n", 2),
        ("def f(x):\n    x.a = 3\n", 2),
    ],
)
def test_refuses_what_is_no_plain_assignment(source: str, line: int) -> None:
    Case(source).local("f", "a", line).refuses("PDT036")


def test_annotates_an_attribute_of_self_where_it_is_set() -> None:
    head = "from typing import List\nclass A:\n    def f(self):\n        n = self.n = []\n        self.n"
    Case(head + "«: List[int]» = []\n").local("A.f", "self.n", 5, LIST).becomes()
    Case(head + " = []\n").local("A.f", "self.n", 4, LIST).refuses("PDT036")


def test_refuses_starred_parameters_and_what_is_not_there() -> None:
    assert "variable-length" in Case("def f(*args): pass\n").param("f", "args").refuses("PDT036")
    assert "variable-length" in Case("def f(**kwargs): pass\n").param("f", "kwargs").refuses("PDT036")
    Case("def f(x): pass\n").param("f", "y").refuses("PDT036")
    gone = Case("\n\ndef f(x): pass\n").param("f", "x")
    gone.source = b"def f(x): pass\n"
    gone.refuses("PDT036")
    gone = Case("\n\nclass A: pass\n").attribute("A", "x")
    gone.source = b"class A: pass\n"
    gone.refuses("PDT036")


SIGNATURES = {
    "a default": "def f(x«: int »=« »1)« -> int»: pass\n",
    "a default with spaces": "def f(x«: int»  =  1)« -> int»: pass\n",
    "a default with one space": "def f(x«: int» =« »1)« -> int»: pass\n",
    "a default on the next line": "def f(x«: int »=\n1)« -> int»: pass\n",
    "a lambda as default": "def f(x«: int »=« »lambda x: x)« -> int»: pass\n",
    "positional only": "def f(a, x«: int», /, b)« -> int»: pass\n",
    "keyword only": "def f(*, x«: int»)« -> int»: pass\n",
    "behind *args": "def f(*a, x«: int »=« »3, **k)« -> int»: pass\n",
    "trailing comma": "def f(x«: int»,)« -> int»: pass\n",
    "space in front of the colon": "def f(x«: int»)« -> int» : pass\n",
    "space in front of the parameters": "def f (x«: int»)« -> int»: pass\n",
    "async": "async def f(x«: int»)« -> int»: pass\n",
    "decorators": "@d(lambda x: x)\n@e\ndef f(x«: int»)« -> int»: pass\n",
    "colons that are not the header's": "def f(x«: int», y=lambda: {1: 2}, z=':)'  # ):\n)« -> int»: pass\n",
    "a mark, and a form feed": "\ufeffy = 1\n\x0cdef f(x«: int»)« -> int»: pass\n",
    "backslash": "def f(x«: int»)« -> int» \\\n    : pass\n",
    "lines and comments": (
        "def f(  # first\n    a,  # a\n    x«: int»  # )\n    = 3,  # x: int\n)« -> int»:  # end\n    pass\n"
    ),
}


@pytest.mark.parametrize("text", SIGNATURES.values(), ids=SIGNATURES.keys())
def test_annotates_a_signature(text: str) -> None:
    Case(text).param("f", "x").returns("f").becomes()


LOCALS = {
    "plain": ("def f():\n    a«: int» = []\n", 2),
    "without spaces": ("def f():\n    a«: int»=[]\n", 2),
    "a tuple": ("def f():\n    a«: int» = 1, 2\n", 2),
    "repeated None": ("def f(n):\n    a«: int» = [None] * n\n", 2),
    "the first of a line": ("def f():\n    a«: int» = 1; a = 2\n", 2),
    "the second of a line": ("def f():\n    b = 1; a«: int» = 2\n", 2),
    "on the line of the def": ("def f(): a«: int» = 1\n", 1),
    "in a branch": ("def f(c):\n    if c:\n        a«: int» = 1\n", 3),
    "one of two": ("def f():\n    a = 1\n    a«: int» = 2\n", 3),
    "over lines": ("def f():\n    a«: int» = [\n        1,\n    ]\n", 2),
}


@pytest.mark.parametrize(("text", "line"), LOCALS.values(), ids=LOCALS.keys())
def test_annotates_a_local(text: str, line: int) -> None:
    Case(text).local("f", "a", line).becomes()


def test_tells_functions_of_one_name_apart() -> None:
    case = Case("""\
        if c:
            def f(x): return 1
        else:
            def f(x«: int»): return 2

        class A:
            @property
            def p(self)« -> int»: return 1
            @p.setter
            def p(self, v«: int»): pass
            def f(self, x): pass

        def outer(x):
            def f(x«: int»): pass
            class A:
                def f(self, x«: int»): pass
        """)
    case.param("f", "x", index=1).param("A.p", "v", index=1).param("outer.<locals>.A.f", "x").returns("A.p")
    case.param("outer.<locals>.f", "x").becomes()


def test_a_local_belongs_to_its_own_function() -> None:
    source = "def f():\n    def g():\n        a = 1\n    return g\n"
    Case(source).local("f", "a", 3, INT).refuses("PDT036")
    Case(source).local("f.<locals>.g", "a", 3, INT).becomes(source.replace("a = 1", "a: int = 1"))


@pytest.mark.parametrize("spelled", [str, lambda name: unicodedata.normalize("NFKC", name)], ids=["written", "known"])
def test_a_name_is_found_by_either_spelling(spelled: Callable[[str], str]) -> None:
    """Python normalizes names to NFKC, in which `ﬁ` is `fi`. A source may contain any spelling of the name."""
    source = "from typing import List\n\n\nclass Kµ:\n    def ﬁ(self, ϵ, ﬂ=1):\n        µ = []\n        return µ\n"
    case, owner = Case(source), Owner(FILE, spelled("Kµ.ﬁ"), 5)
    slots = [Slot(owner, SlotKind.PARAMETER, spelled(name)) for name in ("ϵ", "ﬂ")]
    case.annotations = [Annotation(each, INT) for each in slots]
    case.annotations.append(Annotation(Slot(owner, SlotKind.LOCAL, spelled("µ"), 6), LIST))
    after = source.replace("ϵ, ﬂ=1", "ϵ: int, ﬂ: int = 1").replace("µ = []", "µ: List[int] = []")
    assert case.run().source.decode() == after


ALONE_CLASSES = {
    "annotated": "class A:\n    n: int\n",
    "annotated with a value": "class A:\n    n: int = 3\n",
    "annotated in a branch": "class A:\n    if y:\n        n: int = 3\n",
    "in the table": "class A:\n    __annotations__ = {'n': int}\n",
    "skipped": "class A:  # pdt: skip\n    pass\n",
    "skipped above": "# pdt: skip\n@d\nclass A: pass\n",
}


@pytest.mark.parametrize("source", ALONE_CLASSES.values(), ids=ALONE_CLASSES.keys())
def test_leaves_classes_alone(source: str) -> None:
    Case(source).attribute("A", "n", LIST).stays()


BODIES = {
    "one line": "class A: pass«; n: int; m: int»\n",
    "one line with semicolon": "class A: x = 1; pass«; n: int; m: int»;\n",
    "one line with docstring": "class A: 'doc'«; n: int; m: int»  # c\n",
    "pass": "class A:\n«  n: int\n  m: int\n»  pass\n",
    "method": "class A(B):  # c\n«    n: int\n    m: int\n\n»    def f(self): pass\n",
    "method below a blank": "class A:\n«    n: int\n    m: int\n»\n    def f(self): pass\n",
    "method below a comment": "class A:\n«    n: int\n    m: int\n\n»    # about f\n    @d\n    def f(self): pass\n",
    "docstring": 'class A:\n    """Doc."""\n«\n    n: int\n    m: int\n\n»    def f(self): pass\n',
    "docstring and blank": 'class A:\n    """Doc."""\n\n«    n: int\n    m: int\n\n»    def f(self): pass\n',
    "docstring only": 'class A:\n    """Doc."""\n«\n    n: int\n    m: int\n»',
    "annotations": (
        "class A:\n    a: int  # first\n    b: int = (\n        3)\n«    n: int\n    m: int\n»    c = 1\n    d: int\n"
    ),
    "assignment": "class A:\n    «m: int\n    »n«: int» = 3\n    n = 4\n    def f(self): pass\n",
    "table": 'class A:\n    __annotations__ = {\'a\': (int)«, "n": int, "m": int»}\n',
    "empty table": 'class A:\n    __annotations__ = {«"n": int, "m": int»}\n',
    "table with comma": (
        'class A:\n    n = 1\n    __annotations__ = {\n        \'a\': int,« "n": int, "m": int,»\n    }\n'
    ),
}


@pytest.mark.parametrize("text", BODIES.values(), ids=BODIES.keys())
def test_annotates_a_body(text: str) -> None:
    Case(text).attribute("A", "n").attribute("A", "m").becomes()


def test_a_class_in_a_function_a_final_attribute_and_no_parameters() -> None:
    Case("def g():\n\tclass A:\n«\t\tn: int\n\n»\t\tdef f(self): pass\n").attribute("g.<locals>.A", "n").becomes()
    Case("def f()« -> int»: pass\n").returns("f").becomes()
    Case("import typing\nclass A:\n    n«: typing.Final[int]» = 3\n").attribute("A", "n", final=True).becomes()


def test_refuses_a_class_that_is_not_there_yet() -> None:
    box, classes = TypeExpr("pkg.mod.B"), info("pkg.mod.B", file=FILE)
    Case("class A: pass\nclass B: pass\n").attribute("A", "n", box).refuses("PDT017", classes=classes)
    Case("class B: pass\nclass A: pass«; n: B»\n").attribute("A", "n", box).becomes(classes=classes)


FUTURE = "from __future__ import annotations\nfrom typing import *\n"
TABLES = {
    "nothing else": 'class A: pass«; __annotations__ = {"n": List[int]}»\n',
    "an assignment": 'class A:\n«    __annotations__ = {"n": List[int]}\n»    n = []\n',
    "live annotations repeated, behind the last": (
        "class A:\n    a: Optional[int]\n    def f(self): pass\n    b: A.C\n"
        '«    __annotations__ = {"a": Optional[int], "b": "A.C", "n": List[int]}\n»'
    ),
    "names for type checkers stay strings": (
        'if TYPE_CHECKING:\n    import c\nclass A:\n    a: c.D\n«    __annotations__ = {"a": "c.D", "n": List[int]}\n»'
    ),
    "a long table": (
        "class A:\n    a: Optional[Union[List[int], Dict[str, int], Tuple[int, int, int, int, int]]]\n"
        "«    __annotations__ = {\n"
        '        "a": Optional[Union[List[int], Dict[str, int], Tuple[int, int, int, int, int]]],\n'
        '        "n": List[int],\n    }\n»'
    ),
    "an annotation, which is text": 'class A:\n    n: List[int]\n«    __annotations__ = {"n": List[int]}\n»',
    "an annotation with a value": (
        'class A:\n    a: str\n    n: List[int] = []\n«    __annotations__ = {"a": str, "n": List[int]}\n»    c = 1\n'
    ),
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES.keys())
def test_under_the_future_import_a_table_holds_live_types(text: str) -> None:
    Case(FUTURE + text).attribute("A", "n", LIST).becomes()


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
    scripted = torch.jit.script(load(tmp_path / f"members_{next(_numbers)}.py", result.source).M())
    assert (scripted(5), scripted(5), scripted.last) == (6, 7, 5)
