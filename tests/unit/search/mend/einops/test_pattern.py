"""Patterns as einops reads them."""

from __future__ import annotations

import pytest

from pdt_annotate.search.mend.einops.pattern import parse, parse_side


@pytest.mark.parametrize(
    "text",
    [
        "b c",
        "b c, b -> c",
        "b -> c -> b",
        "b b -> b",
        "b (c -> b c",
        "b c) -> b c",
        "b ((c)) -> b c",
        "b 0 -> b",
        "_b -> _b",
        "b.. -> b",
        "b... -> b ...",
        "... ... -> ...",
        "(...) -> ...",
        "(b ...) -> b ...",
        "b\tc -> c b",
        "b-c -> b",
    ],
)
def test_what_einops_refuses_is_none(text: str) -> None:
    assert parse(text) is None


def test_axes_stand_in_dimensions() -> None:
    assert parse_side("b (h w) d") == (("b",), ("h", "w"), ("d",))
    assert parse_side(" b(h w)d ") == (("b",), ("h", "w"), ("d",))


@pytest.mark.parametrize("one", ["1", "()", "(1)", "(1 1)"])
def test_a_dimension_of_size_1_has_no_axes(one: str) -> None:
    assert parse_side(f"b {one}") == (("b",), ())


def test_1_in_parentheses_says_nothing() -> None:
    assert parse_side("(b 1 c)") == (("b", "c"),)


def test_every_number_is_an_axis_of_its_own() -> None:
    assert parse_side("3 (b 3)") == (("3@0",), ("b", "3@3"))


def test_an_ellipsis_in_parentheses_is_one_dimension_even_where_it_is_none() -> None:
    assert parse_side("b (...)") == (("b",), ("1@3", "..."))
    assert parse_side("(b ...)") == (("b", "..."),)
