"""`captures --compare`: the programs of two ways, put side by side."""

from __future__ import annotations

from collections.abc import Iterable

from pdt_annotate.captures.beside import count, put_beside
from pdt_annotate.captures.table import FROZEN, compared
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import code, picture
from pdt_annotate.values.captures import Capture, CapturedProgram, SideBySide, Way
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.graphs import Graph

OF = {way.name: name for name, way in FROZEN.items()}
"""By way, the graph of it that is compared, where that is a frozen one."""


def compare(session: Session, compare: str, tried: Iterable[Capture]) -> SideBySide | None:
    """The programs that the option names; None where it names none, or one of them is not to be had.

    Args:
        tried: what came of the ways.
    """
    captured = {each.way for each in tried if each.captured}
    ways = compared(compare)
    if not ways or any(way.name not in captured for way in ways):
        return None
    try:
        left, right = (_read(session, way) for way in ways)
    except UserError:  # torch keeps the graph of one of them to itself, or cannot freeze it
        return None
    return put_beside(left, right)


def _read(session: Session, way: Way) -> tuple[CapturedProgram, Graph]:
    graph = picture(session, OF.get(way.name, way.name))
    return count(way.name, code(session, way), graph), graph
