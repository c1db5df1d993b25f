"""Annotations and mends, each with its place and with what speaks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from rich.text import Text

from pdt_annotate.emit.terminal.columns import table_of, width_of
from pdt_annotate.emit.terminal.console import laid_out
from pdt_annotate.emit.terminal.messages import more_lines
from pdt_annotate.emit.words import (
    asked_by,
    by_message,
    declared,
    evidence,
    promise,
    shown,
    sightings,
    slot_name,
    spelled,
    standing,
)
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import MendAdvice
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Slot

MOST = 10
"""Annotations that are shown where not all are asked for."""

MOST_MENDS = 5
"""Mends that are shown of a message, where not all are asked for."""

HEADS = ("place", "function", "slot", "annotation", "evidence")
STYLES = ("", "", "", "green", "dim")

PlaceOf = Callable[[Slot], Place]


def summary(
    annotations: Sequence[Annotation], place_of: PlaceOf, width: int, *, in_full: bool = False
) -> Iterator[Text]:
    """Each annotation with its place, function and evidence: a table, or where that is too wide, by function."""
    most = len(annotations) if in_full else MOST
    some = annotations[:most]
    rows = [[Text(head, style="dim") for head in HEADS]]
    for each in some:
        cells = (
            shown(place_of(each.slot)),
            each.slot.owner.qualname,
            slot_name(each.slot),
            spelled(each),
            evidence(each),
        )
        rows.append([Text(cell, style=style) for cell, style in zip(cells, STYLES, strict=True)])
    fits = width_of(list(zip(*rows, strict=True))) <= width
    yield from laid_out(table_of(rows)) if fits else _by_function(some, place_of)
    yield from more_lines(len(annotations) - most, "annotations")


def _by_function(annotations: Sequence[Annotation], place_of: PlaceOf) -> Iterator[Text]:
    for owner, group in groupby(annotations, key=lambda each: each.slot.owner):
        first, *rest = group
        yield Text.assemble(f"{shown(place_of(first.slot))} ", (owner.qualname, "bold"))
        for each in (first, *rest):
            name, written = declared(each).removesuffix(spelled(each)), spelled(each)
            yield Text.assemble(f"  {name}", (written, "green"), (f"  {evidence(each)}", "dim"))


def explain(annotation: Annotation, place: Place) -> Iterator[Text]:
    """The rules and the calls behind one annotation, below its place."""
    slot = annotation.slot
    yield Text(f"{shown(place)} {slot.owner.qualname}", style="bold")
    yield Text(f"  {slot_name(slot)}: {spelled(annotation)}", style="green")
    details = {
        "origin": annotation.origin.value,
        "rules": ", ".join(annotation.rules),
        "also legal": ", ".join(map(str, annotation.alternatives)),
        "because the compiler said": annotation.because.strip().replace("\n", "\n      "),
    }
    yield from (Text(f"    {name}: {value}") for name, value in details.items() if value)
    yield from (Text(f"    {each}") for each in sightings(annotation))


def mend_lines(mends: Sequence[Mend], *, in_full: bool = False) -> Iterator[Text]:
    """The changes of code below the message that asked for them, each with its place."""
    for message, group in by_message(mends).items():
        said = message if in_full else asked_by(group[0])
        most = len(group) if in_full else MOST_MENDS
        yield Text.assemble("changes of code", (f", since the compiler said: {said}" if said else "", "dim"))
        for mend in group[:most]:
            yield Text.assemble(
                f"  {shown(mend.place)} {mend.owner.qualname}: ",
                (mend.summary, "green"),
                (f"  ({standing(mend)})", "dim"),
            )
        yield from more_lines(len(group) - most, "changes")


def advised_lines(advised: MendAdvice, *, in_full: bool = False) -> Iterator[Text]:
    """What would have helped."""
    yield Text(f"with `--mend {advised.level.value}` it would script: {promise(advised)}:", style="bold")
    yield from mend_lines(advised.mends, in_full=in_full)
