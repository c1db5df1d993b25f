"""Whether the ways of `--require` do what is required: capture the target, and answer as it does on all calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pdt_annotate.captures.table import named
from pdt_annotate.emit.capture_rows import WhyNot, by_target, reasons_of
from pdt_annotate.emit.words import on_calls, shown
from pdt_annotate.values.captures import Capture, Captures, Fate, Requirement


def with_required(found: Iterable[Captures], require: Iterable[str]) -> tuple[Captures, ...]:
    """What was found, with a verdict for each way that is required: on the last version of each target, the annotated
    one where there is one.

    Args:
        require: as the option has it; the ways were tried.
    """
    names = [way.name for way in named(require, "--require")]
    targets = [versions.found for versions in by_target(found)]
    return tuple(each for *before, last in targets for each in (*before, _judged(last, names)))


def _judged(captures: Captures, names: Iterable[str]) -> Captures:
    by_way = {each.way: each for each in captures.captures}
    return replace(captures, required=tuple(Requirement(name, _reason(by_way[name])) for name in names))


def _reason(capture: Capture) -> str:
    if capture.fate is Fate.SAME:
        return ""
    reason = next(each for each in reasons_of(capture) if each.why is not WhyNot.NOT_COMPARED)
    calls = f" {on_calls(reason.calls[:1])}" if reason.calls else ""
    place = f" {shown(reason.place)}:" if reason.place.file else ""
    return f"{reason.why.value}{calls}:{place} {reason.text}"
