from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pdt_annotate.source.identifiers import bound_names, mentions


@pytest.mark.parametrize(
    ("source", "name", "is_there"),
    [
        ("self.field", "field", True),
        ("self.ﬁeld", "field", True),
        ("self.ﬁeld", "ﬁeld", True),
        ("self.ﬁeld", "fold", False),
        ("self.field", "ﬁeld", False),  # Python knows no such name: ask for the normal one
    ],
)
def test_mentions(source: str, name: str, is_there: bool) -> None:
    assert mentions(source.encode(), name) is is_there


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.py"


@pytest.mark.parametrize(
    "source",
    [
        "from os import *\n",
        "def __getattr__(name): ...\n",
        "globals()['f'] = 1\n",
        "def f():\n    global g\n    g = 1\n",
        "import sys\nsys.modules[__name__] = object()\n",
        "def f(:\n",
        "# coding: nonsense\n",
    ],
)
def test_what_the_text_does_not_tell(source: str, file: Path) -> None:
    file.write_text(source)
    assert bound_names(file.as_posix()) is None


def test_a_file_that_is_not_there(file: Path) -> None:
    assert bound_names(str(file)) is None


INSIDE = frozenset("s") if (3, 12) <= sys.version_info < (3, 14) else frozenset()
"""The variables of comprehensions, on Pythons that do not tell them apart."""


@pytest.mark.filterwarnings("error")
def test_every_way_to_bind_a_name(file: Path) -> None:
    file.write_text(
        "import a.b, c as d\nfrom e import f\nif a:\n    g = 1\nelse:\n    (h, [i]) = 1, [2]\n"
        "for j in ():\n    pass\nwith open('\\d') as k:\n    pass\nclass L:\n    m = 1\n"
        "def n(o):\n    p = 1\n    return lambda q: q\nprint((r := 2), [s for s in ()])\n"
        "match a:\n    case t:\n        del t\n"
    )
    assert (bound_names(str(file)) or frozenset()) - INSIDE == frozenset("adfghijkLnrt")
