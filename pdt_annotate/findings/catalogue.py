"""The PDTnnn catalogue: the entries of catalogue.toml, and their selection by a prefix of their code.

It is read when the first finding is looked up.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdt_annotate.findings.messages.said import CompilerMessage

FILE = Path(__file__).with_name("catalogue.toml")
SEPARATORS = re.compile(r"[\s,]+")
PROSE = frozenset(("title", "meaning", "advice", "never_ignored"))


@dataclass(frozen=True)
class CatalogueEntry:
    """The entry of one code. The head of catalogue.toml explains the fields."""

    code: str
    title: str
    meaning: str
    example: str
    advice: str
    needs_other_code: bool = False
    of_signature: bool = False
    never_ignored: str = ""
    hints: tuple[tuple[CompilerMessage, str], ...] = ()  # messages with their own advice


def entry(code: str) -> CatalogueEntry:
    return entries()[code]


@functools.cache
def entries() -> Mapping[str, CatalogueEntry]:
    import tomllib  # noqa: PLC0415  (--help needs no entry)

    from pdt_annotate.findings.messages import said  # noqa: PLC0415  (its patterns are compiled on import)

    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))
    found = {}
    for code, table in tables.items():
        prose = {name: " ".join(table[name].split()) for name in PROSE & table.keys()}
        hints = []
        for hint in table.get("hints", ()):
            known = getattr(said, hint["message"]) if "message" in hint else said.CompilerMessage(hint["pattern"])
            hints.append((known, " ".join(hint["advice"].split())))
        found[code] = CatalogueEntry(code, **{**table, **prose, "hints": tuple(hints)})
    return found


def read_selectors(text: str) -> tuple[str, ...]:
    return tuple(word.upper() for word in SEPARATORS.split(text.strip()) if word)
