"""Expressions that can be written elsewhere, and those that cannot; what names are bound to."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest
from drafted import names_in, write

from pdt_annotate.inputs.drafting.expressions import DraftExpression, DraftScope, inline, scopes_of

HEAD = "import os\nimport pytest\nimport torch\nimport torch as th\nimport numpy as np\nfrom config import Config\n"


def read(code: str, folder: Path) -> DraftExpression | None:
    """What stands for the argument of `show(…)` in a test file with this code."""
    write(folder, {"config.py": "class Config: pass", "test_it.py": HEAD + dedent(code)})
    names = names_in(folder)
    page = names.sources.page(str(folder / "test_it.py"))
    assert page is not None
    for scope in scopes_of(page):
        for node in scope.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "show":
                return inline(node.args[0], scope, node.lineno, names)
    raise AssertionError("the code shows nothing")


@pytest.mark.parametrize(
    "code",
    [
        "show(missing)",
        "def test(given):\n    show(given)",
        "for i in range(3):\n    show(i)",
        "i = 1\ni += 1\nshow(i)",
        "with x() as y:\n    show(y)",
        "show(lambda: 3)",
        "show((x := 3))",
        "show(os.environ)",
        "show(pytest.approx(3))",
        "show(torch.load('x.pt'))",
        "show(open('x'))",
        "show(torch.ones(2, device='cuda'))",
        "show(torch.ones(2).cuda())",
        "def make(n):\n    return n\nshow(make(3))",
        "def make():\n    return 1\nshow(make())",
        "@pytest.mark.parametrize('n', [3, 4])\ndef test(n):\n    show(n)",
        "@pytest.fixture\ndef x():\n    return 2\ndef test(x):\n    show(x)",
        "class T:\n    def setUp(self):\n        self.x = 3\n    def test(self):\n        show(self.x)",
        "class T:\n    def test(self):\n        show(self.x)",
        "x = y\ny = x\nshow(x)",
        "class Local: pass\nshow(Local())",
        f"show([{', '.join(map(str, range(200)))}])",
    ],
)
def test_unknown(code: str, tmp_path: Path) -> None:
    assert read(code, tmp_path) is None


@pytest.mark.parametrize(
    ("code", "text"),
    [
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
def test_known(code: str, text: str, tmp_path: Path) -> None:
    found = read(code, tmp_path)
    assert found is not None
    assert found.text == text


def test_imports_come_with_the_text(tmp_path: Path) -> None:
    found = read("show([th.ones(2), np.ones(3), Config()])", tmp_path)
    assert found is not None
    assert dict(found.imports) == {
        "Config": "from config import Config",
        "np": "import numpy as np",
        "torch": "import torch",
    }


def test_the_tree_stays_as_it_was(tmp_path: Path) -> None:
    names = names_in(write(tmp_path, {"a.py": "x = 3\nshow([x, [x]])\n"}))
    page = names.sources.page(str(tmp_path / "a.py"))
    assert page is not None
    before = ast.dump(page.tree)
    (scope,) = scopes_of(page)
    call = page.tree.body[1].value  # type: ignore[attr-defined]
    assert inline(call.args[0], scope, 2, names) == DraftExpression("[3, [3]]")
    assert ast.dump(page.tree) == before


def scopes(code: str, folder: Path) -> dict[str, DraftScope]:
    """The scopes of a test file by name; the module's is ""."""
    write(folder, {"test_it.py": code})
    page = names_in(folder).sources.page(str(folder / "test_it.py"))
    assert page is not None
    return {scope.name: scope for scope in scopes_of(page)}


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
