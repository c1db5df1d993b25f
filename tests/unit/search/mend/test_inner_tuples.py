"""Classes that `namedtuple` makes in functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.inner_tuples import RULE

HEAD = "import collections\nfrom collections import namedtuple\n\n\n"
DEF = "def f(x, y):\n"


def mended(folder: Path, *lines: str, head: str = HEAD) -> str:
    return Mended(folder, head + DEF + "".join(f"    {line}\n" for line in lines)).apply(RULE)


@pytest.mark.parametrize(
    "lines",
    [
        ['out = namedtuple("Out", x)', "return out(x, y)"],
        ['out = namedtuple(x, "a b")', "return out(x, y)"],
        ['out = namedtuple("Out", ["a", "b"], defaults=[1])', "return out(x)"],
        ['out = namedtuple("Out", "a b")', "return out"],
        ['out = namedtuple("Out", "a b")', "out = out(x, y)", "return out"],
        ['if x: out = namedtuple("Out", "a b")', "return out(x, y)"],
        ['z = out(x, y) if x else y; out = namedtuple("Out", "a b")'],
        ['out = other("Out", "a b")', "return out(x, y)"],
        ["namedtuple = x", 'out = namedtuple("Out", "a b")', "return out(x, y)"],
        ['out = namedtuple("f", "a b")', "return out(x, y)"],
        ['return namedtuple("Out", "a b")'],
    ],
)
def test_what_is_left_alone(tmp_path: Path, lines: list[str]) -> None:
    assert mended(tmp_path, *lines) == HEAD + DEF + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    "head", ["", "from other import namedtuple\n", "def g():\n    from collections import namedtuple\n"]
)
def test_a_name_that_the_module_does_not_import_is_left_alone(tmp_path: Path, head: str) -> None:
    lines = ['out = namedtuple("Out", "a b")', "return out(x, y)"]
    assert "Out =" not in mended(tmp_path, *lines, head=head)


def test_a_local_goes(tmp_path: Path) -> None:
    after = mended(
        tmp_path, 'out = namedtuple("Out", ["a", "b"])  # both', "z = out(x, y)", "return z if x else out(y, x)"
    )
    made = 'Out = namedtuple("Out", ["a", "b"])\n\n\n'
    assert after == f"{HEAD}{made}{DEF}    z = Out(x, y)\n    return z if x else Out(y, x)\n"


def test_what_is_called_at_once(tmp_path: Path) -> None:
    after = mended(tmp_path, 'return collections.namedtuple("Out", "a b")(x, y)')
    assert after == f'{HEAD}Out = collections.namedtuple("Out", "a b")\n\n\n{DEF}    return Out(x, y)\n'


def test_of_two_of_one_name_the_second_stays(tmp_path: Path) -> None:
    body = 'def {}(x):\n    return namedtuple("Out", "{}")(x)\n'
    other = body.format("g", "b")
    after = Mended(tmp_path, HEAD + body.format("f", "a") + other).apply(RULE)
    assert after == f'{HEAD}Out = namedtuple("Out", "a")\n\n\ndef f(x):\n    return Out(x)\n{other}'
