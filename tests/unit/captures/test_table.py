"""The ways by name, as options have them."""

from __future__ import annotations

import pytest

from pdt_annotate.captures.table import BY_NAME, WAYS, choose, named
from pdt_annotate.values.errors import UserError


def names(ways: object) -> list[str]:
    return [way.name for way in ways]  # type: ignore[attr-defined]


def test_which_ways_are_chosen() -> None:
    assert len(BY_NAME) == len(WAYS)
    assert not [name for name in BY_NAME if set(name) & set(", ")]
    assert choose(()) == WAYS
    assert names(named(["trace, script", "trace", ""], "--ways")) == ["trace", "script"]
    assert names(choose(["trace,script"])) == ["script", "trace"]
    assert names(choose(["trace"], ["fx"])) == ["trace", "fx"], "what is required is tried, too"


@pytest.mark.parametrize(
    ("ways", "require", "message", "hint"),
    [
        (["scirpt"], (), "--ways: no way of capturing is named 'scirpt'", "did you mean script?"),
        ((), ["exprot,script"], "--require: no way of capturing is named 'exprot'", "did you mean export"),
        ((), ["zzz"], "--require: no way of capturing is named 'zzz'", "there are script, trace"),
    ],
)
def test_an_unknown_name_is_told_with_those_near_to_it(
    ways: list[str], require: list[str], message: str, hint: str
) -> None:
    with pytest.raises(UserError) as raised:
        choose(ways, require)
    assert raised.value.message == message
    assert raised.value.hint.startswith(hint)
