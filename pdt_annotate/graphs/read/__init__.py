"""Torch's graphs, read; only a child imports this.

compiled    what `torch.jit` gives: inline, freeze, roles, spelling, shapes, places, literals
recorded    what `torch.fx` and all that is built on it gives
"""

from __future__ import annotations

from pdt_annotate.graphs.read.compiled import program_of, read_program
from pdt_annotate.graphs.read.program import Read
from pdt_annotate.graphs.read.recorded import read_recorded

__all__ = ["Read", "program_of", "read_program", "read_recorded"]
