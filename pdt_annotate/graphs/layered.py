"""The layout of a drawing: the members of a frame in rows, each below its inputs.

A frame is laid out before the frame around it, in which it is one big cell. An edge has a cell in each row that it
passes, so that it crosses no box, and crosses the border of a frame at one point.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

from pdt_annotate.graphs.drawing import PADDING, TITLE, Box, Drawing, Ends, Frame, Layout, Point, Rect, Route, rounded

GAP = 18.0  # between neighbours in a row
BETWEEN = 26.0  # the height of the space between rows
PORTS = 0.6  # the part of a box's upper side on which edges arrive

# The number of passes over all rows: to order their cells, and then to place them in that order.
SORTING, PLACING = 12, 12
STRAIGHT = 8.0  # the weight of keeping an edge straight between two rows that it passes, relative to its ends
BORDER = ""  # in place of a member, for an edge that enters or leaves the frame


def lay_out(drawing: Drawing) -> Layout:
    # The frames that an edge goes through, in its direction, each with the two members that it joins there.
    passages: dict[Ends, list[tuple[str, str, str]]] = {}
    for edge in drawing.edges:
        out, into = ([*(each.key for each in drawing.holders[end]), end] for end in edge.ends)
        shared = next(index for index, (one, other) in enumerate(zip(out, into, strict=False)) if one != other)
        leaving = [(frame, member, BORDER) for frame, member in pairwise(out[shared:])]
        entering = [(frame, BORDER, member) for frame, member in pairwise(into[shared:])]
        passages[edge.ends] = [*reversed(leaving), (out[shared - 1], out[shared], into[shared]), *entering]
    parts: dict[str, dict[Ends, Ends]] = defaultdict(dict)
    for ends, passage in passages.items():
        for frame, source, target in passage:
            parts[frame][ends] = (source, target)
    frames = [drawing.root, *drawing.root.frames()]
    plots: dict[str, _Plot] = {}
    for each in reversed(frames):
        plots[each.key] = _Rows(each, parts[each.key], plots).plot()
    rects = {drawing.root.key: Rect(0.0, 0.0, *plots[drawing.root.key].size)}
    for each in frames:
        corner = rects[each.key]
        for key, rect in plots[each.key].members.items():
            rects[key] = Rect(corner.x + rect.x, corner.y + rect.y, rect.width, rect.height)

    routes: dict[Ends, Route] = {}
    for ends in (edge.ends for edge in drawing.edges if edge.values):
        ways = [(rects[frame], plots[frame].ways[ends]) for frame, _, _ in passages[ends]]
        routes[ends] = _curves([(rect.x + x, rect.y + y) for rect, way in ways for x, y in way])
    whole = rects.pop(drawing.root.key).rounded
    return Layout((whole.width, whole.height), {key: rect.rounded for key, rect in rects.items()}, routes)


@dataclass(frozen=True)
class _Plot:
    """A frame that is laid out, with coordinates from its own corner.

    `ways` are the points of each edge in it: straight down from the first to the second, and so on by twos, with bends
    between these.
    """

    size: Point
    members: Mapping[str, Rect]
    ways: Mapping[Ends, Sequence[Point]]


@dataclass(eq=False)
class _Cell:
    """An item of a row: a member of the frame or, without a width, an edge that passes the row."""

    width: float = 0.0
    x: float = 0.0  # of its middle
    above: "list[_Joint]" = field(default_factory=list)
    below: "list[_Joint]" = field(default_factory=list)


class _Joint(NamedTuple):
    """The joint of a cell and one in the next row: in a straight line, its middle is `shift` right of the other's."""

    other: _Cell
    shift: float
    weight: float


class _Rows:
    def __init__(self, frame: Frame, parts: Mapping[Ends, Ends], plots: Mapping[str, _Plot]) -> None:
        self.frame, self.parts, self.plots = frame, parts, plots
        self.sizes = {each.key: each.size if isinstance(each, Box) else plots[each.key].size for each in frame.members}
        self.rank = _ranks(self.sizes, parts.values())
        self.rows: list[list[_Cell]] = [[] for _ in range(max(self.rank.values(), default=-1) + 1)]
        self.cells = {key: self._cell(self.rank[key], width) for key, (width, _) in self.sizes.items()}
        self.lanes: dict[Ends, list[_Cell]] = {}
        self._join()
        self._place()

    def _cell(self, row: int, width: float = 0.0) -> _Cell:
        self.rows[row].append(_Cell(width))
        return self.rows[row][-1]

    def _join(self) -> None:
        """Put a cell into every row that an edge passes, and join the cells to one another and to both ends."""
        # By edge; those from one box to one member pass together.
        shared: dict[tuple[str, Ends], list[_Cell]] = {}
        for ends, (source, target) in self.parts.items():
            if (ends[0], (source, target)) not in shared:
                first = 0 if source == BORDER else self.rank[source] + 1
                last = len(self.rows) if target == BORDER else self.rank[target]
                shared[ends[0], (source, target)] = [self._cell(row) for row in range(first, last)]
            self.lanes[ends] = shared[ends[0], (source, target)]
        for ends, (source, target) in self.parts.items():
            chain = [(cell, 0.0) for cell in self.lanes[ends]]
            chain[:0] = [(self.cells[source], self._port(ends, source, -1))] if source != BORDER else []
            chain += [(self.cells[target], self._port(ends, target, 0))] if target != BORDER else []
            for (upper, out), (lower, into) in pairwise(chain):
                weight = 1.0 if upper.width or lower.width else STRAIGHT
                lower.above.append(_Joint(upper, out - into, weight))
                upper.below.append(_Joint(lower, into - out, weight))

    def _port(self, ends: Ends, key: str, index: int) -> float:
        """The offset of an edge's end from the member's middle: in a frame the edge goes on inside."""
        return self.plots[key].ways[ends][index][0] - self.sizes[key][0] / 2 if key in self.plots else 0.0

    def _place(self) -> None:
        """Order the cells of each row by the cells joined to them, and bring them as near to those as they can be."""
        for row in self.rows:
            _settle(row, [0.0] * len(row), [1.0] * len(row))
        for step in range(SORTING + PLACING):
            for row in self.rows if step % 2 == 0 else reversed(self.rows):
                wished: dict[_Cell, Point] = {}
                for cell in row:
                    joints = cell.above if step % 2 == 0 else cell.below
                    joints = [*cell.above, *cell.below] if step >= SORTING else joints
                    weight = sum(each.weight for each in joints)
                    mean = sum((each.other.x + each.shift) * each.weight for each in joints) / (weight or 1.0)
                    wished[cell] = (mean, weight) if joints else (cell.x, 0.1)
                if step < SORTING:
                    row.sort(key=lambda cell: wished[cell][0])
                _settle(row, [wished[cell][0] for cell in row], [wished[cell][1] for cell in row])

    def plot(self) -> _Plot:
        heights = [0.0] * len(self.rows)
        for key, (_, height) in self.sizes.items():
            heights[self.rank[key]] = max(heights[self.rank[key]], height)
        bands: list[Point] = []
        for height in heights:
            top = bands[-1][1] + BETWEEN if bands else TITLE
            bands.append((top, top + height))
        bottom = (bands[-1][1] if bands else TITLE) + PADDING
        cells = [cell for row in self.rows for cell in row]
        left = min((cell.x - cell.width / 2 for cell in cells), default=0.0) - PADDING
        right = max((cell.x + cell.width / 2 for cell in cells), default=0.0) + PADDING
        for cell in cells:
            cell.x -= left
        members = {
            key: Rect(self.cells[key].x - width / 2, bands[self.rank[key]][0], width, height)
            for key, (width, height) in self.sizes.items()
        }
        size = max(right - left, self.frame.narrowest), bottom
        return _Plot(size, members, self._ways(members, bands, bottom))

    def _ways(self, members: Mapping[str, Rect], bands: Sequence[Point], bottom: float) -> dict[Ends, list[Point]]:
        ways: dict[Ends, list[Point]] = {}
        coming: dict[str, list[Ends]] = defaultdict(list)
        for ends, (source, target) in self.parts.items():
            way = ways[ends] = []
            first = 0
            if source != BORDER:
                first = self.rank[source] + 1
                x = self.cells[source].x + self._port(ends, source, -1)
                way += [(x, members[source].bottom), (x, bands[first - 1][1])]
            way += [(cell.x, y) for row, cell in enumerate(self.lanes[ends], first) for y in bands[row]]
            if target != BORDER:
                coming[target].append(ends)
        for target, edges in coming.items():
            rect = members[target]
            # Edges meet the upper side of a box next to each other, in the order in which they come.
            step = rect.width * PORTS / len(edges)
            edges.sort(key=lambda ends: ways[ends][-1][0] if ways[ends] else 0.0)
            for index, ends in enumerate(edges):
                shift = (index - (len(edges) - 1) / 2) * step if target not in self.plots else 0.0
                x = self.cells[target].x + self._port(ends, target, 0) + shift
                ways[ends] += [(x, rect.y)] * 2
        for ends, (source, target) in self.parts.items():
            way = ways[ends]
            way[:0] = [(way[0][0], 0.0)] * 2 if source == BORDER else []
            way += [(way[-1][0], bottom)] * 2 if target == BORDER else []
        return ways


def _ranks(keys: Iterable[str], pairs: Iterable[Ends]) -> dict[str, int]:
    """The row of each member: as high as possible or, if it has more edges out than in, as low as possible."""
    before: dict[str, list[str]] = {key: [] for key in keys}
    after: dict[str, list[str]] = {key: [] for key in before}
    for source, target in pairs:
        if BORDER not in (source, target):
            before[target].append(source)
            after[source].append(target)
    rank: dict[str, int] = {}
    order = list(TopologicalSorter(before).static_order())
    for key in order:
        rank[key] = max((rank[each] + 1 for each in before[key]), default=0)
    for key in reversed(order):
        if len(after[key]) > len(before[key]):
            rank[key] = min(rank[each] for each in after[key]) - 1
    return rank


def _settle(row: Sequence[_Cell], wished: Sequence[float], weights: Sequence[float]) -> None:
    """Place the cells of a row, in its order and apart, such that the squares of the ways from their wishes are least.

    Cells that would come too close form a block, which goes to the mean of its wishes.
    """
    offsets: list[float] = []
    blocks: list[tuple[float, float, int]] = []
    for index, cell in enumerate(row):
        offsets.append(offsets[-1] + (row[index - 1].width + cell.width) / 2 + GAP if index else 0.0)
        weight, mean, count = weights[index], wished[index] - offsets[index], 1
        while blocks and blocks[-1][1] >= mean:
            more, other, members = blocks.pop()
            mean = (mean * weight + other * more) / (weight + more)
            weight, count = weight + more, count + members
        blocks.append((weight, mean, count))
    means = [mean for _, mean, count in blocks for _ in range(count)]
    for cell, mean, offset in zip(row, means, offsets, strict=True):
        cell.x = mean + offset


def _curves(points: Sequence[Point]) -> Route:
    """Curves through points: straight down if two are above each other, otherwise bent like an S."""
    corners: list[Point] = []
    for point in points:
        if len(corners) > 1 and corners[-2][0] == corners[-1][0] == point[0]:
            corners.pop()  # it is straight between two others
        if not corners or point != corners[-1]:
            corners.append(point)
    route = corners[:1]
    for (x0, y0), (x1, y1) in pairwise(corners):
        middle = (y0 + y1) / 2
        route += [(x0, middle), (x1, middle), (x1, y1)]
    return tuple((rounded(x), rounded(y)) for x, y in route)
