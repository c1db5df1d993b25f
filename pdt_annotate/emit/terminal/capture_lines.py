"""The results of each way of capturing, for people: the table, then reasons for failures, differences and findings."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator

from rich.text import Text

from pdt_annotate.emit import capture_rows
from pdt_annotate.emit.capture_rows import Versions, by_target, marked, measured, reasons
from pdt_annotate.emit.messages import message_of
from pdt_annotate.emit.terminal.console import in_columns
from pdt_annotate.emit.terminal.message_lines import message_lines
from pdt_annotate.emit.words import TIMES, shown
from pdt_annotate.values.capture_results import Captures, Fate

STYLES = {Fate.SAME: "green", Fate.DIFFERS: "red", Fate.REFUSED: "yellow", Fate.ABSENT: "dim"}
LEAST = 30  # the fewest columns of text, even on a narrower terminal
LONGEST = 200  # the most characters of a reason, unless all is shown


def captures_lines(found: Iterable[Captures], width: int, *, in_full: bool = False) -> Iterator[Text]:
    """The lines on captures; `in_full` adds a table for each version, the full messages, and the operators."""
    for number, versions in enumerate(by_target(found)):
        if number:
            yield Text()
        yield from _target_lines(versions, width, in_full=in_full)


def _target_lines(versions: Versions, width: int, *, in_full: bool) -> Iterator[Text]:
    yield Text(versions.found[0].target.text, style="bold")
    for each in (in_full and versions.alone()) or [versions]:
        yield from in_columns([column for column in _columns(each) if any(column[1:])], width)
        yield Text()
    captures = [each for found in versions.found for each in found.captures]
    if len(versions.found) > 1 and not in_full:
        yield Text(f"figures: {capture_rows.as_version(versions.names[-1])}", style="dim")
    if any(each.relative is not None or each.per_call is not None for each in captures):
        yield Text("1x: the time of a call in eager mode", style="dim")
    if any(each.findings for each in captures):
        yield Text("!: see what was found below", style="dim")
    notes = dict.fromkeys(each.note for each in versions.found if each.note)
    yield from (Text(note, style="dim") for note in notes)
    here = os.path.join(os.getcwd(), "")
    for why, alike in reasons(versions).items():
        yield Text(f"{why.value}:", style="bold")
        for reason in alike:
            where = shown(reason.place)
            yield Text.assemble(f"  {reason.who}", (f"  {where}" if where else "", "dim"))
            text = textwrap.shorten(reason.text.replace(here, ""), LONGEST, placeholder="…")
            lines = reason.full.strip().splitlines() if in_full else []
            for line in lines or _wrapped(text, width - 4):
                yield Text(f"    {line.replace(here, '')}".rstrip())
    yield from message_lines(list(map(message_of, versions.findings())), in_full=in_full)
    yield from (Text(line, style="bold") for line in _wrapped(capture_rows.conclusion(versions), width))
    if in_full:
        yield Text("operators:", style="bold")
        for way, of_way in versions.rows():
            counts = capture_rows.by_count(measured(of_way).operators).items()
            if counts:
                yield Text(f"  {way.name}")
                listed = ", ".join(f"{name}{TIMES}{count}" for name, count in counts)
                yield from (Text(f"    {line}") for line in _wrapped(listed, width - 4))


def _columns(versions: Versions) -> Iterator[list[Text]]:
    rows = list(versions.rows())
    yield [Text("way", style="dim"), *(Text(way.name, style="bold") for way, _ in rows)]
    for index, name in enumerate(versions.names):
        captures = [each[index] for _, each in rows]
        yield [Text(name, style="dim"), *(Text(marked(each), style=STYLES[each.fate]) for each in captures)]
    for head, figure in capture_rows.FIGURES.items():
        narrow = "opera-\ntors" if head == "operators" else head.replace(" ", "\n")
        yield [Text(narrow, style="dim"), *(Text(figure(way, measured(captures))) for way, captures in rows)]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, LEAST), break_long_words=False, break_on_hyphens=False)
