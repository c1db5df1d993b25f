"""Torch's graphs, read; only a child imports this.

programs    compiled programs as one graph, with their calls followed
compiled    such a graph, read: `roles` has what numbers stand for and shapes, `spelling` how Python says it
recorded    the graphs of `torch.fx` and of all that is built on it, read
plain       what torch knows of values and nodes, as plain data
"""

from __future__ import annotations

from pdt_annotate.graphs.read.compiled import read_program
from pdt_annotate.graphs.read.plain import Read
from pdt_annotate.graphs.read.programs import program_of
from pdt_annotate.graphs.read.recorded import read_recorded

__all__ = ["Read", "program_of", "read_program", "read_recorded"]
