"""A layout frame by frame, innermost first: a frame that is laid out is one big box in the frame around it.

An edge that crosses the border of a frame is led to the border inside, and goes on from there outside. What lies
between the rows is free of boxes, so that edges bend there, and pass the rows themselves straight down.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from pdt_annotate.graphs.drawing import COLUMN, PADDING, TITLE, Box, Drawing, Edge, Frame, Point, columns
from pdt_annotate.graphs.layout.layers import BOTTOM, TOP, Pair, Rows, in_rows
from pdt_annotate.graphs.layout.values import Layout, Rect, Route

BETWEEN = 26.0
"""The height of the space between rows."""

PORTS = 0.6
"""The part of a box's upper side on which edges arrive."""

ASIDE = 5.0
"""Between the lines of edges that share a lane."""

Ends = tuple[str, str]


def lay_out(drawing: Drawing) -> Layout:
    """The layout of a drawing."""
    plots = _Plots(drawing)
    root = plots.plot(drawing.root)
    return _Assembly(plots).whole(root)


@dataclass(frozen=True)
class _Plot:
    """A frame that is laid out, from its own corner.

    Args:
        members: rectangles by key.
        ways: of each edge of which a part lies directly in the frame, the points that it goes through here: straight
            down between the first and the second, and so on by twos, and bent between these.
    """

    frame: Frame
    size: Point
    members: Mapping[str, Rect]
    ways: Mapping[Ends, Sequence[Point]]

    def port(self, ends: Ends, *, leaving: bool) -> float:
        """Where an edge crosses the border, from the left."""
        return self.ways[ends][-1 if leaving else 0][0]


class _Plots:
    """The plots of all frames of a drawing."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.done: dict[str, _Plot] = {}

    @cached_property
    def _parts(self) -> Mapping[str, Mapping[Ends, Pair]]:
        """By frame, the edges that lie partly in it, each with the members, or the borders, between which it does."""
        parts: dict[str, dict[Ends, Pair]] = defaultdict(dict)
        for edge in self.drawing.edges:
            for frame, pair in self._crossed(edge):
                parts[frame][edge.source, edge.target] = pair
        return parts

    def _crossed(self, edge: Edge) -> Iterator[tuple[str, Pair]]:
        chains = [[*(each.key for each in self.drawing.holders[end]), end] for end in (edge.source, edge.target)]
        shared = next(i for i, pair in enumerate(zip(*chains, strict=False)) if pair[0] != pair[1])
        source, target = chains
        yield source[shared - 1], (source[shared], target[shared])
        yield from ((source[i], (source[i + 1], BOTTOM)) for i in range(shared, len(source) - 1))
        yield from ((target[i], (TOP, target[i + 1])) for i in range(shared, len(target) - 1))

    def plot(self, frame: Frame) -> _Plot:
        """Lay out a frame, and those in it before."""
        sizes = {each.key: each.size if isinstance(each, Box) else self.plot(each).size for each in frame.members}
        parts = self._parts.get(frame.key, {})
        sources: dict[Pair, set[str]] = defaultdict(set)
        for ends, pair in parts.items():
            sources[pair].add(ends[0])
        borders = {end: (0.0, 0.0) for pair in sources for end in pair if end in (TOP, BOTTOM)}
        rows = in_rows({**sizes, **borders}, {pair: len(each) for pair, each in sources.items()})
        self.done[frame.key] = _Plotting(frame, sizes, rows, parts, self.done).plot()
        return self.done[frame.key]


@dataclass(frozen=True)
class _Plotting:
    """The rows of a frame's members, made into rectangles and ways."""

    frame: Frame
    sizes: Mapping[str, Point]
    rows: Rows
    parts: Mapping[Ends, Pair]
    done: Mapping[str, _Plot]

    def plot(self) -> _Plot:
        ways = self._ways()
        across = [*(x for way in ways.values() for x, _ in way), *self._sides()]
        left = min(across, default=0.0) - PADDING
        title = columns(self.frame.title) * COLUMN + 2 * PADDING if self.frame.title else 0.0
        width = max(max(across, default=0.0) - left + PADDING, title)
        members = {key: rect.moved(-left, 0.0) for key, rect in self._rects.items()}
        moved = {ends: [(x - left, y) for x, y in way] for ends, way in ways.items()}
        return _Plot(self.frame, (width, self._bands[-1][1]), members, moved)

    def _sides(self) -> list[float]:
        return [side for rect in self._rects.values() for side in (rect.x, rect.right)]

    @cached_property
    def _bands(self) -> list[Point]:
        """The upper and the lower end of every row; the first is the upper border, the last the lower one."""
        heights: dict[int, float] = defaultdict(float)
        for key, (_, height) in self.sizes.items():
            heights[self.rows.rank[key]] = max(heights[self.rows.rank[key]], height)
        bands, y = [(0.0, 0.0)], TITLE
        for row in range(1, max(heights, default=0) + 1):
            bands.append((y, y + heights[row]))
            y += heights[row] + BETWEEN
        bottom = y - BETWEEN + (BETWEEN if BOTTOM in self.rows.rank else PADDING)
        return [*bands, (bottom, bottom)]

    @cached_property
    def _rects(self) -> Mapping[str, Rect]:
        return {key: self._rect(key, *size) for key, size in self.sizes.items()}

    def _rect(self, key: str, width: float, height: float) -> Rect:
        return Rect(self.rows.x[key] - width / 2, self._bands[self.rows.rank[key]][0], width, height)

    def _ways(self) -> dict[Ends, list[Point]]:
        middles = {ends: self._middle(pair, self._aside(ends)) for ends, pair in self.parts.items()}
        arrivals = self._arrivals(middles)
        return {ends: [*self._start(ends), *middles[ends], *self._end(ends, arrivals)] for ends in self.parts}

    def _aside(self, ends: Ends) -> float:
        """How far from the middle of its lane an edge runs: those from one box run together."""
        sources = self._sources[self.parts[ends]]
        return (sources.index(ends[0]) - (len(sources) - 1) / 2) * ASIDE

    @cached_property
    def _sources(self) -> Mapping[Pair, Sequence[str]]:
        """The boxes from which the edges of a lane come."""
        found: dict[Pair, list[str]] = defaultdict(list)
        for ends, pair in self.parts.items():
            if ends[0] not in found[pair]:
                found[pair].append(ends[0])
        return found

    def _middle(self, pair: Pair, aside: float) -> list[Point]:
        """Down through the rows that an edge passes."""
        first = self.rows.rank[pair[0]] + 1
        lanes = enumerate(self.rows.lanes[pair], first)
        return [(x + aside, y) for row, x in lanes for y in self._bands[row]]

    def _start(self, ends: Ends) -> list[Point]:
        """From the lower side of what an edge leaves to the end of its row."""
        source = self.parts[ends][0]
        if source == TOP:
            return [(self._first_x(ends), 0.0)] * 2
        rect, plot = self._rects[source], self.done.get(source)
        x = rect.x + plot.port(ends, leaving=True) if plot else rect.x + rect.width / 2
        return [(x, rect.bottom), (x, self._bands[self.rows.rank[source]][1])]

    def _first_x(self, ends: Ends) -> float:
        """Where an edge comes in: straight above what it is led to."""
        source, target = self.parts[ends]
        lanes = self.rows.lanes[source, target]
        return lanes[0] if lanes else self._target_x(ends, target)

    def _target_x(self, ends: Ends, target: str) -> float:
        rect, plot = self._rects[target], self.done.get(target)
        return rect.x + (plot.port(ends, leaving=False) if plot else rect.width / 2)

    def _end(self, ends: Ends, arrivals: Mapping[Ends, float]) -> list[Point]:
        """From the space above what an edge is led to, down to it."""
        source, target = self.parts[ends]
        if target == BOTTOM:
            lanes, bottom = self.rows.lanes[source, target], self._bands[-1][0]
            return [(lanes[-1] if lanes else self._start(ends)[0][0], bottom)] * 2
        return [(arrivals[ends], self._rects[target].y)] * 2

    def _arrivals(self, middles: Mapping[Ends, Sequence[Point]]) -> dict[Ends, float]:
        """Where edges meet the upper sides: side by side, in the order in which they come."""
        coming: dict[str, list[Ends]] = defaultdict(list)
        for ends, (_, target) in self.parts.items():
            if target != BOTTOM:
                coming[target].append(ends)
        return {ends: x for target, all_ in coming.items() for ends, x in self._spread(target, all_, middles)}

    def _spread(
        self, target: str, coming: Sequence[Ends], middles: Mapping[Ends, Sequence[Point]]
    ) -> Iterator[tuple[Ends, float]]:
        if target in self.done:
            yield from ((ends, self._target_x(ends, target)) for ends in coming)
            return
        rect = self._rects[target]
        step = rect.width * PORTS / len(coming)
        first = rect.x + rect.width / 2 - step * (len(coming) - 1) / 2
        ordered = sorted(coming, key=lambda ends: (*self._start(ends), *middles[ends])[-1][0])
        yield from ((ends, first + step * index) for index, ends in enumerate(ordered))


@dataclass
class _Assembly:
    """The plots put into one another."""

    plots: _Plots
    boxes: dict[str, Rect] = field(default_factory=dict)
    frames: dict[str, Rect] = field(default_factory=dict)

    def whole(self, root: _Plot) -> Layout:
        self._place(root, 0.0, 0.0)
        shown = [edge for edge in self.plots.drawing.edges if edge.values]
        routes = {(edge.source, edge.target): _route(self._points(edge)) for edge in shown}
        width, height = root.size
        return Layout((_round(width), _round(height)), self.boxes, self.frames, routes)

    def _place(self, plot: _Plot, x: float, y: float) -> None:
        for member in plot.frame.members:
            rect = plot.members[member.key].moved(x, y)
            rounded = Rect(*map(_round, (rect.x, rect.y, rect.width, rect.height)))
            if isinstance(member, Box):
                self.boxes[member.key] = rounded
            else:
                self.frames[member.key] = rounded
                self._place(self.plots.done[member.key], rect.x, rect.y)

    def _points(self, edge: Edge) -> list[Point]:
        """All the points of an edge, from frame to frame."""
        holders = self.plots.drawing.holders
        source, target = holders[edge.source], holders[edge.target]
        shared = [frame for frame, other in zip(source, target, strict=False) if frame is other]
        crossed = [*reversed(source[len(shared) :]), shared[-1], *target[len(shared) :]]
        return [point for frame in crossed for point in self._absolute(frame, (edge.source, edge.target))]

    def _absolute(self, frame: Frame, ends: Ends) -> list[Point]:
        corner = self.frames.get(frame.key, Rect(0.0, 0.0, 0.0, 0.0))
        return [(x + corner.x, y + corner.y) for x, y in self.plots.done[frame.key].ways[ends]]


def _route(points: Sequence[Point]) -> Route:
    """Curves through points: straight down where two are above each other, otherwise bent like an S."""
    route = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(_corners(points)):
        middle = (y0 + y1) / 2
        route += [(x0, middle), (x1, middle), (x1, y1)]
    return tuple((_round(x), _round(y)) for x, y in route)


def _corners(points: Sequence[Point]) -> list[Point]:
    """The points without those that lie straight between two others, or are there already."""
    kept: list[Point] = []
    for point in points:
        if kept and point == kept[-1]:
            continue
        if len(kept) > 1 and kept[-2][0] == kept[-1][0] == point[0]:
            kept.pop()
        kept.append(point)
    return kept


def _round(number: float) -> float:
    """To a tenth, so that two machines write the same."""
    return round(number, 1) + 0.0
