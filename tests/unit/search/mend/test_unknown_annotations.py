"""Annotations that the compiler cannot read."""

from __future__ import annotations

from pathlib import Path

from mended import Mended

from pdt_annotate.search.mend import unknown_annotations
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Failure

SOURCE = "def f(x, size: Optional[type] = None, *, n: dict=None) -> int:\n    return x\n"


def mended(folder: Path, line: int, column: int, source: str = SOURCE) -> str:
    place = Place(str(folder / "model.py"), line, column)
    one = Mended(folder, source, failures={"f": Failure("Unknown type name 'type'", place=place)})
    found = one.find(unknown_annotations.RULE)
    return one.files.add(found, one.project).project.source(one.file).decode()


def test_others_are_left_alone(tmp_path: Path) -> None:
    assert mended(tmp_path, 2, 5) == SOURCE
    assert Mended(tmp_path, SOURCE).apply(unknown_annotations.RULE) == SOURCE
    plain = "def f(x, size=None):\n    return x\n"
    assert mended(tmp_path, 1, 10, plain) == plain


def test_the_one_that_is_pointed_at_goes(tmp_path: Path) -> None:
    assert mended(tmp_path, 1, SOURCE.index("Optional") + 1) == SOURCE.replace(": Optional[type]", "")
    assert mended(tmp_path, 1, SOURCE.index("dict") + 1) == SOURCE.replace(": dict", "")


def test_all_of_the_line_go_where_none_is_pointed_at(tmp_path: Path) -> None:
    assert mended(tmp_path, 1, 0) == "def f(x, size = None, *, n=None) -> int:\n    return x\n"
