"""Signatures that get too long: broken where black and `ruff format` break them, and nothing else moved."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rewrite_case import Case

from pdt_annotate.source.survey import survey
from pdt_annotate.values.style import Style

NARROW = Style(line_length=40)

KEPT = {
    "short enough": "def f(a«: int», b«: int»):\n    pass\n",
    "to the last column": "def f(aaaaaaaaaa«: int», bbbbbbbbbb«: int»):\n    pass\n",
    "too long before": "def f(a«: int», bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb«: int»):\n    pass\n",
    "no parameters": "def ffffffffffffffffffffffffffffffffff()« -> int»:\n    pass\n",
    "one parameter a line": "def f(\n    a«: int»,\n    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb«: int»,\n):\n    pass\n",
    "nowhere to break": "def f(a«: int»,\n      bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb«: int»):\n    pass\n",
}
"""Only the types are written."""

WRAPPED = {
    "on one line": "def f(«\n    »aaaaaaaaaa«: int», bbbbbbbbbbb«: int\n»):\n    pass\n",
    "one a line": "def f(«\n    »aaaaaaaaaa«: int»,«\n   » bbbbbbbbbb«: int»,«\n   » c«: int,\n») -> int:\n    pass\n",
    "a single parameter": "def f(«\n    »aaaaaaaaaaaaaaaaaaaaaaaaaaaaa«: int,\n»):\n    pass\n",
    "the return alone": "def f(«\n    »aaaaaaaaaa: int, bbbbb: int«\n»)« -> int»:\n    pass\n",
    "all kinds": (
        "def f(«\n    »a«: int»,«\n   » /,«\n   » b«: int »=« »0,«\n   » *args,«\n   » c«: int»,«\n   » **rest«,\n"
        "»):\n    pass\n"
    ),
    "keywords alone": "def f(«\n    »*, aaaaaaaaaa«: int», bbbbbbbbb«: int\n»):\n    pass\n",
    "brackets, lambdas and strings": (
        'def f(«\n    »a«: int »=« »(1,),«\n   » b«: int »=« »lambda x, y: x,«\n   » c«: int »=« »",("«,\n»):\n'
        "    pass\n"
    ),
    "a method": (
        "class A:\n    @staticmethod\n    async def f(«\n        »aaaaaaa«: int», bbbbb«: int\n    »):\n        pass\n"
    ),
    "a comment behind it": "def f(«\n    »aaaaaaaaa«: int»,«\n   » bbbb«: int,\n»):  # noqa\n    pass\n",
    "all on a line below": (
        "def f(\n    aaaaaaaaaa«: int»,«\n   » bbbbbbbbbb«: int»,«\n   » ccccc«: int,»\n):\n    pass\n"
    ),
    "wide characters": "def f(«\n    »aaaaaaaaaa«: int», 幅幅幅幅幅幅«: int\n»):\n    pass\n",
    "a type parameter": "def f[T: (int, str)](«\n    »aaaa«: int», bbbb«: int\n»):\n    pass\n",
}
"""As black and ruff have it."""

OTHER_LAYOUTS = {
    "a body on the line": "def f(«\n    »aaaaaaaaa«: int»,«\n   » bbb«: int,\n»): return aaaaaa\n",
    "a comma at the end": "def f(«\n    »aaaaaaaaaaa«: int»,«\n   » bbbbbbbbbb«: int»,«\n»):\n    pass\n",
    "two spaces": "class A:\n  def f(«\n    »aaaaaaaaaaa«: int», bbbbbbbb«: int\n  »):\n    pass\n",
    "tabs": "class A:\n\tdef f(«\n\t\t»aaaaaaaaaaa«: int», bbbbbb«: int\n\t»):\n\t\tpass\n",
    "carriage returns": "def f(«\r\n    »aaaaaaaaaa«: int», bbbbbbbbbbb«: int\r\n»):\r\n    pass\r\n",
    "aligned": (
        "def f(aaaaaaa«: int», bbbbbbb«: int»,«\n     » ccccccc«: int»,\n      ddddddd«: int», eeeeeee«: int»,«\n"
        "     » fffffff«: int»):\n    pass\n"
    ),
    "comments inside": "def f(\n    aaaaaaaaaaaaa«: int»,«\n   » bbbbbbbbbb«: int»,  # c\n):\n    pass\n",
}
"""Which no formatter would leave as they are."""


def annotated(text: str) -> Case:
    """All parameters of `f`, as far as they can be annotated, by `int`; and what it returns, where that is added."""
    case = Case(text)
    (function,) = survey("", case.source).functions
    name, args = function.owner.qualname, function.node.args
    for parameter in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        case.param(name, parameter.arg)
    return case.returns(name) if "« -> int»" in text else case


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_keeps_the_layout(text: str) -> None:
    annotated(text).becomes(style=NARROW)


CASES = WRAPPED | OTHER_LAYOUTS


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_breaks_what_gets_too_long(text: str) -> None:
    if "[T" in text and sys.version_info < (3, 12):
        pytest.skip("type parameters need Python 3.12")
    annotated(text).becomes(style=NARROW)


def test_nothing_is_broken_where_no_line_may_move() -> None:
    expected = "def f(aaaaaaaaaa: int, bbbbbbbbbbb: int):\n    pass\n"
    annotated(WRAPPED["on one line"]).becomes(expected, style=NARROW, imports=False)


@pytest.mark.parametrize("formatter", [("black",), ("ruff", "format", "--isolated")], ids=lambda each: each[0])
def test_the_formatters_leave_it_at_that(formatter: tuple[str, ...], tmp_path: Path) -> None:
    for index, text in enumerate(WRAPPED.values()):
        (tmp_path / f"case{index}.py").write_bytes(Case(text).expected)
    command = [sys.executable, "-m", *formatter, "--check", "--line-length", "40", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


LIMITS = {
    "a file of short lines": ("x = 1\n", 88),
    "a file of longer lines": (f"x = {'1' * 96}\n", 100),
    "a file of the longest": (f"x = {'1' * 196}\n", 120),
    "long comments and strings": (f'"""Doc.\n\n{"d" * 100}\n"""\n# {"c" * 100}\n', 88),
}


@pytest.mark.parametrize(("head", "limit"), LIMITS.values(), ids=LIMITS)
def test_a_file_that_nobody_configures_is_its_own_measure(head: str, limit: int) -> None:
    name = "a" * (limit - len("def f(: int, b: int):"))
    annotated(f"{head}def f({name}«: int», b«: int»):\n    pass\n").becomes()
    annotated(f"{head}def f(«\n    »{name}«: int», bb«: int\n»):\n    pass\n").becomes()
