"""The command lines in README.md and docs/, and the project in which each of them can be run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from repository import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

FENCE = re.compile(r"^```(sh|bash|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OTHER_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
OURS = re.compile(r"^ {4}((?:PDT_ANNOTATE\w*=\S+ )?(?:pdt-annotate|python|eval|git|pre-commit)\b.*)$", re.MULTILINE)
COMMENT = re.compile(r"\s{2,}#.*$")


def commands() -> list[tuple[str, str]]:
    """Every command with the name of the first page that shows it."""
    found: dict[str, str] = {}
    for page in PAGES:
        for command in _of_page(page.read_text()):
            found.setdefault(command, page.name)
    return [(page, command) for command, page in found.items()]


def _of_page(text: str) -> Iterator[str]:
    for match in FENCE.finditer(text):
        lines = match[2].replace("\\\n", "").splitlines()
        yield from (COMMENT.sub("", line) for line in lines if line.strip() and not line.startswith("#"))
    for match in OURS.finditer(OTHER_FENCE.sub("", text)):
        yield COMMENT.sub("", match[1])
