"""Sizes among calls, without torch."""

from __future__ import annotations

import pytest
from seen_calls import call, tensor

from pdt_annotate.captures.exporting.sizes import (
    Size,
    Wishes,
    leaves,
    name_groups,
    numbers_of,
    roots_in,
    sizes_of,
    vary_together,
)
from pdt_annotate.values.exports import ConstantSeen, NestSeen, NumberSeen

X0, X1, Y0, Y1 = ((("x",), 0), (("x",), 1), (("y",), 0), (("y",), 1))


def test_what_did_not_vary_is_no_group() -> None:
    assert vary_together({X0: [2, 2], X1: [3, 3]}, ()) == []
    assert vary_together({X0: [2]}, ()) == []


def test_what_is_fixed_is_no_group() -> None:
    assert vary_together({X0: [2, 4], X1: [3, 5]}, {X0}) == [(X1,)]


def test_what_varied_together_is_one_group() -> None:
    assert vary_together({X0: [2, 4], X1: [3, 5], Y0: [2, 4], Y1: [3, 4]}, ()) == [(X0, Y0), (X1,), (Y1,)]


def test_the_first_size_of_all_tensors_is_the_batch() -> None:
    assert name_groups([(X0, Y0), (X1,)], [X0, X1, Y0, Y1]) == {"batch": (X0, Y0), "x_1": (X1,)}
    assert name_groups([(X0,), (X1,)], [X0, X1, Y0, Y1]) == {"x_0": (X0,), "x_1": (X1,)}


def test_a_name_that_the_file_has_is_not_taken() -> None:
    assert list(name_groups([(X0,), (X1,)], [X0, X1], {"batch", "x_1"})) == ["batch_", "x_1_"]


def test_sizes_and_ints_of_nested_arguments() -> None:
    nest = NestSeen(
        "dict", ("ids", "rest"), (tensor(2, 3), NestSeen("State", (".n", ".m"), (NumberSeen(4), ConstantSeen("None"))))
    )
    seen = call(0, batch=nest)
    assert sizes_of(seen) == {(("batch", "ids"), 0): 2, (("batch", "ids"), 1): 3}
    assert numbers_of(seen) == {("batch", "rest", ".n"): 4}
    assert list(leaves(seen.arguments)) == [("batch", "ids"), ("batch", "rest", ".n"), ("batch", "rest", ".m")]


@pytest.mark.parametrize(
    ("size", "text", "of_five"),
    [
        (Size("s"), "s", 5),
        (Size("s", 2), "2 * s", 10),
        (Size("s", 1, -1), "s - 1", 4),
        (Size("s", 3, 1), "3 * s + 1", 16),
    ],
)
def test_a_size_in_terms_of_another(size: Size, text: str, of_five: int) -> None:
    assert str(size) == text
    assert size.solve(of_five) == 5


def test_a_size_that_no_root_gives() -> None:
    assert Size("s", 2).solve(5) is None


def test_wishes_lead_from_name_to_name() -> None:
    wishes = Wishes(sizes={"a": Size("b", 2), "b": Size("c", 1, 3)})
    assert wishes.resolve("a") == Size("c", 2, 6)
    assert wishes.resolve("other") == Size("other")


def test_wishes_in_a_circle_end() -> None:
    assert Wishes(sizes={"a": Size("b"), "b": Size("a")}).resolve("a").root in ("a", "b")


def test_roots_in_a_call() -> None:
    named = {"x_0": (X0,), "y_0": (Y0, Y1)}
    wishes = Wishes(sizes={"x_0": Size("y_0", 1, 1)}, ranges={"y_0": (2, 6)})
    assert roots_in(named, {X0: 5, Y0: 4, Y1: 4}, wishes) == {"y_0": 4}
    assert roots_in(named, {X0: 5, Y0: 5, Y1: 5}, wishes) is None
    assert roots_in(named, {X0: 9, Y0: 8, Y1: 8}, wishes) is None
    assert roots_in(named, {X0: 5, Y0: 4, Y1: 3}, wishes) is None
