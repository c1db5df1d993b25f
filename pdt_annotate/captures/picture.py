"""The task that gives the graph of a target as it was captured in one way, with the shapes of one call."""

from __future__ import annotations

from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.graphs import Graph


def picture(prepared: Prepared, of: str, call: str = "") -> Graph:
    """The graph of the target, captured in one way."""
    raise NotImplementedError
