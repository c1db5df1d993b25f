"""docs/mends.md, made from the table of mends and from the docstrings of its rewrites.

    python tools/mends_page.py [--check] [FILE]

writes it, or exits 1 if it is stale.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import made_page
from made_page import escape

from pdt_annotate.mends import MEND_RULES
from pdt_annotate.mends.kit.context import MendRule

FILE = Path(__file__).resolve().parent.parent / "docs" / "mends.md"

HEAD = """\
# Mends

<!-- Made by `make docs` from pdt_annotate/mends/. -->

A mend changes code, but not its results in Python. `--mend` makes mends if annotations alone are not enough. Each mend
answers a message of the compiler. A mend is not written if the result also scripts without it.

| kind | what it promises | made by |
|---|---|---|
| exact | Python behaves as before, by construction | `--mend` |
| frozen | the same for the observed configuration and kinds of calls; others may raise an error | `--mend frozen` |
| scripted | Python does not change; the left-out code raises in the scripted model (PDT093) | `--mend all` |

Before anything is written, the mends are verified: without them the files must be the original ones, public names
must be the same, and calls in the project must still fit. In new processes every example call must return the same as
before with the same effects on attributes, buffers and arguments; a command of `--also-run` must succeed as before. A
rule changes nothing if the code does not meet its conditions.

The rules are tried in this order:

| mend | kind | what it does |
|---|---|---|
"""

FORM = re.compile(
    r"(?P<what>.+?)\n\n(?:(?P<more>.+?)\n\n)?"
    r"Message: (?P<message>.+?)\nKind: (?P<kind>.+?)\nNeeds: (?P<needs>.+?)\n"
    r"Before:\n(?P<before>.+?)\nAfter:\n(?P<after>.+)",
    re.DOTALL,
)
"""The docstring of a rewrite."""


@dataclass(frozen=True)
class Section:
    """What the docstring of a rewrite says."""

    name: str
    what: str
    more: str
    message: str
    kind: str
    needs: str
    before: str
    after: str


def read(rule: MendRule) -> Section:
    """What the docstring of a rule's module says.

    Raises:
        ValueError: it has another form.
    """
    document = sys.modules[rule.look.__module__].__doc__ or ""
    found = FORM.fullmatch(document.strip())
    if found is None:
        raise ValueError(f"the docstring of {rule.name} has not the form of the others")
    code = {name: dedent(text).rstrip() for name, text in found.groupdict().items() if name in ("before", "after")}
    prose = {name: " ".join((text or "").split()) for name, text in found.groupdict().items() if name not in code}
    return Section(rule.name, **prose, **code)


def make() -> str:
    """The whole page."""
    sections = [read(rule) for rule in MEND_RULES]
    return HEAD + "".join(map(_row, sections, MEND_RULES)) + "".join(map(_section, sections))


def _row(section: Section, rule: MendRule) -> str:
    return f"| [{section.name}](#{section.name}) | {rule.kind.value} | {escape(section.what)} |\n"


def _section(section: Section) -> str:
    parts = (
        f"## {section.name}",
        escape(section.what),
        *(escape(more) for more in [section.more] if more),
        f"**Messages of the compiler:** {escape(section.message)}",
        f"**Kind:** {escape(section.kind)}",
        f"**Conditions:** {escape(section.needs)}",
        f"```python\n{section.before}\n```",
        "becomes",
        f"```python\n{section.after}\n```",
    )
    return "".join(f"\n{part}\n" for part in parts)


if __name__ == "__main__":
    sys.exit(made_page.main(__doc__, FILE, make))
