"""What a walk over a function's body notes."""

from __future__ import annotations

import ast
from textwrap import dedent

from pdt_annotate.source.bodies import BodyNotes, read_body


def read(source: str) -> BodyNotes:
    (function,) = ast.parse(dedent(source)).body
    assert isinstance(function, ast.FunctionDef)
    return read_body(function)


def test_what_is_only_read_is_no_binding() -> None:
    body = read("def f(x):\n    x[0] = 1\n    print(x)\n    return")
    assert not body.bindings and not body.returned


def test_bindings_calls_and_returns() -> None:
    body = read("""
        def f(x):
            a, (b, c) = x
            d: int = 3
            for e in g(x):
                a = e
            return a
    """)
    assert {name: len(found) for name, found in body.bindings.items()} == {"a": 2, "b": 1, "c": 1, "d": 1, "e": 1}
    assert [ast.unparse(call) for call in body.calls] == ["g(x)"]
    assert [ast.unparse(value) for value in body.returned] == ["a"]


def test_attributes_are_bound_as_well() -> None:
    body = read("def f(self, x):\n    self.a = x\n    self.b: int = 3\n    self.c.d = x\n    self.e, y = x")
    assert {name: len(found) for name, found in body.bindings.items()} == {"self.a": 1, "self.b": 1, "y": 1}


def test_what_is_put_into_containers() -> None:
    body = read("def f(x):\n    a.append(x)\n    b['k'] = x\n    self.c.append(x)\n    self.d[0] = x\n    a.extend(x)")
    parts = {name: [[ast.unparse(p) for p in put] for put in found] for name, found in body.filled.items()}
    assert parts == {"a": [["x"]], "b": [["'k'", "x"]], "self.c": [["x"]], "self.d": [["0", "x"]]}


def test_what_is_put_into_no_name_or_attribute_of_one() -> None:
    assert not read("def f(x):\n    a.b.c.append(x)\n    a[0].append(x)\n    g(x)[0] = 1").filled
