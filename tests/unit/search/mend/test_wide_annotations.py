"""Annotations that promise more than is passed."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend import wide_annotations
from pdt_annotate.values.places import Place
from pdt_annotate.values.types import NONE, TypeExpr
from pdt_annotate.values.verdicts import Failure

FLOATS = TypeExpr("list", (TypeExpr("float"),))
PAIR = TypeExpr("tuple", (TypeExpr("float"), TypeExpr("float")))


def mended(folder: Path, annotation: str, *seen: TypeExpr, line: int = 2) -> str:
    source = f"def f(x, k{annotation} = None):\n    a, b = k\n    return x\n"
    failure = Failure("cannot be used as a tuple", place=Place(str(folder / "model.py"), line, 12))
    one = Mended(folder, source, types={"f": {"k": seen}}, failures={"f": failure})
    found = one.find(wide_annotations.RULE)
    return one.files.add(found, one.project).project.source(one.file).decode().partition(" = ")[0]


@pytest.mark.parametrize(
    ("annotation", "seen"),
    [
        ("", (PAIR,)),
        (": Tuple[float, float]", (PAIR,)),
        (": Optional[Tuple[float, float]]", (PAIR,)),
        (": Optional[Tuple[float, float]]", (PAIR, NONE)),
        (": Union[List[float], Tuple[float, float]]", ()),
        (": Union[List[float], Tuple[float, float]]", (PAIR, FLOATS)),
    ],
)
def test_left_alone(tmp_path: Path, annotation: str, seen: tuple[TypeExpr, ...]) -> None:
    assert mended(tmp_path, annotation, *seen) == f"def f(x, k{annotation}"


def test_left_alone_where_the_compiler_stopped_at_something_else(tmp_path: Path) -> None:
    annotation = ": Union[List[float], Tuple[float, float]]"
    assert mended(tmp_path, annotation, PAIR, line=3) == f"def f(x, k{annotation}"


def test_a_union_of_more_than_was_seen_goes(tmp_path: Path) -> None:
    assert mended(tmp_path, ": Union[List[float], Tuple[float, float]]", PAIR) == "def f(x, k"
    assert mended(tmp_path, ": Union[List[float], Tuple[float, float], None]", PAIR, NONE) == "def f(x, k"
