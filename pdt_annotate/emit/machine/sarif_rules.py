"""The catalogue of findings as SARIF's rules (reportingDescriptor, 3.49)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pdt_annotate.emit.machine.notices import NOTHING_TO_MEND
from pdt_annotate.findings.catalogue import CATALOGUE, CatalogueEntry

RULE_INDEX: Mapping[str, int] = {code: index for index, code in enumerate(CATALOGUE)}
"""Where each code stands among the rules."""

ARTICLES = frozenset({"a", "an", "the"})


def rules() -> list[dict[str, Any]]:
    """All of the catalogue, in its order."""
    return [_rule(entry) for entry in CATALOGUE.values()]


def _rule(entry: CatalogueEntry) -> dict[str, Any]:
    return {
        "id": entry.code,
        "name": pascal_case(entry.title),
        "shortDescription": {"text": f"{entry.title[0].upper()}{entry.title[1:]}."},
        "fullDescription": {"text": entry.meaning},
        "help": {"text": entry.advice, "markdown": f"```python\n{entry.example.strip()}\n```\n\n{entry.advice}"},
        "defaultConfiguration": {"level": "note" if entry.code in NOTHING_TO_MEND else "warning"},
    }


def pascal_case(title: str) -> str:
    """A title as an identifier, articles left out.

    >>> pascal_case("keyword-only parameter with a default")
    'KeywordOnlyParameterWithDefault'
    """
    words = (word for word in re.findall(r"[A-Za-z0-9]+", title) if word not in ARTICLES)
    return "".join(word[0].upper() + word[1:] for word in words)
