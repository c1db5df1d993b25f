"""Settings with parts: what is refused, with what was meant, and how the parts are read."""

from __future__ import annotations

import os

import pytest

from pdt_annotate.emit.machine.formats import FORMATS
from pdt_annotate.settings.kinds import ValueKind, WrongValue
from pdt_annotate.settings.structured import CODES, FILE_FORMATS, OutputFiles, PathCodes

FILES, PATHS = OutputFiles(), PathCodes()


@pytest.mark.parametrize(
    ("kind", "value", "hint"),
    [
        (CODES, "PDT37", "did you mean PDT037?"),
        (CODES, "E501", "explain"),
        (CODES, "PDT090", "# pdt: skip"),
        (CODES, 37, ""),
        (PATHS, {"tests/*": 30}, ""),
        (PATHS, {"tests/*": ["PDT30"]}, "did you mean PDT030?"),
        (PATHS, "tests/*", ""),
        (FILES, "out.sarif", "did you mean sarif:out.sarif?"),
        (FILES, "sariff:out.sarif", "did you mean sarif:out.sarif?"),
        (FILES, r"C:\out.sarif", r"did you mean sarif:C:\out.sarif?"),
        (FILES, "xml:out.xml", ""),
        (FILES, "sarif:", "sarif:result.sarif"),
        (FILES, "sarif:-", "--output-format"),
    ],
)
def test_what_is_refused(kind: ValueKind, value: object, hint: str) -> None:
    with pytest.raises(WrongValue, match=r"^takes ") as caught:
        kind.of_toml(value)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (CODES, "pdt037, PDT10", ("PDT037", "PDT10")),
        (CODES, ["PDT037", "PDT"], ("PDT037", "PDT")),
        (PATHS, {"tests/*": ["PDT030", "PDT10"]}, ("tests/*:PDT030", "tests/*:PDT10")),
        (PATHS, r"C:\tests\*:PDT030", (r"C:\tests\*:PDT030",)),
        (FILES, ["sarif:a.sarif", r"junit:C:\a b\out.xml"], ("sarif:a.sarif", r"junit:C:\a b\out.xml")),
    ],
)
def test_what_is_read(kind: ValueKind, value: object, read: tuple[str, ...]) -> None:
    assert kind.of_toml(value) == read
    assert kind.of_toml(list(read)) == read, "as --show-settings writes it"


def test_the_environment_may_name_several_and_needs_no_backslash_doubled() -> None:
    assert CODES.of_text("PDT037 PDT10") == ("PDT037", "PDT10")
    assert FILES.of_text(r"sarif:C:\out.sarif 'json:a b.json'") == (r"sarif:C:\out.sarif", "json:a b.json")


def test_paths_begin_where_they_are_written() -> None:
    assert FILES.below(("sarif:out.sarif",), "sub") == (f"sarif:{os.path.join('sub', 'out.sarif')}",)
    assert PATHS.below(("tests/*:PDT030", "test_*.py:PDT1"), "sub") == (
        f"{os.path.join('sub', 'tests', '*')}:PDT030",
        "test_*.py:PDT1",
    )


def test_what_can_be_asked_for_can_be_written() -> None:
    assert set(FORMATS) == set(FILE_FORMATS)
