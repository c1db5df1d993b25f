"""Checks, warnings and logging."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from mended import Mended

from pdt_annotate.search.mend.eager_checks import RULE
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Failure

HEAD = """\
import torch
import warnings


def check(x):
    if type(x) is int:
        raise TypeError(x)
    if not x:
        return
    y = 1


def change(x):
    check(x)
    x.a = 1


"""
LINE = HEAD.count("\n") + 2


def mended(folder: Path, body: str) -> str:
    """The body of a function in whose second line the compiler stops."""
    source = f"{HEAD}def f(x, logger):\n{indent(body, '    ')}"
    at = Place(str(folder / "model.py"), LINE)
    module = Mended(folder, source, failures={"f": Failure("no", "RuntimeError", at)})
    text = module.files.add(module.find(RULE), module.project).project.source(module.file).decode()
    return "".join(line[4:] or line for line in text.partition("def f(x, logger):\n")[2].splitlines(keepends=True))


@pytest.mark.parametrize(
    "body",
    [
        "x = x + 1\n",
        "x.add_(1)\n",
        "self.log(x)\n",
        "y.info(x)\n",
        "assert x.pop()\n",
        "if type(x) is int:\n    return x\n",
        "if type(x) is int:\n    y = 1\nprint(y)\n",
        "for y in x:\n    assert type(y) is int\nprint(y)\n",
        "if type(x) is int:\n    self.seen = 1\n",
        "raise ValueError('''a\nb''')\n",
        "x = check(x)\n",
        "change(x)\n",
    ],
)
def test_what_is_left_alone(tmp_path: Path, body: str) -> None:
    assert mended(tmp_path, body) == body


@pytest.mark.parametrize(
    "check",
    [
        "if type(x) is not int:\n    raise TypeError(f'{x!r}')\n",
        "warnings.warn('a', DeprecationWarning)\n",
        "check(x)\n",
        "logger.debug('%s', type(x))\n",
        "assert type(x) in (int, float), type(x)\n",
        "for y in x:\n    z = type(y)\n    assert z is int\n",
    ],
)
def test_what_runs_in_python_alone(tmp_path: Path, check: str) -> None:
    after = "if not torch.jit.is_scripting():\n" + indent(check, "    ") + "return x\n"
    assert mended(tmp_path, check + "return x\n") == after


def test_a_call_of_what_checks_is_taken_whole(tmp_path: Path) -> None:
    source = f"{HEAD}def f(x):\n    check(x)\n    return x\n"
    file = str(tmp_path / "model.py")
    failure = Failure("no", "RuntimeError", Place(file, 6), (Place(file, LINE),))
    text = Mended(tmp_path, source, failures={"check": failure}).find(RULE)
    assert [mend.owner.qualname for mend in text] == ["f"]
    assert text[0].left_out == "the check `check(x)`"
