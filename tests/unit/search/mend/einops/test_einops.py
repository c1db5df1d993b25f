"""Which calls of einops are changed, and how the lines look then."""

from __future__ import annotations

import pytest

from pdt_annotate.search.mend.einops import equation


@pytest.mark.parametrize("pattern", ["i j", "i j -> k", "i -> i i", "(i j) -> i", "i 1 -> i", "i () -> i", "_ i -> i"])
def test_what_einops_refuses_is_none(pattern: str) -> None:
    assert equation(pattern) is None


def test_letters_stay() -> None:
    assert equation("b i d,b j d->b i j") == "b i d, b j d -> b i j"
    assert equation("... i, ... i -> ...") == "... i, ... i -> ..."


def test_names_become_letters() -> None:
    assert equation("batch n, n out -> batch out") == "a b, b c -> a c"


def test_what_is_summed_is_summed_in_the_order_of_appearance() -> None:
    assert equation("z y x, z y -> x") == "a b c, a b -> c"
