"""Where the boxes, frames and edges of a drawing stand: Graphviz's `dot` where there is one, grandalf elsewhere.

values    what a layout is
graphviz  by `dot`
nested    by grandalf, frame by frame, innermost first
layers    grandalf: the boxes of one frame in rows
"""

from __future__ import annotations

from pdt_annotate.graphs.drawing import Drawing
from pdt_annotate.graphs.layout import graphviz, nested
from pdt_annotate.graphs.layout.values import Layout


def lay_out(drawing: Drawing) -> Layout:
    """The layout of a drawing: the same for the same drawing on the same machine."""
    return graphviz.lay_out(drawing) or nested.lay_out(drawing)
