"""What names are bound to, and where."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from drafted import names_in, write

from pdt_annotate.inputs.drafting.scopes import DraftScope, scopes_of


def scopes(code: str, folder: Path) -> dict[str, DraftScope]:
    """The scopes of a test file by name; the module's is ""."""
    write(folder, {"test_it.py": code})
    page = names_in(folder).sources.page(str(folder / "test_it.py"))
    assert page is not None
    return {scope.name: scope for scope in scopes_of(page, {})}


def value(scope: DraftScope, name: str, line: int = 100) -> str | None:
    """The text that a name is bound to: "?" where no expression says, None where nothing binds it."""
    bound = scope.lookup(name, line)
    return None if bound is None else ast.unparse(bound.value) if bound.value else "?"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import torch", "torch"),
        ("def f():\n    x = 3", "x"),
        ("class C:\n    x = 3", "x"),
        ("class T:\n    def test(self):\n        self.x = 3", "self.x"),
    ],
)
def test_unbound(code: str, name: str, tmp_path: Path) -> None:
    assert value(scopes(code, tmp_path)[""], name) is None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1\nx = 2", "2"),
        ("x: int = 3", "3"),
        ("if True:\n    x = 3", "3"),
        ("x, y = 1, 2", "1"),
        ("x, y = pair", "?"),
        ("x, *y = 1, 2", "1"),
        ("for x in (1, 2): pass", "?"),
        ("x = 1\nx += 1", "?"),
        ("with open() as x: pass", "?"),
    ],
)
def test_bound_in_a_module(code: str, expected: str, tmp_path: Path) -> None:
    assert value(scopes(code, tmp_path)[""], "x") == expected


def test_later_assignments_do_not_count(tmp_path: Path) -> None:
    module = scopes("x = 1\nx = 2\nx = 3\n", tmp_path)[""]
    assert [value(module, "x", line) for line in (2, 3, 4)] == ["1", "2", "3"]


def test_a_function_sees_the_module_around_it(tmp_path: Path) -> None:
    found = scopes("def f(y, n=4):\n    z = 1\nx = 5\n", tmp_path)["f"]
    assert [value(found, name) for name in ("x", "y", "z", "n")] == ["5", "?", "1", "4"]


def test_what_is_set_up_is_shared_by_the_tests_of_one_class(tmp_path: Path) -> None:
    code = (
        "class A:\n    def test_a(self): pass\n    def setUp(self): self.x = 3\nclass B:\n    def test_b(self): pass\n"
    )
    found = scopes(code, tmp_path)
    assert value(found["test_a"], "self.x") == "3"
    assert value(found["test_b"], "self.x") is None


@pytest.mark.parametrize(
    ("body", "returned"),
    [("return 3", "3"), ("yield 3", "3"), ("pass", ""), ("return", ""), ("if x: return 3\n    return 4", "")],
)
def test_returned(body: str, returned: str, tmp_path: Path) -> None:
    found = scopes(f"def f():\n    {body}\n", tmp_path)["f"].returned()
    assert (ast.unparse(found.value) if found and found.value else "") == returned
