"""The parts of README.md that repeat the program: the rules, the options and the worked example.

    python tests/readme.py

writes them anew. A part stands between `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from pdt_annotate import cli
from pdt_annotate.legalize import RULES

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
EXAMPLE = ROOT / "fixtures" / "streaming_conv"


def example_source() -> str:
    """The model of the worked example, as it is without annotations."""
    return _fenced("python", (EXAMPLE / "model.py").read_text())


def example_spec() -> str:
    return _fenced("python", (EXAMPLE / "spec.py").read_text())


def example_diff() -> str:
    """The golden diff, which test_fixtures.py compares with what the tool makes."""
    return _fenced("diff", (EXAMPLE / "expected.diff").read_text())


def rules() -> str:
    """The table of rules in their order, from the first line of each rule's file."""
    return _table(("rule", "observed → annotation"), ((f"`{rule.name}`", _summary(rule.apply)) for rule in RULES))


def options() -> str:
    """The options of the `annotate` command, as `--help` has them."""
    context = click.Context(cli.annotate)
    given = (param for param in cli.annotate.params if isinstance(param, click.Option))
    records = (option.get_help_record(context) for option in given)
    return _table(("option", "effect"), ((f"`{flag}`", text) for flag, text in filter(None, records)))


PARTS: dict[str, Callable[[], str]] = {
    "source": example_source,
    "spec": example_spec,
    "diff": example_diff,
    "rules": rules,
    "options": options,
}


def fill(text: str) -> str:
    """The text with every part made anew.

    Raises:
        ValueError: a part has no place in the text.
    """
    for name, make in PARTS.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        if begin not in text or end not in text:
            raise ValueError(f"README.md has no place for {name!r}")
        text = text.partition(begin)[0] + begin + make() + end + text.partition(end)[2]
    return text


def part(name: str) -> str:
    """What README.md has between the marks of a part."""
    found = re.search(f"<!-- begin {name} -->\n(.*?)<!-- end {name} -->", README.read_text(), re.DOTALL)
    return found[1] if found else ""


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}```\n"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = (head, ("---",) * len(head), *(tuple(cell.replace("|", r"\|") for cell in row) for row in rows))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _summary(rule: Callable[..., object]) -> str:
    document = sys.modules[rule.__module__].__doc__ or ""
    return document.splitlines()[0].replace(" -> ", " → ") if document else ""


if __name__ == "__main__":
    README.write_text(fill(README.read_text()))
