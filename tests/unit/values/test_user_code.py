"""Errors of the user's code, and where they come from."""

from __future__ import annotations

from typing import Any

import pytest

from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.user_code import describe_error, user_code


def divide(x: int) -> float:
    return 1 / x


@pytest.mark.parametrize(
    ("change", "line"),
    [
        pytest.param({}, 1, id="as it is"),
        pytest.param({"co_linetable": b""}, 0, id="a table of places that ends early"),
        pytest.param({"co_filename": "/no\0/file.py"}, None, id="a file that no system can open"),
    ],
)
def test_the_line_is_named(change: dict[str, Any], line: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divide, "__code__", divide.__code__.replace(**change))
    with pytest.raises(UserCodeError) as raised, user_code("running"):
        divide(0)
    assert raised.value.place.file == __file__
    assert line is None or raised.value.place.line == divide.__code__.co_firstlineno + line


class NoText(str):
    def _no(self, *given: object) -> str:
        raise RuntimeError("no text")

    __str__ = __format__ = _no


class Lies(Exception):
    """An exception whose text, class and traceback are not what they are for."""

    def __str__(self) -> str:
        return NoText("words")

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(f"no {name}")


class LeavesInWords(Exception):
    def __str__(self) -> str:
        raise SystemExit(4)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (Lies, "x", "Lies: words"),
        (LeavesInWords, "x", "LeavesInWords"),
        (ValueError, "long " * 10_000, f"ValueError: {'long ' * 2_000}… (50,000 characters)"),
        (SystemExit, 3, "it called sys.exit(3)"),
    ],
)
def test_an_exception_is_told_whatever_its_class_says(kind: type[BaseException], given: object, said: str) -> None:
    assert describe_error(kind(given)) == said


def test_a_syntax_error_of_the_users_own_has_the_place_where_it_is_raised() -> None:
    error = SyntaxError("odd")
    error.filename, error.lineno, error.offset = 3, "x", -5  # type: ignore[assignment]
    with pytest.raises(UserCodeError, match="running: SyntaxError: odd") as raised, user_code("running"):
        raise error
    assert raised.value.place.file == __file__
