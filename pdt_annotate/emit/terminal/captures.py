"""What came of each way of capturing, as a person reads it: the table, then why not, what differs and what to know."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from rich.text import Text

from pdt_annotate.emit import capture_rows
from pdt_annotate.emit.capture_rows import Reason, Versions, by_target, marked, measured, reasons
from pdt_annotate.emit.messages import message_of
from pdt_annotate.emit.terminal.console import in_columns
from pdt_annotate.emit.terminal.messages import message_lines
from pdt_annotate.emit.words import TIMES, shown
from pdt_annotate.values.captures import Capture, Captures, Fate

STYLES = {Fate.SAME: "green", Fate.DIFFERS: "red", Fate.REFUSED: "yellow", Fate.ABSENT: "dim"}

MEASURED: Sequence[tuple[str, Callable[[Capture], str]]] = (
    ("calls", lambda each: capture_rows.answered(capture_rows.shown_calls(each))),
    ("held\nback", lambda each: capture_rows.answered(capture_rows.held_back(each))),
    ("graphs", capture_rows.graphs),
)
COSTS: Sequence[tuple[str, Callable[[Capture], str]]] = (
    ("to\ncapture", lambda each: capture_rows.times(each.relative)),
    ("per\ncall", lambda each: capture_rows.times(each.per_call)),
    ("opera-\ntors", capture_rows.operators),
)
"""The columns of figures, by their heads."""

LEAST = 30
"""Columns of text, however narrow the terminal."""

TOLD = 200
"""Characters of a reason that are shown, where not all is."""


def captures_lines(found: Iterable[Captures], width: int, *, in_full: bool = False) -> Iterator[Text]:
    """All that is shown of captures.

    Args:
        width: columns that tables may take.
        in_full: a table for each version, all that was said, and which operators there are.
    """
    for number, versions in enumerate(by_target(found)):
        if number:
            yield Text()
        yield from _target_lines(versions, width, in_full=in_full)


def _target_lines(versions: Versions, width: int, *, in_full: bool) -> Iterator[Text]:
    yield Text(versions.name, style="bold")
    tables = [replace(versions, found=(each,)) for each in versions.found] if in_full else [versions]
    for each in tables:
        yield from in_columns([column for column in _columns(each) if any(column[1:])], width)
        yield Text()
    yield from _legend(versions, in_full=in_full)
    for why, alike in reasons(versions).items():
        yield Text(f"{why.value}:", style="bold")
        for reason in alike:
            yield from _reason_lines(reason, width, in_full=in_full)
    yield from message_lines(list(map(message_of, versions.findings())), in_full=in_full)
    yield from (Text(line, style="bold") for line in _wrapped(capture_rows.conclusion(versions), width))
    if in_full:
        yield from _operator_lines(versions, width)


def _columns(versions: Versions) -> Iterator[list[Text]]:
    """The columns of a table, those first that say what works."""
    rows = list(versions.rows())
    figures = [measured(captures) for _, captures in rows]
    yield [_head("way"), *(Text(way.name, style="bold") for way, _ in rows)]
    for index, name in enumerate(versions.names):
        yield [_head(name), *(_mark(captures[index]) for _, captures in rows)]
    yield from (_column(head, map(read, figures)) for head, read in MEASURED)
    yield _column("sound", ("yes" if way.sound else "no" for way, _ in rows))
    yield _column("class", (way.kind.value for way, _ in rows))
    yield from (_column(head, map(read, figures)) for head, read in COSTS)


def _column(head: str, cells: Iterable[str]) -> list[Text]:
    return [_head(head), *map(Text, cells)]


def _head(text: str) -> Text:
    return Text(text, style="dim")


def _mark(capture: Capture) -> Text:
    return Text(marked(capture), style=STYLES[capture.fate])


def _legend(versions: Versions, *, in_full: bool) -> Iterator[Text]:
    """What the table does not say of itself."""
    captures = [each for found in versions.found for each in found.captures]
    if len(versions.found) > 1 and not in_full:
        yield Text(f"figures: {capture_rows.as_version(versions.names[-1])}", style="dim")
    if any(each.relative is not None or each.per_call is not None for each in captures):
        yield Text("1x: the time of a call in eager mode", style="dim")
    if any(each.findings for each in captures):
        yield Text("!: see what was found below", style="dim")
    yield from (Text(note, style="dim") for note in versions.notes)


def _reason_lines(reason: Reason, width: int, *, in_full: bool) -> Iterator[Text]:
    """Who and where, and why in the next line or two; in full with all that was said."""
    where = shown(reason.place)
    yield Text.assemble(f"  {reason.who}", (f"  {where}" if where else "", "dim"))
    lines = reason.full.strip().splitlines() if in_full else []
    here = os.path.join(os.getcwd(), "")
    for line in lines or _wrapped(textwrap.shorten(reason.text.replace(here, ""), TOLD, placeholder="…"), width - 4):
        yield Text(f"    {line.replace(here, '')}".rstrip())


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, LEAST), break_long_words=False, break_on_hyphens=False)


def _operator_lines(versions: Versions, width: int) -> Iterator[Text]:
    """How often each operator stands in the graphs of the last version, the commonest first."""
    yield Text("operators:", style="bold")
    for way, captures in versions.rows():
        counts = capture_rows.by_count(measured(captures).operators).items()
        if counts:
            yield Text(f"  {way.name}")
            listed = ", ".join(f"{name}{TIMES}{count}" for name, count in counts)
            yield from (Text(f"    {line}") for line in _wrapped(listed, width - 4))
