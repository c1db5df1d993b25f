"""docs/mends.md, made from the table of mends and the docstrings of the rules.

    python tools/mends_page.py [--check] [FILE]

writes the page. With --check it writes nothing, and exits with 1 if the page is stale.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import made_page
from made_page import escape

from pdt_annotate.mends.kit.context import MendRule
from pdt_annotate.mends.rules import MEND_RULES

FILE = Path(__file__).resolve().parent.parent / "docs" / "mends.md"

HEAD = """\
# Mends

<!-- Made by `make docs` from pdt_annotate/mends/. -->

A mend changes code, but not its results in Python. With `--mend`, the tool makes mends if annotations alone do not make
the code script. Each mend responds to a message of the compiler. A mend is dropped if the code also scripts without it.

| kind | what it promises | made by |
|---|---|---|
| exact | By construction, Python behaves as before. | `--mend` |
| frozen | Python behaves as before in observed configurations and calls. Others may raise an error. | `--mend frozen` |
| scripted | Python does not change. In the scripted model, omitted code raises an error (PDT093). | `--mend all` |

Mends are verified before anything is written:

- Undoing the mends restores the original files.
- The public names are the same as before.
- Every call in the project that fitted its function before still fits.
- In new processes, every example call returns the same as before, and has the same effects on attributes, buffers and
  arguments.
- Every command of `--also-run` still succeeds.

A rule changes nothing if the code does not meet its conditions. On this page, an *example* is an example call, and the
*project* consists of the files below `--root`. The *configuration* consists of the values that constructors store and
that calls do not change.

The rules are tried in this order:

| mend | kind | what it does |
|---|---|---|
"""

FORM = re.compile(
    r"(?P<what>.+?)\n\n(?:(?P<more>.+?)\n\n)?"
    r"Message:\s(?P<message>.+?)\nKind:\s(?P<kind>.+?)\nNeeds:\s(?P<needs>.+?)\n"
    r"Before:\n(?P<before>.+?)\nAfter:\n(?P<after>.+)",
    re.DOTALL,
)
"""The form of the docstring of a rule."""


@dataclass(frozen=True)
class Section:
    """The parts of the docstring of a rule."""

    name: str
    what: str
    more: str
    message: str
    kind: str
    needs: str
    before: str
    after: str


def read(rule: MendRule) -> Section:
    """Read the docstring of a rule's module.

    Raises:
        ValueError: the docstring does not have the form `FORM`.
    """
    document = sys.modules[rule.look.__module__].__doc__ or ""
    found = FORM.fullmatch(document.strip())
    if found is None:
        raise ValueError(f"the docstring of {rule.name} does not have the form of the others")
    code = {name: dedent(text).rstrip() for name, text in found.groupdict().items() if name in ("before", "after")}
    prose = {name: _filled(text or "") for name, text in found.groupdict().items() if name not in code}
    return Section(rule.name, **prose, **code)


def _filled(text: str) -> str:
    """Prose with each paragraph, and each item of a list, on one line."""
    first, *items = re.split(r"^\s*- ", text, flags=re.MULTILINE)
    listed = "\n".join(f"- {' '.join(each.split())}" for each in items)
    return "\n\n".join(filter(None, (" ".join(first.split()), listed)))


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
        _labelled("Messages of the compiler", section.message),
        _labelled("Kind", section.kind),
        _labelled("Conditions", section.needs),
        f"```python\n{section.before}\n```",
        "becomes",
        f"```python\n{section.after}\n```",
    )
    return "".join(f"\n{part}\n" for part in parts)


def _labelled(label: str, text: str) -> str:
    """A paragraph after its label; a list is below the label."""
    return f"**{label}:**" + ("\n\n" if text.startswith("- ") else " ") + escape(text)


if __name__ == "__main__":
    sys.exit(made_page.main(__doc__, FILE, make))
