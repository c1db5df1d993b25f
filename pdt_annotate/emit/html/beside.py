"""Two captured programs side by side: counts, source lines that became something else, and code."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pdt_annotate.emit.capture_rows import by_count, totals
from pdt_annotate.emit.html.markup import Html, join, tag
from pdt_annotate.emit.words import TIMES
from pdt_annotate.values.captures import CapturedProgram, SideBySide
from pdt_annotate.values.places import Place


def side_by_side(beside: SideBySide, place: Callable[[Place], Html | None]) -> Html:
    """The content of a section.

    Args:
        place: shows a place.
    """
    both = (beside.left, beside.right)
    return join(_totals(beside), _lines(beside, place), tag("div", map(_code, both), class_="programs"))


def _totals(beside: SideBySide) -> Html:
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", str(left)), tag("td", str(right)))
        for name, (left, right) in totals(beside).items()
    ]
    return tag("table", _head("", "In", beside), tag("tbody", rows), class_="annotations beside")


def _lines(beside: SideBySide, place: Callable[[Place], Html | None]) -> Html | None:
    rows = [
        tag("tr", tag("th", place(line.place) or "no line", scope="row"), _counts(line.left), _counts(line.right))
        for line in beside.lines
    ]
    if not rows:
        return None
    caption = tag("caption", "What one of them has more, by source line")
    return tag("table", caption, _head("Line", "More in", beside), tag("tbody", rows), class_="annotations beside")


def _head(first: str, where: str, beside: SideBySide) -> Html:
    heads = (first, f"{where} {beside.left.way}", f"{where} {beside.right.way}")
    return tag("thead", tag("tr", [tag("th", head, scope="col") for head in heads]))


def _counts(operators: Mapping[str, int]) -> Html:
    counts = by_count(operators).items()
    return tag("td", [tag("div", tag("code", kind), f" {TIMES}{n}" if n > 1 else None) for kind, n in counts])


def _code(program: CapturedProgram) -> Html:
    return tag("div", tag("h3", f"Code of {program.way}"), tag("pre", program.code or "Torch writes no code of it."))
