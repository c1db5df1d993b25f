"""The kind of number that `item` gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.tensor_items import RULE
from pdt_annotate.source.expressions import FLOAT, INT
from pdt_annotate.values.types import TENSOR, TypeExpr

HEAD = "def f(x, n):\n    "
INTS = TypeExpr("list", (INT,))


def mended(folder: Path, line: str, *types: TypeExpr) -> str:
    return Mended(folder, HEAD + line, types={"f": {"k": types}}).apply(RULE).removeprefix(HEAD)


@pytest.mark.parametrize(
    ("line", "types"),
    [
        ("k = int(x.item())", [INT]),
        ("k = x.item()", []),
        ("k = x.item()", [INT, FLOAT]),
        ("k = x.item()", [TENSOR]),
        ("k = x.item", [INT]),
        ("k = x.item(0)", [INT]),
        ("k = g(x.item())", [INT]),
        ("k = x.item() / 2", [FLOAT]),
        ("k = x.item() * 0.5", [FLOAT]),
        ("k = [x.item()]", [TypeExpr("list")]),
        ("k = [x.item(), 0.5]", [TypeExpr("list", (TypeExpr("Union", (INT, FLOAT)),))]),
        ("k, m = x.item(), 1", [INT]),
        ("int = 3; k = x.item()", [INT]),
        ("return x.item()", [INT]),
    ],
)
def test_what_is_left_alone(tmp_path: Path, line: str, types: list[TypeExpr]) -> None:
    assert mended(tmp_path, line, *types) == line


def test_an_empty_list_says_nothing_of_elements(tmp_path: Path) -> None:
    assert mended(tmp_path, "k = [x.item()]", TypeExpr("list"), INTS) == "k = [int(x.item())]"
