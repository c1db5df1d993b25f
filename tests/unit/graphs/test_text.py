"""The listing."""

from __future__ import annotations

import drawn_graphs
import pytest

from pdt_annotate.emit.words import TIMES
from pdt_annotate.graphs.drawing import columns
from pdt_annotate.graphs.text import render
from pdt_annotate.values.places import Place

RESIDUAL = """\
model.py:Net  frozen, 6 nodes
   x                                  [2,3] float32
   blocks  Sequential
     blocks.0  Block
2      conv2d  conv.weight [4,3,3,3]  [2,3] → [2,3]    model.py:12
3      relu                           [2,3] → [2,3]    model.py:12
4      add                            2x[2,3] → [2,3]  model.py:12
     blocks.1  Block
6      conv2d  conv.weight [4,3,3,3]  [2,3] → [2,3]    model.py:12
7      relu                           [2,3] → [2,3]    model.py:12
8      add                            2x[2,3] → [2,3]  model.py:12
   return                             [2,3]
"""

BRANCHES = """\
model.py:Net  frozen, 9 nodes
   x             [2,3] float32
   n             int
1  Bool          [2,3] → bool
4  if            bool → [2,3]
     then
2      mul  lin  [2,3] → [2,3]
     else
3      sub       [2,3] → [2,3]
9  loop          int, [2,3] → [2,3]
     each turn
5      tanh      [2,3] → [2,3]
6      gt        int → bool
8      if        bool → [2,3]
         then
7          add   2x[2,3] → [2,3]
   return        [2,3]
   return        [2,3]
"""


def test_nodes_stand_under_their_modules() -> None:
    assert render(drawn_graphs.residual(Place("/a/model.py", 12)), 80) == RESIDUAL.replace("2x", f"2{TIMES}")


def test_regions_are_indented() -> None:
    assert render(drawn_graphs.branches()) == BRANCHES.replace("2x", f"2{TIMES}")


@pytest.mark.parametrize("width", [10, 40, 60, 80, 200])
@pytest.mark.parametrize("make", [drawn_graphs.residual, drawn_graphs.branches, drawn_graphs.wild])
def test_nothing_is_wider_than_the_terminal(width: int, make: object) -> None:
    graph = make(1) if make is drawn_graphs.wild else make()  # type: ignore[operator]
    assert max(map(columns, render(graph, width).splitlines()[1:])) <= max(width, 40)
