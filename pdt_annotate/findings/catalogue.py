"""The PDTnnn catalogue: the entries of catalogue.toml, and their selection by a prefix of their code.

It is read when the first finding is looked up.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Mapping
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


def did_you_mean(word: str) -> str:
    """A hint with the nearest code, "" if none is near."""
    return "".join(f"did you mean {near}?" for near in difflib.get_close_matches(word, entries(), 1))


def what_is_wrong(selectors: Iterable[str]) -> tuple[str, str]:
    """The error and hint for the first word that selects no ignorable finding; ("", "") if all select some."""
    for word in selectors:
        known = entries().get(word)
        if known is not None and known.never_ignored:
            return f"{word} cannot be ignored", known.never_ignored
        if not any(code.startswith(word) for code in entries()):
            return f"no code begins with {word}", did_you_mean(word) or "`pdt-annotate explain` lists all"
    return "", ""
