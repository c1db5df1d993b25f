"""Definitions in the source, compared with the code objects of the same file."""

import ast
import asyncio.base_events
import collections
import dataclasses
import enum
import functools
import inspect
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import CodeType, ModuleType

import pytest

from pdt_annotate.source.definitions import Class, Function, ParameterKind, literal_type
from pdt_annotate.source.module import Module, read_module
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.types import NONE, TypeExpr

INT, FLOAT, STR = (TypeExpr(name) for name in ("int", "float", "str"))


def read(source: str) -> Module:
    return read_module("model.py", dedent(source).encode())


def only(source: str) -> Function:
    (function,) = read(source).functions
    return function


def code_objects(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from code_objects(constant)


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""Nodes with a name and a code object. Since Python 3.12, type parameters and annotations have code objects, too."""

MODULES = [asyncio.base_events, collections, dataclasses, enum, functools]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_definition_has_its_qualified_name_first_line_and_parameters(module: ModuleType) -> None:
    file = module.__file__ or ""
    source = Path(file).read_bytes()
    written = {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, DEFINITIONS)}
    codes = [code for code in code_objects(compile(source, file, "exec", dont_inherit=True)) if code.co_name in written]
    found = read_module(file, source)
    definitions: list[Function | Class] = [*found.functions, *found.classes]
    owners = sorted((code.co_qualname, code.co_firstlineno) for code in codes)
    assert sorted((d.owner.qualname, d.owner.line) for d in definitions) == owners
    for code in codes:
        if code.co_flags & inspect.CO_NEWLOCALS:
            function = found.function(Owner(found.file, code.co_qualname, code.co_firstlineno))
            assert function is not None
            kinds = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)
            names = [function.receiver] * bool(function.receiver)
            names += [p.name for p in function.parameters if p.kind not in kinds]
            assert tuple(names) == code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def test_the_names_of_nested_definitions_and_of_what_a_function_declares_global() -> None:
    found = read("""
        def outer():
            def inner(): pass
            class Local:
                def method(self): pass
            if True:
                global made
            def made():
                def inside(): pass
        class Net:
            class Inner:
                def method(self): pass
        try: pass
        except E:
            def either(): pass
        else:
            while 1:
                def either(): pass
        match x:
            case 1:
                def either(): pass
    """)
    names = "outer outer.<locals>.inner outer.<locals>.Local.method made made.<locals>.inside Net.Inner.method"
    assert [f.owner.qualname for f in found.functions] == [*names.split(), "either", "either", "either"]
    assert len({f.owner for f in found.functions}) == len(found.functions)


def test_the_first_line_is_that_of_the_first_decorator_and_the_function_at_a_line_the_innermost() -> None:
    function = only("@first\n@second(\n  1)\ndef f():\n    pass\n")
    assert (function.owner.line, function.place.line, function.end) == (1, 4, 5)
    assert function.decorators == ("first", "second(1)")
    found = read("def outer():\n    def inner():\n        pass\n    return 1\n\nx = 1\n")
    qualnames = [f.owner.qualname if (f := found.function_at(line)) else None for line in (1, 2, 3, 4, 6)]
    assert qualnames == ["outer", "outer.<locals>.inner", "outer.<locals>.inner", "outer", None]


@pytest.mark.parametrize(
    ("method", "receiver"),
    [
        ("def f(self, x): pass", "self"),
        ("def f(): pass", ""),
        ("@staticmethod\n    def f(x): pass", ""),
        ("@classmethod\n    def f(cls, x): pass", "cls"),
        ("@property\n    def f(this): pass", "this"),
    ],
)
def test_the_receiver_is_the_first_parameter_of_a_method(method: str, receiver: str) -> None:
    function = only(f"class A:\n    {method}")
    assert function.receiver == receiver
    assert [p.name for p in function.parameters] == ["x"] * ("x" in method)
    assert only("def f(self): pass").receiver == ""


def test_parameters() -> None:
    function = only("def f(a, /, b: int, c=1.5, *d, e, g: 'str' = 'x', h=make(), **i): pass")
    rows = [(p.name, p.kind, p.annotation, p.value is not None, p.default) for p in function.parameters]
    assert rows == [
        ("a", ParameterKind.POSITIONAL_ONLY, "", False, None),
        ("b", ParameterKind.PLAIN, "int", False, None),
        ("c", ParameterKind.PLAIN, "", True, FLOAT),
        ("d", ParameterKind.VAR_POSITIONAL, "", False, None),
        ("e", ParameterKind.KEYWORD_ONLY, "", False, None),
        ("g", ParameterKind.KEYWORD_ONLY, "'str'", True, STR),
        ("h", ParameterKind.KEYWORD_ONLY, "", True, None),
        ("i", ParameterKind.VAR_KEYWORD, "", False, None),
    ]


SKIPPED = {
    False: (
        *("def f(x): pass\n", "def f(x):\n    pass  # pdt: skip\n"),
        *("def f(x):\n    a = 1\n    # pdt: skip\n    return a\n", "x = 1  # pdt: skip\ndef f(x):\n    pass\n"),
        *("# pdt: skip\n\ndef f(x):\n    pass\n", "# pdt: skip-file\ndef f(x):\n    pass\n"),
        *("# pdt: skipper\ndef f(x):\n    pass\n", "def f(x):  # pdt: skip-this\n    pass\n"),
        *("def f(x):  # pdt: skipping\n    pass\n", "def f(x):\n    '# pdt: skip-file'\n"),
        "def f(x, y='# pdt: skip'):\n    pass\n",
    ),
    True: (
        *("def f(x): pass  # pdt: skip\n", "def f(x):  # pdt: skip\n    pass\n"),
        *("def f(x):  # noqa # pdt:skip because it is slow\n    pass\n", "# pdt: skip\ndef f(x):\n    pass\n"),
        *("# pdt: skip\n@first\ndef f(x):\n    pass\n", "@first  # pdt: skip\ndef f(x):\n    pass\n"),
        *("def f(\n    x,\n    # pdt: skip\n    y,\n):\n    pass\n", "def f(\n    x,  # pdt: skip\n):\n    pass\n"),
        "def f(\n    x,\n    y,\n):  # pdt: skip\n    pass\n",
        *("def f(\n    x,\n    y,\n    # pdt: skip\n):\n    pass\n", "def f(\n    x,\n): return x  # pdt: skip\n"),
        "@first\n# pdt: skip\ndef f(x):\n    pass\n",
    ),
}


@pytest.mark.parametrize(
    ("source", "is_skipped"), [(source, said) for said, sources in SKIPPED.items() for source in sources]
)
def test_skip_is_for_a_def(source: str, is_skipped: bool) -> None:
    assert only(source).skipped is is_skipped
    assert not is_skipped or only(source).settled


def test_skip_belongs_to_the_nearer_definition() -> None:
    outer, inner = read("def outer(x):\n    # pdt: skip\n    def inner(x):\n        pass\n").functions
    assert (outer.skipped, inner.skipped) == (False, True)
    one, two = read("def one(x): pass  # pdt: skip\ndef two(x): pass\n").functions
    assert (one.skipped, two.skipped) == (True, False)
    assert [read(f"x = 1\n# pdt: {word}\n").comments.skip_file for word in ("skip-file", "skip")] == [True, False]


@pytest.mark.parametrize(
    ("source", "is_signature"),
    [
        ("def f(x):\n    return x\n", False),
        ("def f(x):  # type: ignore\n    return x\n", False),
        ("def f(\n    x,  # type: ignore[no-untyped-def]\n):\n    return x\n", False),
        ("def f(x):\n    '''# type: (int) -> int'''\n    y = 1\n    return x\n", False),
        ("def f(x):\n    y = []\n    z = []  # type: (List[int])\n    return x\n", False),
        ("def f(x):\n    # type: (int) -> int\n    return x\n", True),
        ("def f(x):  # type: (int) -> int\n    return x\n", True),
        ("def f(\n    x,\n):  # type: see below\n    return x\n", True),
        ("def f(x):\n    #type: (...) -> int\n    return x\n", True),
        ("def f(\n    x,  # type: int\n    y,\n):\n    return x\n", True),
        ("def f(\n    *x,  # type: int\n):\n    return x\n", True),
    ],
)
def test_a_type_comment_settles_a_signature(source: str, is_signature: bool) -> None:
    assert bool(only(source).type_comments) is is_signature
    assert not is_signature or only(source).settled


def test_files() -> None:
    assert read("from __future__ import annotations\n").future_annotations
    assert not read("from __future__ import division\n").future_annotations
    for source in (b"", b"\xef\xbb\xbfx = 1\n", "# coding: latin-1\n# é\n".encode("latin-1")):
        assert read_module("model.py", source).file == "model.py"
    for source in (b"def f(:\n", b"\xe9 = 1\n"):
        with pytest.raises(SyntaxError):
            read_module("model.py", source)


def test_classes() -> None:
    found = read("""
        @final
        class Net(nn.Module, Base):
            size: int
            table: 'Dict[str, int]' = {}
            other = 1
    """)
    net = found.class_named("Net")
    assert net is not None and found.class_named("Other") is None
    assert (net.bases, net.decorators) == (("nn.Module", "Base"), ("final",))
    assert net.annotated == (("size", "int"), ("table", "'Dict[str, int]'"))
    assert (net.owner.line, net.place.line) == (2, 3)


LITERALS = {
    None: "name; f(); [f()]; (1, name); 'a' * 3; name + 1; {}; lambda: 0",
    INT: "1; -1; 1 + 2; 2 ** 3",
    FLOAT: "+1.5; 1 / 2; 2 * 1.5; 10 ** -3",
    TypeExpr("bool"): "not 1; True",
    STR: "'a'",
    TypeExpr("bytes"): "b'a'",
    TypeExpr("complex"): "2j",
    NONE: "None",
    TypeExpr("ellipsis"): "...",
    TypeExpr("tuple"): "()",
    TypeExpr("tuple", (INT, STR)): "(1, 'a')",
    TypeExpr("list"): "[]",
    TypeExpr("list", (INT,)): "[1, 2]",
    TypeExpr("list", (TypeExpr("Union", (INT, FLOAT)),)): "[1, 2.5]",
}


@pytest.mark.parametrize(
    ("text", "expected"), [(text, type_) for type_, texts in LITERALS.items() for text in texts.split("; ")]
)
def test_a_literal_has_the_type_of_its_value(text: str, expected: TypeExpr | None) -> None:
    assert literal_type(ast.parse(text, mode="eval").body) == expected
    assert expected is None or type(eval(text)).__name__ in (expected.name, "NoneType")
