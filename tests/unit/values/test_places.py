"""Places are written as compilers write them, columns in characters."""

from __future__ import annotations

import ast
import tomllib

import pytest

from pdt_annotate.values.places import NO_PLACE, Place, column_at, place_of_error


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (NO_PLACE, ""),
        (Place("", 3, 4), ""),
        (Place("a/m.py"), "a/m.py"),
        (Place("a/m.py", 0, 4), "a/m.py"),
        (Place("a/m.py", 3), "a/m.py:3"),
        (Place("a/m.py", 3, 4), "a/m.py:3:4"),
    ],
)
def test_only_what_is_known_is_written(place: Place, text: str) -> None:
    assert str(place) == text


def test_places_are_in_the_order_of_the_source() -> None:
    places = [Place("a.py"), Place("a.py", 2, 9), Place("a.py", 10), Place("a.py", 10, 2), Place("b.py", 1)]
    assert sorted({*places}) == places


def test_a_place_by_another_name_and_without_its_column() -> None:
    assert Place("/p/m.py", 3, 4).named("m.py") == Place("m.py", 3, 4)
    assert Place("m.py", 3, 4).whole_line == Place("m.py", 3)


@pytest.mark.parametrize(("line", "column"), [("x = y", 5), ("\tä = y", 6), ("'🦆é'; y", 7)])
def test_bytes_are_counted_as_characters(line: str, column: int) -> None:
    assert column_at(line, len(line[: line.index("y")].encode())) == column


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("x = 1\nä = 'ö' = )\n", Place("m.py", 2, 11)),
        ("def f():\nreturn 1\n", Place("m.py", 2, 1)),
    ],
)
def test_a_syntax_error_has_its_place(source: str, place: Place) -> None:
    with pytest.raises(SyntaxError) as caught:
        ast.parse(source.encode())
    assert place_of_error("m.py", caught.value) == place


def test_an_error_without_one_has_the_file() -> None:
    assert place_of_error("m.py", ValueError("null bytes")) == Place("m.py")
    assert place_of_error("m.py", SyntaxError("encoding problem")) == Place("m.py")


def test_an_error_in_toml_has_its_place() -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads("a = 'äö'\nb = 'é' 3\n")
    assert place_of_error("p.toml", caught.value) == Place("p.toml", 2, 9)
