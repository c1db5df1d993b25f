"""Twenty outcomes in every output format, byte for byte as in `twenty/`; of the HTML page, its text.

    PDT_WRITE_GOLDEN=1 python -m pytest tests/unit/emit/test_twenty_outcomes.py

writes the files again. Read the diff before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from html_tree import Element, read
from twenty_outcomes import TWENTY

from pdt_annotate.emit.machine.formats import FORMATS

GOLDEN = Path(__file__).parent / "twenty"
INLINE = frozenset(("a", "b", "code", "span", "ins", "del", "button", "output", "wbr"))
VERSION = re.compile(r"\b((?:torch|libcst|MonkeyType|Python|python) ?)\d+\.\d+\.\d+[+\w]*")
SUFFIXES = {name: name for name in FORMATS} | {"junit": "xml", "text": "txt", "html": "html.txt"}


def as_text(page: str) -> str:
    """The visible text of a page, a line for each block."""

    def text(element: Element) -> str:
        if element.name in ("script", "style"):
            return ""
        inner = "".join(child if isinstance(child, str) else text(child) for child in element.children)
        return f" {inner} " if element.name in INLINE else f"\n{inner}\n"

    lines = (" ".join(line.split()) for line in text(read(page)).splitlines())
    return "".join(f"{line}\n" for line in lines if line)


def render(name: str, format_: str, root: Path) -> str:
    outcome, invocation = TWENTY[name](root)
    text = FORMATS[format_](outcome, invocation).decode()
    text = as_text(text) if format_ == "html" else text
    text = text.replace(str(root), "ROOT").replace(root.as_uri(), "ROOT")
    return VERSION.sub(r"\1VERSION", text)


def test_there_are_twenty() -> None:
    assert len(TWENTY) == 20


@pytest.mark.parametrize("format_", SUFFIXES)
@pytest.mark.parametrize("name", TWENTY)
def test_as_before(name: str, format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(variable, raising=False)
    golden, text = GOLDEN / f"{name}.{SUFFIXES[format_]}", render(name, format_, tmp_path)
    if os.environ.get("PDT_WRITE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()
