"""The members of one frame in rows, by grandalf's Sugiyama layout.

Rows and heights are ours: grandalf would put every source at the top, and its rows know nothing of ports. Which member
stands left of which, and where, is grandalf's; what it lets overlap is moved apart.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grandalf.graphs import Edge, Vertex, graph_core
from grandalf.layouts import Layer, SugiyamaLayout, VertexViewer

from pdt_annotate.graphs.drawing import Point

GAP = 18.0
"""Between neighbours in a row."""

LANE = 12.0
"""The width that an edge takes where it passes a row."""

TOP, BOTTOM = "top", "bottom"
"""Stand for the border of the frame, where edges come in and go out."""

Pair = tuple[str, str]

DEEP = 1_000_000
"""Levels of recursion: grandalf places each block by recursion from its neighbour."""


@dataclass(frozen=True)
class Rows:
    """Members in rows.

    Args:
        rank: of each member, its row.
        x: of each member, its centre.
        lanes: of each edge, where it passes the rows between its ends.
    """

    rank: Mapping[str, int]
    x: Mapping[str, float]
    lanes: Mapping[Pair, tuple[float, ...]]


def in_rows(sizes: Mapping[str, Point], edges: Mapping[Pair, int]) -> Rows:
    """Put members in rows, each below what it needs.

    Args:
        sizes: of the members, in the order of the program; `TOP` and `BOTTOM` may be among them.
        edges: without a circle, each with how many lines it stands for.
    """
    rank = ranks(list(sizes), list(edges))
    whole = dict(edges)
    for start in _loose_ends(rank, edges):
        whole.setdefault((TOP, start), 0)
    sizes, rank = {TOP: (0.0, 0.0), **sizes}, {TOP: 0, **rank}
    if len(sizes) == 1:
        return Rows({}, {}, {})
    laid = _Rows.of(sizes, whole, rank)
    return laid.rows(edges)


def ranks(keys: Sequence[str], edges: Sequence[Pair]) -> dict[str, int]:
    """The row of each member: as high as it can stand, but what pulls down more edges than it holds, as low."""
    before: dict[str, list[str]] = {key: [] for key in keys}
    after: dict[str, list[str]] = {key: [] for key in keys}
    for source, target in edges:
        before[target].append(source)
        after[source].append(target)
    rank: dict[str, int] = {}
    order = sorted_by_need(keys, before)
    for key in order:
        rank[key] = max((rank[each] + 1 for each in before[key]), default=0 if key == TOP else 1)
    if BOTTOM in rank:
        rank[BOTTOM] = max(1, *(value + 1 for key, value in rank.items() if key != BOTTOM))
    for key in reversed(order):
        if key not in (TOP, BOTTOM) and len(after[key]) > len(before[key]):
            rank[key] = min(rank[each] for each in after[key]) - 1
    return rank


def sorted_by_need(keys: Sequence[str], before: Mapping[str, Sequence[str]]) -> list[str]:
    """The members, each behind all that it needs, otherwise in the order given."""
    waiting = {key: len(set(before[key])) for key in keys}
    after: dict[str, list[str]] = {key: [] for key in keys}
    for key in keys:
        for each in dict.fromkeys(before[key]):
            after[each].append(key)
    ready = [key for key in keys if not waiting[key]]
    for key in ready:
        for each in after[key]:
            waiting[each] -= 1
            if not waiting[each]:
                ready.append(each)
    return ready


def _loose_ends(rank: Mapping[str, int], edges: Mapping[Pair, int]) -> Iterator[str]:
    """A highest member of each part that is joined to no other: grandalf lays out what hangs together."""
    parent = {key: key for key in (TOP, *rank)}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for source, target in edges:
        parent[root(source)] = root(target)
    for key in sorted(rank, key=lambda key: rank[key]):
        if root(key) != root(TOP):
            yield key
            parent[root(key)] = root(TOP)


class _Rows(SugiyamaLayout):  # type: ignore[misc]  # grandalf has no types
    """grandalf's layout over rows of our own."""

    conflicts: Any

    def __init__(self, graph: Any, rank: Mapping[str, int]) -> None:
        super().__init__(graph)
        self.given = rank
        self.xspace, self.dw, self.dh = GAP, LANE, 0.0

    @classmethod
    def of(cls, sizes: Mapping[str, Point], edges: Mapping[Pair, int], rank: Mapping[str, int]) -> _Rows:
        """The finished layout."""
        vertices = {key: Vertex(key) for key in sizes}
        for key, vertex in vertices.items():
            vertex.view = VertexViewer(*sizes[key])
        lines = [Edge(vertices[source], vertices[target], data=count) for (source, target), count in edges.items()]
        with _deep_recursion():
            # grandalf's `Graph` would keep the edges in a set, in another order each time.
            laid = cls(graph_core(list(vertices.values()), lines), rank)
            laid.init_all(inverted_edges=[])
            laid.draw(4)
        return laid

    def rank_all(self, roots: object, optimize: bool = False) -> None:
        """Take the rows as they are given."""
        for vertex in self.g.sV:
            self.grx[vertex].rank = self.given[vertex.data]
        height = max(self.given.values()) + 1
        self.layers = [Layer(each for each in self.g.sV if self.given[each.data] == row) for row in range(height)]

    def setdummies(self, e: Any) -> None:
        """Let an edge be as wide as its lines."""
        super().setdummies(e)
        for dummy in self._dummies(e):
            dummy.view.w = LANE * max(1, e.data)

    def _dummies(self, edge: Any) -> list[Any]:
        passed = self.ctrls.get(edge, {})
        return [passed[row] for row in sorted(passed)[1:-1]]

    def _detect_alignment_conflicts(self) -> None:
        """grandalf looks each pair up in what it makes here: a list, which takes minutes for hundreds of nodes."""
        super()._detect_alignment_conflicts()
        self.conflicts = set(self.conflicts)

    def rows(self, wanted: Mapping[Pair, int]) -> Rows:
        """What came of it, for the edges that are wanted."""
        x = self._apart()
        lanes = {
            (edge.v[0].data, edge.v[1].data): tuple(x[dummy] for dummy in self._dummies(edge)) for edge in self.g.sE
        }
        members = {vertex.data: x[vertex] for vertex in self.g.sV}
        return Rows(self.given, members, {pair: lanes[pair] for pair in wanted})

    def _apart(self) -> dict[Any, float]:
        """The centres, those that are too close to their left neighbours moved right."""
        x: dict[Any, float] = {}
        for layer in self.layers:
            edge = float("-inf")
            for each in sorted(layer, key=lambda each: self.grx[each].pos):
                half = each.view.w / 2
                x[each] = max(each.view.xy[0], edge + half)
                edge = x[each] + half + GAP
        return x


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEP)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
