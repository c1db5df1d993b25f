"""What blocks of statements take and give, and which run in Python alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.blocks import (
    can_be_indented,
    in_python_alone,
    is_in_loop,
    names_given,
    names_read,
    statements,
)
from pdt_annotate.search.mend.site import MendSite, Witnessed

HEAD = "def f(x, n, m=None):\n"


def first_choice(folder: Path, body: str) -> tuple[MendSite, list[ast.stmt]]:
    """The site of a function, and the body of the first `if` in it."""
    module = Mended(folder, HEAD + "".join(f"    {line}\n" for line in body.split("|")))
    site = MendSite(module.project.survey(module.file).functions[0], module.project)
    return site, next(node for node in ast.walk(site.node) if isinstance(node, ast.If)).body


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("if n:|    print(F.relu(x), n)", ["x", "n"]),
        ("y = x|if n:|    z = y + 1|    print(z)", ["y"]),
        ("if n:|    x = n|    print(x)", ["n"]),
        ("if n:|    x += n", ["x", "n"]),
        ("a, (b, c) = x|if n:|    print(a, c)", ["a", "c"]),
        ("if n:|    print([t for t in x])|print([t for t in n])", ["x"]),
        ("if n:|    print([x for x in x])", ["x"]),
        ("if n:|    print(lambda n: x + n)", ["x"]),
        ("for i in x:|    if n:|        print(i)", ["i"]),
        ("if m:|    y = 1|else:|    y = 2|while n:|    print(y)", []),
        ("with x:|    y = 1|if n:|    print(y)", ["y"]),
    ],
)
def test_names_read(tmp_path: Path, body: str, names: list[str]) -> None:
    assert names_read(*first_choice(tmp_path, body)) == names


@pytest.mark.parametrize(
    "body", ["while n:|    y = x|if n:|    print(y)", "if n:|    print(y)|y = 1", "if n:|    del y|    print(y)|y = 2"]
)
def test_names_that_may_have_no_value_are_not_read(tmp_path: Path, body: str) -> None:
    assert names_read(*first_choice(tmp_path, body)) is None


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("if n:|    y = x", []),
        ("if n:|    y = x|print(x)", []),
        ("if n:|    x = n|return x", ["x"]),
        ("y = 1|if n:|    z = y|    y = 2|    x = 1|return x, y", ["y", "x"]),
        ("if n:|    a, b = x|else:|    a = 1|return a", ["a"]),
        ("if n:|    print([t for t in x])|return [t for t in x]", []),
        ("y = 1|while n:|    print(y)|    if n:|        y = 2", ["y"]),
        ("if n:|    x = 1|x += 1", ["x"]),
    ],
)
def test_names_given(tmp_path: Path, body: str, names: list[str]) -> None:
    assert names_given(*first_choice(tmp_path, body)) == names


def test_names_that_may_have_no_value_are_not_given(tmp_path: Path) -> None:
    assert names_given(*first_choice(tmp_path, "if n:|    while x:|        y = 1|print(y)")) is None


def test_loops(tmp_path: Path) -> None:
    site, block = first_choice(tmp_path, "for i in x:|    if n:|        print(i)")
    assert is_in_loop(site, block[0]) and not is_in_loop(site, site.node.body[0])


GUARDED = "import torch\n\n\ndef f(x):\n"


def guarded(folder: Path, body: str) -> str:
    """A body whose last statement runs in Python alone."""
    project = Mended(folder, GUARDED + body).project
    site = MendSite(project.survey(str(folder / "model.py")).functions[0], project, Witnessed())
    edits, imports = in_python_alone(site, site.node.body[-1])
    assert not imports
    return site.text.edit(edits).decode().removeprefix(GUARDED)


def test_a_statement_is_indented_with_its_lines(tmp_path: Path) -> None:
    after = "    if not torch.jit.is_scripting():\n        print(  # all\n\n            x)\n"
    assert guarded(tmp_path, "    print(  # all\n\n        x)\n") == after


def test_it_joins_those_in_front(tmp_path: Path) -> None:
    before = "    if not torch.jit.is_scripting():\n        a()\n"
    assert guarded(tmp_path, before + "    b()\n") == before + "        b()\n"


@pytest.mark.parametrize("between", ["    else:\n        c()\n", "    c()\n", "\n"])
def test_it_stands_alone_otherwise(tmp_path: Path, between: str) -> None:
    before = "    if not torch.jit.is_scripting():\n        a()\n" + between
    assert guarded(tmp_path, before + "    b()\n") == before + "    if not torch.jit.is_scripting():\n        b()\n"


def test_what_runs_in_python_alone_is_not_looked_into(tmp_path: Path) -> None:
    body = (
        GUARDED
        + "    if not torch.jit.is_scripting():\n        a()\n    if x:\n        def g(): b()\n        '''\n'''\n"
    )
    project = Mended(tmp_path, body).project
    site = MendSite(project.survey(str(tmp_path / "model.py")).functions[0], project, Witnessed())
    found = list(statements(site.node.body))
    assert [type(s).__name__ for s in found] == ["If", "If", "FunctionDef", "Expr"]
    assert [can_be_indented(site, s) for s in found] == [True, False, True, False]
