"""Expressions that can and cannot be copied to another place, and the values of names."""

import ast
from pathlib import Path
from textwrap import dedent

import pytest
from drafted import names_in, write

from pdt_annotate.inputs.drafting.inline_expressions import DraftExpression, inline, scopes_of
from pdt_annotate.source.module import Namespace

HEAD = "import os\nimport pytest\nimport torch\nimport torch as th\nimport numpy as np\nfrom config import Config\n"


def read(code: str, folder: Path) -> DraftExpression | None:
    """The expression that replaces the argument of `show(…)` in a test file with this code."""
    write(folder, {"config.py": "class Config: pass", "test_it.py": HEAD + dedent(code)})
    names = names_in(folder)
    page = names.sources.module(str(folder / "test_it.py"))
    assert page is not None
    for scope in scopes_of(page):
        for node in scope.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "show":
                return inline(node.args[0], scope, node.lineno, names)
    raise AssertionError("the code shows nothing")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("show(missing)", None),
        ("def test(given):\n    show(given)", None),
        ("for i in range(3):\n    show(i)", None),
        ("i = 1\ni += 1\nshow(i)", None),
        ("with x() as y:\n    show(y)", None),
        ("show(lambda: 3)", None),
        ("show((x := 3))", None),
        ("show(os.environ)", None),
        ("show(pytest.approx(3))", None),
        ("show(torch.load('x.pt'))", None),
        ("show(open('x'))", None),
        ("show(torch.ones(2, device='cuda'))", None),
        ("show(torch.ones(2).cuda())", None),
        ("def make(n):\n    return n\nshow(make(3))", None),
        ("def make():\n    return 1\nshow(make())", None),
        ("@pytest.mark.parametrize('n', [3, 4])\ndef test(n):\n    show(n)", None),
        ("@pytest.fixture\ndef x():\n    return 2\ndef test(x):\n    show(x)", None),
        ("class T:\n    def setUp(self):\n        self.x = 3\n    def test(self):\n        show(self.x)", None),
        ("class T:\n    def test(self):\n        show(self.x)", None),
        ("x = y\ny = x\nshow(x)", None),
        ("class Local: pass\nshow(Local())", None),
        (f"show([{', '.join(map(str, range(200)))}])", None),
        ("show(-3)", "-3"),
        ("show([None, 'a'])", "[None, 'a']"),
        ("x = 2\nshow(torch.ones(x))\nx = 5", "torch.ones(2)"),
        ("B, (N, M) = 2, (3, 4)\nshow([B, N, M])", "[2, 3, 4]"),
        ("N = 4\ndef test():\n    x = torch.ones(N)\n    y = x + 1\n    show(y)", "torch.ones(4) + 1"),
        ("def test(n=3):\n    show(n)", "3"),
        ("show([i for i in range(3)])", "[i for i in range(3)]"),
        ("show(th.ones(2))", "torch.ones(2)"),
        ("show('cuda' if torch.cuda.is_available() else 'cpu')", "'cuda' if torch.cuda.is_available() else 'cpu'"),
    ],
)
def test_what_can_be_written_elsewhere(code: str, text: str | None, tmp_path: Path) -> None:
    found = read(code, tmp_path)
    assert (found and found.text) == text


def test_the_tree_stays_as_it_was(tmp_path: Path) -> None:
    names = names_in(write(tmp_path, {"a.py": "x = 3\nshow([x, [x]])\n"}))
    page = names.sources.module(str(tmp_path / "a.py"))
    assert page is not None
    before = ast.dump(page.tree)
    (scope,) = scopes_of(page)
    call = page.tree.body[1].value  # type: ignore[attr-defined]
    assert inline(call.args[0], scope, 2, names) == DraftExpression("[3, [3]]")
    assert ast.dump(page.tree) == before


def scopes(code: str, folder: Path) -> dict[str, Namespace]:
    """The scopes of a test file by name; "" is the module."""
    write(folder, {"test_it.py": code})
    page = names_in(folder).sources.module(str(folder / "test_it.py"))
    assert page is not None
    return {scope.name: scope for scope in scopes_of(page)}


def value(scope: Namespace, name: str, line: int = 100) -> str | None:
    """The text of the value of a name: "?" if no expression defines it, None if nothing defines it."""
    bound = scope.lookup(name, line)
    return None if bound is None else ast.unparse(bound.value) if bound.value else "?"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import torch as x", None),
        ("def f():\n    x = 3", None),
        ("class C:\n    x = 3", None),
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
def test_bound_in_a_module(code: str, expected: str | None, tmp_path: Path) -> None:
    assert value(scopes(code, tmp_path)[""], "x") == expected


def test_later_assignments_do_not_count_and_a_function_sees_the_module_around_it(tmp_path: Path) -> None:
    module = scopes("x = 1\nx = 2\nx = 3\n", tmp_path)[""]
    assert [value(module, "x", line) for line in (2, 3, 4)] == ["1", "2", "3"]
    found = scopes("def f(y, n=4):\n    z = 1\nx = 5\n", tmp_path)["f"]
    assert [value(found, name) for name in ("x", "y", "z", "n")] == ["5", "?", "1", "4"]
