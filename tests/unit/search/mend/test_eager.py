"""Statements that run in Python alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.eager import can_be_indented, in_python_alone, statements
from pdt_annotate.search.mend.site import MendSite, Witnessed

HEAD = "import torch\n\n\ndef f(x):\n"


def guarded(folder: Path, body: str) -> str:
    """A body whose last statement runs in Python alone."""
    project = Mended(folder, HEAD + body).project
    site = MendSite(project.survey(str(folder / "model.py")).functions[0], project, Witnessed())
    edits, imports = in_python_alone(site, site.node.body[-1])
    assert not imports
    return site.text.edit(edits).decode().removeprefix(HEAD)


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
        HEAD + "    if not torch.jit.is_scripting():\n        a()\n    if x:\n        def g(): b()\n        '''\n'''\n"
    )
    project = Mended(tmp_path, body).project
    site = MendSite(project.survey(str(tmp_path / "model.py")).functions[0], project, Witnessed())
    found = list(statements(site.node.body))
    assert [type(s).__name__ for s in found] == ["If", "If", "FunctionDef", "Expr"]
    assert [can_be_indented(site, s) for s in found] == [True, False, True, False]
