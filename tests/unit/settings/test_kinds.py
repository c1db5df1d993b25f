"""Values of settings: what each kind refuses, and what it reads from TOML and from the environment."""

from __future__ import annotations

import os

import pytest

from pdt_annotate.settings.kinds import (
    PATH,
    PATHS,
    TEXT,
    TEXTS,
    Choice,
    Count,
    Flag,
    Number,
    ValueKind,
    Whole,
    WrongValue,
    locate,
)

COLOR = Choice("auto", "never")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (TEXT, 3),
        (PATH, ["a"]),
        (TEXTS, [1]),
        (PATHS, {"a": "b"}),
        (Flag(), 1),
        (Flag(), "true"),
        (Number(), True),
        (Number(), "3"),
        (Whole(least=1), 0),
        (Whole(), 1.0),
        (Count(), -1),
        (COLOR, "blue"),
        (COLOR, True),
    ],
)
def test_another_type_is_refused(kind: ValueKind, value: object) -> None:
    with pytest.raises(WrongValue, match=r"^takes "):
        kind.of_toml(value)


@pytest.mark.parametrize(("kind", "text"), [(Flag(), "maybe"), (Number(), "soon"), (Whole(), "1.5"), (COLOR, "Auto")])
def test_another_text_is_refused(kind: ValueKind, text: str) -> None:
    with pytest.raises(WrongValue):
        kind.of_text(text)


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (TEXT, "a", "a"),
        (TEXTS, "a b", ("a b",)),
        (TEXTS, ["a", "b"], ("a", "b")),
        (Flag(), False, False),
        (Number(), 3, 3.0),
        (Whole(), 0, 0),
        (Count(), True, 1),
        (Count(), 2, 2),
        (COLOR, "never", "never"),
    ],
)
def test_toml(kind: ValueKind, value: object, read: object) -> None:
    found = kind.of_toml(value)
    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize(
    ("kind", "text", "read"),
    [
        (PATH, "a b", "a b"),
        (TEXTS, "'f32[2, 3]' mask=None", ("f32[2, 3]", "mask=None")),
        (PATHS, f"a{os.pathsep}b c", ("a", "b c")),
        (Flag(), "1", True),
        (Flag(), "Yes", True),
        (Flag(), "off", False),
        (Number(), "2.5", 2.5),
        (Whole(), "4", 4),
        (Count(), "true", 1),
        (COLOR, "auto", "auto"),
    ],
)
def test_environment(kind: ValueKind, text: str, read: object) -> None:
    assert kind.of_text(text) == read


@pytest.mark.parametrize("value", ["", "-", "/data/a.py"])
def test_what_is_no_relative_path_stays(value: str) -> None:
    assert locate(value, "../x") == value
    assert PATH.below(value, "../x") == value


def test_relative_paths_begin_where_they_were_written() -> None:
    assert PATH.below("sub/inputs.py:small", "../x") == os.path.join("..", "x", "sub", "inputs.py:small")
    assert PATHS.below(("a", "/b"), "../x") == (os.path.join("..", "x", "a"), "/b")
    assert TEXTS.below(("a",), "../x") == ("a",)
    assert TEXT.below("a", "../x") == "a"
