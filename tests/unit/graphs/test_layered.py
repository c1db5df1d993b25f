"""Boxes stand apart, frames hold what is theirs, edges go down, in our own layout as in that of `dot`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import drawn_graphs
import pytest

from pdt_annotate.graphs import dot, layered
from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.drawing import Box, Drawing, Frame, Layout, Rect
from pdt_annotate.values.graphs import Graph

needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="there is no `dot`: install graphviz")
WAYS = [layered.lay_out, pytest.param(dot.by_graphviz, marks=needs_dot)]
GRAPHS = [
    drawn_graphs.residual(),
    drawn_graphs.branches(),
    drawn_graphs.called_twice(),
    drawn_graphs.quiet_loop(),
    drawn_graphs.late_taker(),
    drawn_graphs.gathering(),
    drawn_graphs.mixed_order(),
    drawn_graphs.hostile(),
    *(drawn_graphs.wild(seed) for seed in range(3)),
    Graph("empty", "frozen", drawn_graphs.Sketch().graph([], [], []).body),
]
SLACK = 0.2
"""Numbers are written to a tenth."""


def within(inner: Rect, outer: Rect, slack: float = SLACK) -> bool:
    across = outer.x - slack <= inner.x and inner.right <= outer.right + slack
    return across and outer.y - slack <= inner.y and inner.bottom <= outer.bottom + slack


def apart(one: Rect, other: Rect) -> bool:
    across = one.right <= other.x + SLACK or other.right <= one.x + SLACK
    return across or one.bottom <= other.y + SLACK or other.bottom <= one.y + SLACK


def point(at: tuple[float, float]) -> Rect:
    return Rect(*at, 0, 0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.target[:12])
def test_boxes_are_in_their_frames_and_edges_lead_down(way: Callable[[Drawing], Layout], graph: Graph) -> None:
    drawing = arrange(graph)
    layout = way(drawing)
    whole = Rect(0, 0, *layout.size)
    assert set(layout.boxes) == {box.key for box in drawing.root.boxes()}
    assert set(layout.frames) == {frame.key for frame in drawing.root.frames()}

    def rect(member: Box | Frame) -> Rect:
        return (layout.boxes if isinstance(member, Box) else layout.frames)[member.key]

    for frame in (drawing.root, *drawing.root.frames()):
        around = layout.frames.get(frame.key, whole)
        assert all(within(rect(each), around) for each in frame.members)
        assert all(apart(rect(one), rect(other)) for one, other in combinations(frame.members, 2))
    assert set(layout.routes) == {(edge.source, edge.target) for edge in drawing.edges if edge.values}
    for (source, target), route in layout.routes.items():
        start, end = layout.boxes[source], layout.boxes[target]
        assert start.bottom <= end.y + SLACK
        assert len(route) % 3 == 1
        assert all(within(point(each), whole, slack=0) for each in route)
        # Graphviz leaves a point's width between an edge and a box.
        assert within(point(route[0]), start, slack=1)
        assert within(point(route[-1]), end, slack=1)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.target[:12])
def test_no_edge_crosses_a_box(graph: Graph) -> None:
    """In our own layout: an edge passes a row between the boxes, and bends where there are none."""
    layout = layered.lay_out(arrange(graph))
    for ends, route in layout.routes.items():
        points = list(map(point, sampled(route)))
        for key, box in layout.boxes.items():
            if key not in ends:
                assert all(apart(each, box) for each in points), (ends, key)


def sampled(route: tuple[tuple[float, float], ...]) -> Iterator[tuple[float, float]]:
    for index in range(0, len(route) - 1, 3):
        for step in range(7):
            t = step / 6
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            four = list(zip(weights, route[index : index + 4], strict=True))
            yield sum(w * x for w, (x, _) in four), sum(w * y for w, (_, y) in four)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_drawing_has_the_same_layout(way: Callable[[Drawing], Layout]) -> None:
    assert way(arrange(drawn_graphs.wild(3))) == way(arrange(drawn_graphs.wild(3)))


def test_hundreds_of_nodes_without_modules_are_laid_out() -> None:
    layout = layered.lay_out(arrange(drawn_graphs.wild(1, 400)))
    assert len(layout.boxes) > 400


def test_what_is_too_much_for_dot_is_laid_out_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = arrange(drawn_graphs.residual())
    monkeypatch.setattr(dot, "MOST", 3)
    assert dot.by_graphviz(drawing) is None
    assert dot.lay_out(drawing) == layered.lay_out(drawing)


@pytest.mark.parametrize("script", ["exit 1", 'echo \'{"bb": "0,0,1,1"}\''])
def test_a_dot_that_fails_or_loses_edges_is_not_heeded(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tmp_path / "dot"
    found.write_text(f"#!/bin/sh\ncat >/dev/null\n{script}\n")
    found.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    drawing = arrange(drawn_graphs.residual())
    assert dot.lay_out(drawing) == layered.lay_out(drawing)
