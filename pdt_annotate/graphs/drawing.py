"""A drawing of a graph: boxes in frames, edges between boxes, and their layout."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pdt_annotate.graphs import node_names
from pdt_annotate.values.graphs import GraphNode
from pdt_annotate.values.slots import NO_PLACE, Place

Point = tuple[float, float]
Ends = tuple[str, str]  # the keys of the boxes that an edge joins
Link = Callable[[Place], str]  # the address of a source line; "" if it has none
COLUMN, ROW = 6.6, 15.0  # the width of a character of the drawing's fixed-width font, and the height of a line
PADDING = 8.0
TITLE = 20.0  # the height of a frame's title
Route = tuple[Point, ...]  # cubic Bézier curves end to end: a start, then two control points and an end for each


@dataclass(frozen=True)
class Box:
    """A node, or an input or an output of the program. The style sheet has classes for the families."""

    key: str
    family: str
    head: str
    aside: str = ""  # the module, from the frame on: it is next to the head, the operator
    lines: tuple[str, ...] = ()
    place: Place = NO_PLACE
    facts: Mapping[str, str] = field(default_factory=dict)  # all known facts, by name
    node: GraphNode | None = None

    @property
    def size(self) -> Point:
        top = sum(columns(each) + 2 for each in (self.head, self.aside, node_names.line(self.place)) if each) - 2
        wide = max(map(columns, self.lines), default=0)
        return max(top, wide, 6) * COLUMN + 2 * PADDING, (1 + len(self.lines)) * ROW + PADDING


@dataclass(frozen=True)
class Frame:
    """Boxes that belong together: a module, an If or a Loop, or one of its regions."""

    key: str
    family: str
    title: str
    members: tuple[Box | Frame, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    place: Place = NO_PLACE

    @property
    def narrowest(self) -> float:
        return columns(self.title) * COLUMN + 2 * PADDING

    def boxes(self) -> Iterator[Box]:
        for member in self.members:
            yield from (member,) if isinstance(member, Box) else member.boxes()

    def frames(self) -> Iterator[Frame]:
        """The frames in it, outer before inner."""
        for member in self.members:
            if isinstance(member, Frame):
                yield member
                yield from member.frames()


@dataclass(frozen=True)
class Edge:
    """From the box that makes a value to one that takes it. One without values only orders them, and is not shown."""

    source: str
    target: str
    values: tuple[str, ...] = ()
    facts: str = ""
    tensors: bool = True

    @property
    def ends(self) -> Ends:
        return self.source, self.target


@dataclass(frozen=True)
class Drawing:
    """The whole drawing. No edge leads back: a turn of a loop ends where the next would begin."""

    root: Frame
    edges: tuple[Edge, ...]

    @cached_property
    def holders(self) -> Mapping[str, tuple[Frame, ...]]:
        """By the key of a box or a frame, the frames around it from the root on."""
        found: dict[str, tuple[Frame, ...]] = {}
        for frame in (self.root, *self.root.frames()):
            around = (*found.get(frame.key, ()), frame)
            found |= {member.key: around for member in frame.members}
        return found


@dataclass(frozen=True)
class Rect:
    """A rectangle by its upper left corner; y grows downwards."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def rounded(self) -> Rect:
        return Rect(*map(rounded, (self.x, self.y, self.width, self.height)))


def rounded(number: float) -> float:
    """To a tenth, so that two machines write the same."""
    return round(number, 1) + 0.0


@dataclass(frozen=True)
class Layout:
    """The places of boxes and frames by key, without the root, and the routes of the edges that are shown."""

    size: Point
    places: Mapping[str, Rect]
    routes: Mapping[Ends, Route]


def columns(text: str) -> int:
    """The width of a text in characters, in a font of fixed width: a Chinese character counts as two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else not unicodedata.combining(each) for each in text)
