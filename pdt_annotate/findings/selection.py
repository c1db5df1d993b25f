"""Selects findings by a word such as `PDT037` or `PDT10`, a prefix of their code."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from pdt_annotate.findings.catalogue import entries

SEPARATORS = re.compile(r"[\s,]+")


def read_selectors(text: str) -> tuple[str, ...]:
    return tuple(word.upper() for word in SEPARATORS.split(text.strip()) if word)


def selects(selector: str, code: str) -> bool:
    return code.startswith(selector)


def is_selector(word: str) -> bool:
    return any(selects(word, code) for code in entries())


def nearest(word: str) -> str:
    """The code that was perhaps meant, "" if none is near."""
    return next(iter(difflib.get_close_matches(word, entries(), 1)), "")


def what_is_wrong(selectors: Iterable[str]) -> tuple[str, str]:
    """The error and hint for the first word that selects no ignorable finding; ("", "") if all select some."""
    for word in selectors:
        known = entries().get(word)
        if known is not None and known.never_ignored:
            return f"{word} cannot be ignored", known.never_ignored
        if not is_selector(word):
            near = nearest(word)
            return (
                f"no code begins with {word}",
                f"did you mean {near}?" if near else "`pdt-annotate explain` lists all",
            )
    return "", ""
