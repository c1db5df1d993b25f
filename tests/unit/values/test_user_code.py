"""Errors of the user's code, and where they come from."""

from __future__ import annotations

import pytest

from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.user_code import describe_error, user_code


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


def test_code_whose_file_no_system_can_open_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divide, "__code__", divide.__code__.replace(co_filename="/no\0/file.py"))
    with pytest.raises(UserCodeError) as raised, user_code("running"):
        divide(0)
    assert raised.value.place.file == __file__


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
