"""Parameters for which only None was seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend import none_parameters
from pdt_annotate.values.places import Place
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Failure


def mended(folder: Path, parameter: str, *seen: TypeExpr, line: int = 2) -> str:
    source = f"def f(x, {parameter}):\n    y = x in cache\n    return x\n"
    failure = Failure("no such operator", place=Place(str(folder / "model.py"), line, 9))
    one = Mended(folder, source, types={"f": {"cache": seen}}, failures={"f": failure})
    found = one.find(none_parameters.RULE)
    return one.files.add(found, one.project).project.source(one.file).decode().partition("x, ")[2].partition(")")[0]


@pytest.mark.parametrize(
    ("parameter", "seen"),
    [
        ("cache=None", (TENSOR,)),
        ("cache=None", (NONE, TENSOR)),
        ("cache=None", ()),
        ("cache", (NONE,)),
        ("cache=0", (NONE,)),
        ("cache: dict = None", (NONE,)),
    ],
)
def test_left_alone(tmp_path: Path, parameter: str, seen: tuple[TypeExpr, ...]) -> None:
    assert mended(tmp_path, parameter, *seen) == parameter


def test_left_alone_where_the_compiler_stopped_at_something_else(tmp_path: Path) -> None:
    assert mended(tmp_path, "cache=None", NONE, line=3) == "cache=None"


@pytest.mark.parametrize("parameter", ["cache=None", "cache = None"])
def test_it_is_none_to_the_compiler(tmp_path: Path, parameter: str) -> None:
    assert mended(tmp_path, parameter, NONE) == "cache: None = None"
