"""Messages, annotations and mends as lines, each at its place: `path:line:column: PDTnnn message`, as linters do.

Terminals and editors make links of them, and a problem matcher parses them with
`^(.+?):(\\d+):(\\d+): (PDT\\d{3}) (.*)$`, so this form must not change.
"""

import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from rich.cells import cell_len, chop_cells
from rich.text import Text

from pdt_annotate.emit import capture_rows, words
from pdt_annotate.emit.capture_rows import Versions, by_target, marked, measured, reasons
from pdt_annotate.emit.messages import CHANGE_ANSWERS, LACKING, NOTHING_TO_MEND, TRAPS, Message, message_of
from pdt_annotate.emit.terminal.console import in_columns, laid_out, table_of, width_of
from pdt_annotate.emit.words import TIMES, at_place, shown
from pdt_annotate.findings import catalogue
from pdt_annotate.values.capture_results import Captures, Fate, SavedModel
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Annotation, Place, Slot

MOST = 5  # findings of a code that are shown, unless all are asked for
MOST_LACKING = 20  # the same for codes that fail a check: the check's last line has advice
MOST_TO_BLAME = 3
MOST_ANNOTATIONS = 10
MOST_MENDS = 5  # mends for one compiler message
STYLES = ("", "", "", "green", "dim")
CUT = "…"
BEFORE = 20  # columns of a line that are kept before the caret if its beginning is cut


def message_lines(found: Sequence[Message], *, in_full: bool = False) -> Iterator[Text]:
    """Missing annotations and findings, by severity and code, with advice for each code."""

    def rank(each: Message) -> tuple[bool, bool, bool, str, Place]:
        # What fails a check comes first, then what may change an answer; what asks for nothing comes last.
        is_harmless = each.code not in CHANGE_ANSWERS and each.code < TRAPS
        return each.code not in LACKING, each.code in NOTHING_TO_MEND, is_harmless, each.code, each.place

    for code, group in groupby(sorted(found, key=rank), key=lambda each: each.code):
        alike = list(dict.fromkeys((each.place, each.headline or each.said) for each in group))
        most = len(alike) if in_full else MOST_LACKING if code in LACKING else MOST
        for place, said in alike[:most]:
            yield from _located(place, code, said)
        yield from more_lines(len(alike) - most, f"of {code}")
        if code not in LACKING:
            yield advised(words.first_line(catalogue.entry(code).advice))


def _located(place: Place, code: str, said: str) -> Iterator[Text]:
    """A message after its place, if that is known. The message's other lines follow, indented."""
    first, *more = said.strip().splitlines() or [""]
    where = at_place(Place(place.file, place.line or 1, place.column or 1), "")
    yield Text.assemble((where, "bold"), (code, "yellow"), f" {first}")
    yield from (Text(f"    {line}") for line in more)


def blame_lines(
    to_blame: Sequence[tuple[Message, str, str]], width: int, *, in_full: bool = False, hints: bool = True
) -> Iterator[Text]:
    """The faults, each with its place, line of code and subject, and with advice if `hints` is set."""
    most = len(to_blame) if in_full else MOST_TO_BLAME
    given: set[str] = set()
    for message, line, about in to_blame[:most]:
        title = catalogue.entry(message.code).title
        yield from _located(message.place, message.code, f"{title}: {message.headline}")
        yield from excerpt(line, message.place, width)
        if about:
            yield Text(f"  {about}", style="dim")
        yield from (Text(f"  called from {shown(place)}") for place in message.chain if in_full)
        yield from (advised(text) for text in message.advice if hints and text not in given)
        given.update(message.advice)
    left = len(to_blame) - most
    yield from more_lines(left, "place at fault" if left == 1 else "places at fault")


def advised(advice: str) -> Text:
    return Text(f"  → {advice}", style="dim")


def more_lines(left: int, what: str) -> Iterator[Text]:
    if left > 0:
        yield Text(f"  … and {left} more {what}: -v shows all", style="dim")


def excerpt(line: str, place: Place, width: int) -> Iterator[Text]:
    """The line and its caret, at most `width` columns, without indentation; nothing if the line is blank."""
    line = line.replace("\t", " ")
    if not line.strip():
        return
    number = f"{place.line:>6} | "
    text, at = line.strip(), cell_len(line[: place.column - 1].lstrip()) if place.column else 0
    width = max(width - len(number), 2 * BEFORE)
    # Cut the line to the width, and keep the column in it.
    if cell_len(text) > width and at > width - BEFORE:
        dropped = len(chop_cells(text, at - BEFORE)[0])
        text, at = f"{CUT}{text[dropped:]}", BEFORE + len(CUT)
    if cell_len(text) > width:
        text = f"{chop_cells(text, width - len(CUT))[0]}{CUT}"
    yield Text(f"{number}{text}", no_wrap=True)
    if place.column:
        yield Text.assemble(f"{' ' * (len(number) - 2)}| {' ' * at}", ("^", "red"), no_wrap=True)


def summary(
    annotations: Sequence[Annotation], places: Mapping[Slot, Place], width: int, *, in_full: bool = False
) -> Iterator[Text]:
    """Each annotation with its place, function and evidence: a table, or grouped by function if that is too wide."""
    most = len(annotations) if in_full else MOST_ANNOTATIONS
    some = annotations[:most]
    rows = [[Text(head, style="dim") for head in ("place", "function", "slot", "annotation", "evidence")]]
    for each in some:
        name, written = words.slot_name(each.slot), words.spelled(each)
        cells = (shown(places[each.slot]), each.slot.owner.qualname, name, written, words.evidence(each))
        rows.append([Text(cell, style=style) for cell, style in zip(cells, STYLES, strict=True)])
    if width_of(list(zip(*rows, strict=True))) <= width:
        yield from laid_out(table_of(rows))
    else:
        for owner, group in groupby(some, key=lambda each: each.slot.owner):
            alike = list(group)
            yield Text.assemble(f"{shown(places[alike[0].slot])} ", (owner.qualname, "bold"))
            for each in alike:
                name, written = words.declared(each).removesuffix(words.spelled(each)), words.spelled(each)
                yield Text.assemble(f"  {name}", (written, "green"), (f"  {words.evidence(each)}", "dim"))
    yield from more_lines(len(annotations) - most, "annotations")


def explain(annotation: Annotation, place: Place) -> Iterator[Text]:
    """The rules and the calls that led to one annotation, below its place."""
    slot = annotation.slot
    yield Text(f"{shown(place)} {slot.owner.qualname}", style="bold")
    yield Text(f"  {words.slot_name(slot)}: {words.spelled(annotation)}", style="green")
    details = {
        "origin": annotation.origin.value,
        "rules": ", ".join(annotation.rules),
        "other legal types": ", ".join(map(str, annotation.alternatives)),
        "because the compiler said": annotation.because.strip().replace("\n", "\n      "),
    }
    yield from (Text(f"    {name}: {value}") for name, value in details.items() if value)
    yield from (Text(f"    {each}") for each in words.sightings(annotation))


def mend_lines(mends: Sequence[Mend], *, in_full: bool = False) -> Iterator[Text]:
    """The changes of code below the message that asked for them, each with its place."""
    for message, group in words.by_message(mends).items():
        said = message if in_full else words.asked_by(group[0])
        most = len(group) if in_full else MOST_MENDS
        yield Text.assemble("changes of code", (f", since the compiler said: {said}" if said else "", "dim"))
        for mend in group[:most]:
            where, kind = f"  {shown(mend.place)} {mend.owner.qualname}: ", f"  ({mend.kind.value}, {mend.rewrite})"
            yield Text.assemble(where, (mend.summary, "green"), (kind, "dim"))
        yield from more_lines(len(group) - most, "changes")


def advised_lines(outcome: Outcome, *, in_full: bool = False) -> Iterator[Text]:
    """The advice of a failed run. Mends that do not suffice are only listed in full."""
    if advised := outcome.advised:
        promised = f"with `--mend {advised.level.value}` {words.promise(advised, outcome.places_left)}"
        is_listed = advised.verifies or in_full
        yield Text(f"{promised}:" if is_listed else promised, style="bold")
        yield from mend_lines(advised.mends, in_full=in_full) if is_listed else ()


FATE_STYLES = {Fate.SAME: "green", Fate.DIFFERS: "red", Fate.REFUSED: "yellow", Fate.ABSENT: "dim"}
LEAST = 30  # the fewest columns of text, even on a narrower terminal
LONGEST = 200  # the most characters of a reason, unless all is shown


def saved_lines(saved: SavedModel, done: str, *, in_full: bool = False) -> Iterator[Text]:
    """The rungs that were tried, each with the reason against it; what the file keeps; and its proof."""
    yield Text(saved.target.text, style="bold")
    for rung in saved.rungs:
        if not rung.lacks:
            yield Text.assemble("  ", ("✓ ", "green"), rung.title)
            continue
        yield Text.assemble("  ", ("✗ ", "red"), rung.title)
        first, *more = rung.lacks.strip().splitlines() or [""]
        lines = (at_place(rung.place, first), *(more if in_full else ()))
        yield from (Text(f"      {line}", style="dim") for line in lines)
    yield from mend_lines(saved.mends, in_full=in_full)
    for each in saved.baked:
        said = f"the file contains a value of the traced call as a constant: {each.message}"
        yield Text(at_place(each.place, said))
    yield from message_lines(list(map(message_of, saved.findings)), in_full=in_full)
    yield from (Text(f"note: {note}") for note in saved.notes)
    if not saved.file:
        yield Text(done, style="bold")
        return
    held_back = sum(call.held_back for call in saved.calls)
    held = f", {held_back} of them held back" if held_back else ""
    calls = f"{words.plural(len(saved.calls), 'call')}{held}"
    proof = f"loaded without your project, the file returns the model's results on {calls}"
    yield Text(f"{done}; {proof}", style="bold")


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
        yield Text(f"figures: for the model {capture_rows.as_version(versions.names[-1])}", style="dim")
    if any(each.relative is not None or each.per_call is not None for each in captures):
        yield Text("1x: the time of a call in eager mode", style="dim")
    if any(each.findings for each in captures):
        yield Text("!: see the findings below", style="dim")
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
        yield [Text(name, style="dim"), *(Text(marked(each), style=FATE_STYLES[each.fate]) for each in captures)]
    for head, figure in capture_rows.FIGURES.items():
        narrow = "opera-\ntors" if head == "operators" else head.replace(" ", "\n")
        yield [Text(narrow, style="dim"), *(Text(figure(way, measured(captures))) for way, captures in rows)]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, LEAST), break_long_words=False, break_on_hyphens=False)
