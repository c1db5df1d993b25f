"""The ways by name, as options have them."""

from __future__ import annotations

import pytest

from pdt_annotate.captures.table import BY_NAME, WAYS, choose, compared, named
from pdt_annotate.values.errors import UserError


def names(ways: object) -> list[str]:
    return [way.name for way in ways]  # type: ignore[attr-defined]


def test_names_are_unique_and_words() -> None:
    assert len(BY_NAME) == len(WAYS)
    assert not [name for name in BY_NAME if set(name) & set(", ")]


def test_without_options_all_are_tried() -> None:
    assert choose(()) == WAYS


def test_names_may_share_a_text_and_stand_in_any_order() -> None:
    assert names(named(["trace, script", "trace", ""], "--ways")) == ["trace", "script"]
    assert names(choose(["trace,script"])) == ["script", "trace"]


def test_what_is_required_or_compared_is_tried_too() -> None:
    assert names(choose(["trace"], ["fx"], "script,trace")) == ["script", "trace", "fx"]


def test_where_two_are_compared_these_alone_are_tried() -> None:
    assert names(choose((), (), "script,trace")) == ["script", "trace"]
    assert names(choose((), ["fx"], "script,trace")) == ["script", "trace", "fx"]


@pytest.mark.parametrize(
    ("ways", "require", "compare", "message", "hint"),
    [
        (["scirpt"], (), "", "--ways: no way of capturing is named 'scirpt'", "did you mean script?"),
        ((), ["exprot,script"], "", "--require: no way of capturing is named 'exprot'", "did you mean export"),
        ((), (), "script,zzz", "--compare: no way of capturing is named 'zzz'", "there are script, trace"),
    ],
)
def test_an_unknown_name_is_told_with_those_near_to_it(
    ways: list[str], require: list[str], compare: str, message: str, hint: str
) -> None:
    with pytest.raises(UserError) as raised:
        choose(ways, require, compare)
    assert raised.value.message == message
    assert raised.value.hint.startswith(hint)


@pytest.mark.parametrize("text", ["script", "script,script", "script,trace,fx"])
def test_two_are_compared(text: str) -> None:
    with pytest.raises(UserError, match="takes two ways"):
        compared(text)


def test_nothing_is_compared_unless_asked_for() -> None:
    assert compared("") == ()
