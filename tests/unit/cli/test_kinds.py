"""Kinds of values: what of pyproject.toml each refuses, with what was meant, and how it is read."""

from __future__ import annotations

import os
from typing import Any

import pytest

from pdt_annotate.cli.kinds import (
    CODES,
    FILE_FORMATS,
    Choice,
    Count,
    Flag,
    Number,
    OutputFiles,
    PathCodes,
    PathText,
    Whole,
    Words,
    WrongValue,
    locate,
)
from pdt_annotate.cli.options import Setting
from pdt_annotate.emit.machine.formats import FORMATS

TEXT, PATH, FLAG, NUMBER, COUNT = Words(), PathText(), Flag(), Number(), Count()
TEXTS, PATHS = Words(many=True), PathText(many=True)
COLOR = Choice("auto", "never")
MEND = Choice("exact", "all", alone="exact")
FILES, PATH_CODES = OutputFiles(), PathCodes()


def read(kind: Any, value: object, directory: str = ".") -> object:
    return Setting("name", (), kind, "").read_toml(value, directory)


@pytest.mark.parametrize(
    ("kind", "value", "hint"),
    [
        (TEXT, 3, ""),
        (PATH, ["a"], ""),
        (PATHS, [1], ""),
        (PATHS, {"a": "b"}, ""),
        (FLAG, 1, ""),
        (FLAG, "true", ""),
        (NUMBER, True, ""),
        (NUMBER, "3", ""),
        (Whole(least=1), 0, ""),
        (Whole(), 1.0, ""),
        (COUNT, -1, ""),
        (COLOR, "blue", ""),
        (COLOR, "nevr", "did you mean never?"),
        (COLOR, True, ""),
        (CODES, "PDT37", "did you mean PDT037?"),
        (CODES, "E501", "explain"),
        (CODES, "PDT090", "# pdt: skip"),
        (CODES, 37, ""),
        (PATH_CODES, {"tests/*": 30}, ""),
        (PATH_CODES, {"tests/*": ["PDT30"]}, "did you mean PDT030?"),
        (PATH_CODES, "tests/*", ""),
        (FILES, "out.sarif", "did you mean sarif:out.sarif?"),
        (FILES, "sariff:out.sarif", "did you mean sarif:out.sarif?"),
        (FILES, r"C:\out.sarif", r"did you mean sarif:C:\out.sarif?"),
        (FILES, "xml:out.xml", ""),
        (FILES, "sarif:", "sarif:result.sarif"),
        (FILES, "sarif:-", "--output-format"),
    ],
)
def test_what_is_refused(kind: Any, value: object, hint: str) -> None:
    with pytest.raises(WrongValue) as caught:
        read(kind, value)
    assert caught.value.message.startswith("takes ")
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (TEXT, "a", "a"),
        (FLAG, False, False),
        (NUMBER, 3, 3.0),
        (Whole(), 0, 0),
        (COUNT, True, 1),
        (COUNT, 2, 2),
        (COLOR, "never", "never"),
        (MEND, True, "exact"),
        (MEND, False, ""),
        (MEND, "all", "all"),
        (CODES, "pdt037, PDT10", ("PDT037", "PDT10")),
        (CODES, ["PDT037", "PDT"], ("PDT037", "PDT")),
        (PATH_CODES, {"tests/*": ["PDT030", "PDT10"]}, ("tests/*:PDT030", "tests/*:PDT10")),
        (PATH_CODES, r"C:\tests\*:PDT030", (r"C:\tests\*:PDT030",)),
        (FILES, ["sarif:a.sarif", r"junit:C:\a b\out.xml"], ("sarif:a.sarif", r"junit:C:\a b\out.xml")),
    ],
)
def test_what_is_read(kind: Any, value: object, found: object) -> None:
    result = read(kind, value)
    assert (result, type(result)) == (found, type(found))
    again = list(result) if isinstance(result, tuple) else result
    assert read(kind, again) == result, "as --show-settings writes it"


def test_relative_paths_begin_where_they_were_written() -> None:
    for value in ("", "-", "/data/a.py"):
        assert locate(value, "../x") == value
        assert read(PATH, value, "../x") == value
    assert read(PATH, "sub/inputs.py:small", "../x") == os.path.join("..", "x", "sub", "inputs.py:small")
    assert read(PATHS, ["a", "/b"], "../x") == (os.path.join("..", "x", "a"), "/b")
    assert read(TEXTS, ["a"], "../x") == ("a",)
    assert read(TEXT, "a", "../x") == "a"
    assert read(FILES, "sarif:out.sarif", "sub") == (f"sarif:{os.path.join('sub', 'out.sarif')}",)
    inside = f"{os.path.join('sub', 'tests', '*')}:PDT030"
    assert read(PATH_CODES, ["tests/*:PDT030", "test_*.py:PDT1"], "sub") == (inside, "test_*.py:PDT1")


def test_what_can_be_asked_for_can_be_written() -> None:
    assert set(FORMATS) == set(FILE_FORMATS)
