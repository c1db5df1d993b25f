"""Lists that are returned as tuples."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.returned_tuples import RULE
from pdt_annotate.values.types import TENSOR, TypeExpr

XS = (TypeExpr("list", (TENSOR,)),)
HEAD = "def f(x, xs):\n    "


def mend(folder: Path, body: str, *lengths: int) -> str:
    returned = tuple(TypeExpr("tuple", (TENSOR,) * length) for length in lengths)
    source = f"{HEAD}{body}\n"
    return Mended(folder, source, types={"f": {"return": returned, "xs": XS}}).apply(RULE).removeprefix(HEAD).strip()


@pytest.mark.parametrize(
    ("body", "lengths"),
    [
        ("return tuple(xs)", ()),
        ("return tuple(xs)", (2, 3)),
        ("return tuple(xs)", (9,)),
        ("return tuple(xs)", (0,)),
        ("return list(xs)", (2,)),
        ("return (*xs, x)", (2,)),
        ("return tuple(x)", (2,)),
        ("return tuple(g(x))", (2,)),
        ("tuple = x\n    return tuple(xs)", (2,)),
        ("if x: return tuple(xs)", (2,)),
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str, lengths: tuple[int, ...]) -> None:
    assert mend(tmp_path, body, *lengths) == body


@pytest.mark.parametrize(
    ("before", "length", "after"),
    [
        ("return tuple(xs)", 2, "assert len(xs) == 2\n    return xs[0], xs[1]"),
        ("return (*xs,)", 1, "assert len(xs) == 1\n    return xs[0],"),
        (
            "return tuple(a + 1 for a in xs)",
            2,
            "items = [a + 1 for a in xs]\n    assert len(items) == 2\n    return items[0], items[1]",
        ),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, length: int, after: str) -> None:
    assert mend(tmp_path, before, length) == after


FORMS = st.sampled_from(["tuple(xs)", "(*xs,)", "tuple(a + x for a in xs)", "tuple([x, *xs][1:])"])


@settings(max_examples=30, deadline=None)
@given(form=FORMS, values=st.lists(st.integers(), min_size=1, max_size=8), more=st.integers(0, 1))
def test_answers_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, form: str, values: list[int], more: int
) -> None:
    body = f"return {form}"
    after = HEAD + mend(tmp_path_factory.mktemp("a"), body, len(values)) + "\n"
    old: dict[str, object] = {}
    new: dict[str, object] = {}
    exec(HEAD + body + "\n", old)
    exec(after, new)
    assert old["f"](1, values) == new["f"](1, values)  # type: ignore[operator]
    if more and after != HEAD + body + "\n":
        with pytest.raises(AssertionError):
            new["f"](1, [*values, 1])  # type: ignore[operator]
