"""Errors of the user's code, and where they come from."""

from __future__ import annotations

import pytest

from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.user_code import user_code


def divide(x: int) -> float:
    return 1 / x


def test_the_line_is_named() -> None:
    with pytest.raises(UserCodeError) as raised, user_code("running"):
        divide(0)
    assert (raised.value.place.file, raised.value.place.line) == (__file__, divide.__code__.co_firstlineno + 1)


def test_code_whose_table_of_places_ends_early_is_named_by_its_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divide, "__code__", divide.__code__.replace(co_linetable=b""))
    with pytest.raises(UserCodeError) as raised, user_code("running"):
        divide(0)
    assert (raised.value.place.file, raised.value.place.line) == (__file__, divide.__code__.co_firstlineno)
