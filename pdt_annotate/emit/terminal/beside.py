"""Two captured programs side by side, as a person reads them: counts, source lines that became something else, code."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from rich.text import Text

from pdt_annotate.emit.capture_rows import as_version, by_count, totals
from pdt_annotate.emit.terminal.columns import in_columns
from pdt_annotate.emit.words import TIMES, shown
from pdt_annotate.values.captures import Captures, LineBeside, SideBySide

LEAST = 50
"""Columns that code needs for two programs to stand beside each other."""

RULE = " | "


def beside_lines(captures: Captures, width: int) -> Iterator[Text]:
    """What `--compare` shows of one version; nothing where two programs are not to be had of it."""
    beside = captures.beside
    if beside is None:
        return
    yield Text(f"{beside.left.way} beside {beside.right.way}, {as_version(captures.version)}:", style="bold")
    rows = totals(beside)
    columns = (["", *rows], [beside.left.way, *(str(left) for left, _ in rows.values())])
    third = [beside.right.way, *(str(right) for _, right in rows.values())]
    for line in in_columns([list(map(Text, column)) for column in (*columns, third)], width):
        yield Text("  ").append_text(line)
    for name, counted in (
        (beside.left.way, [(each, each.left) for each in beside.lines]),
        (beside.right.way, [(each, each.right) for each in beside.lines]),
    ):
        yield from _more(name, [(line, operators) for line, operators in counted if operators])
    yield from _code_lines(beside, width)


def _more(name: str, lines: list[tuple[LineBeside, Mapping[str, int]]]) -> Iterator[Text]:
    if lines:
        yield Text(f"more in {name}:", style="bold")
    for line, operators in lines:
        counts = (f"{kind}{TIMES}{number}" if number > 1 else kind for kind, number in by_count(operators).items())
        yield Text.assemble("  ", (shown(line.place) or "no line", "dim"), f"  {', '.join(counts)}")


def _code_lines(beside: SideBySide, width: int) -> Iterator[Text]:
    left, right = (
        program.code.splitlines() or ["torch writes no code of it"] for program in (beside.left, beside.right)
    )
    if width < 2 * LEAST + len(RULE):
        for name, lines in ((beside.left.way, left), (beside.right.way, right)):
            yield Text(f"code of {name}:", style="bold")
            yield from (Text(f"  {line}".rstrip()) for line in lines)
        return
    column = (width - len(RULE)) // 2
    yield Text(f"{f'code of {beside.left.way}':<{column}}{RULE}code of {beside.right.way}", style="bold")
    for one, other in zip_longest(_wrapped(left, column), _wrapped(right, column), fillvalue=""):
        yield Text(f"{one:<{column}}{RULE}{other}".rstrip())


def _wrapped(lines: list[str], width: int) -> Iterator[str]:
    """Lines no longer than that, the rest of a long one further in."""
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        yield from textwrap.wrap(line, width, subsequent_indent=indent[: width // 2], drop_whitespace=False) or [""]
