"""Annotations that promise more than is passed."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend import wide_annotations
from pdt_annotate.values.places import Place
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr
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
        (": Optional[float]", (TypeExpr("int"), NONE)),
        (": Optional[str]", (NONE,)),
        (": Shape", (PAIR,)),
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


@pytest.mark.parametrize(
    ("annotation", "seen"),
    [("Optional[str]", TypeExpr("torch.device")), ("int", TypeExpr("float")), ("List[Tensor]", TENSOR)],
)
def test_another_type_than_was_seen_goes(tmp_path: Path, annotation: str, seen: TypeExpr) -> None:
    assert mended(tmp_path, f": {annotation}", seen) == "def f(x, k"


def returning(folder: Path, annotation: str, body: str, *seen: TypeExpr) -> str:
    """What the head of `g` becomes when the compiler stops where `f` calls it."""
    source = f"def g(x) -> {annotation}:\n    {body}\n\n\ndef f(x):\n    a, b = g(x)\n    return a\n"
    failure = Failure("cannot be used as a tuple", place=Place(str(folder / "model.py"), 6, 11))
    one = Mended(folder, source, types={"g": {"return": seen}}, failures={"f": failure})
    found = one.find(wide_annotations.RULE)
    return one.files.add(found, one.project).project.source(one.file).decode().partition("\n")[0]


@pytest.mark.parametrize(
    ("annotation", "body", "seen"),
    [
        ("Tuple[Tensor, Tensor]", "return x, x", ()),
        ("Optional[Tuple[Tensor, Tensor]]", "return h(x)", (PAIR,)),
        ("Union[Tensor, Tuple[float, float]]", "return h(x)", ()),
        ("Union[Tensor, Tuple[float, float]]", "return h(x)", (PAIR, TENSOR)),
    ],
)
def test_what_is_returned_stays(tmp_path: Path, annotation: str, body: str, seen: tuple[TypeExpr, ...]) -> None:
    assert returning(tmp_path, annotation, body, *seen) == f"def g(x) -> {annotation}:"


def test_what_a_called_function_is_said_to_return_goes_where_it_returned_less(tmp_path: Path) -> None:
    assert returning(tmp_path, "Union[Tensor, Tuple[float, float]]", "return h(x)", PAIR) == "def g(x):"
    assert returning(tmp_path, "Union[Tensor, Tuple[float, float]]", "return x, x") == "def g(x):"
    assert returning(tmp_path, "List[Tensor]", "return h(x)", TENSOR) == "def g(x):"
