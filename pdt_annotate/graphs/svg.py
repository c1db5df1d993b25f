"""A drawing as SVG: one file that asks nothing of the network, with light and dark colours of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pdt_annotate.emit.html.document import asset
from pdt_annotate.emit.html.markup import Html, join, tag
from pdt_annotate.graphs import words
from pdt_annotate.graphs.drawing import COLUMN, PADDING, ROW, Box, Drawing, Edge, Frame, Link, columns
from pdt_annotate.graphs.layout import lay_out
from pdt_annotate.graphs.layout.values import Layout, Rect, Route

MARGIN = 16.0

Wrap = Callable[[Box, Html], Html]
"""A box in what it is to be in."""


def style() -> Html:
    """The style sheet of a picture, which is ours and holds no end tag."""
    return asset("graph.css", __package__)


def render(drawing: Drawing, link: Link) -> bytes:
    """The whole file."""
    drawn = Picture(drawing, lay_out(drawing), link).draw(tag("style", style()))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn}\n'.encode()


class Picture:
    """A drawing that was laid out.

    Args:
        prefix: what ids begin with, where several pictures are in one page.
        wrap: what becomes of each box; nothing where it is None.
    """

    def __init__(
        self, drawing: Drawing, layout: Layout, link: Link, prefix: str = "", wrap: Wrap = lambda box, drawn: drawn
    ) -> None:
        self.drawing, self.layout, self.link, self.prefix, self.wrap = drawing, layout, link, prefix, wrap

    def draw(self, *first: Html) -> Html:
        """The element, with `first` at its beginning."""
        width, height = (side + 2 * MARGIN for side in self.layout.size)
        return tag(
            "svg",
            *first,
            self._arrow(),
            tag("title", f"Computation graph of {self.drawing.root.title}"),
            tag("g", *self._parts(), transform=f"translate({MARGIN:g} {MARGIN:g})", class_="drawn"),
            xmlns="http://www.w3.org/2000/svg",
            class_="graph",
            width=f"{width:g}",
            height=f"{height:g}",
            viewBox=f"0 0 {width:g} {height:g}",
            role="group",
        )

    def _arrow(self) -> Html:
        tip = tag("path", d="M0 0 8 4 0 8z", class_="tip")
        size = {"viewBox": "0 0 8 8", "refX": "7", "refY": "4", "markerWidth": "7", "markerHeight": "7"}
        how = {"orient": "auto", "markerUnits": "userSpaceOnUse"}
        return tag("defs", tag("marker", tip, id=f"{self.prefix}tip", **size, **how))

    def _parts(self) -> Iterator[Html]:
        """Frames below edges below boxes; the titles of frames above the edges, which may cross them."""
        for frame in self.drawing.root.frames():
            yield join(self._frame(frame, self.layout.frames[frame.key]), "\n")
        for edge in self.drawing.edges:
            if edge.values:
                yield join(self._edge(edge, self.layout.routes[edge.source, edge.target]), "\n")
        for frame in self.drawing.root.frames():
            yield join(self._title(frame, self.layout.frames[frame.key]), "\n")
        for box in self.drawing.root.boxes():
            yield join(self._box(box, self.layout.boxes[box.key]), "\n")

    def _frame(self, frame: Frame, rect: Rect) -> Html:
        told = tag("title", words.facts_text(frame.facts)) if frame.facts else None
        return tag("g", told, _rectangle(rect, 8), class_=f"frame {frame.family}")

    def _title(self, frame: Frame, rect: Rect) -> Html:
        at = {"x": _number(rect.x + PADDING), "y": _number(rect.y + 14)}
        return tag("text", frame.title, class_=f"title {frame.family}", **at)

    def _edge(self, edge: Edge, route: Route) -> Html:
        path = _path(route)
        return tag(
            "g",
            tag("title", edge.facts),
            tag("path", d=path, class_="grip"),
            tag("path", d=path, class_="line", marker_end=f"url(#{self.prefix}tip)"),
            class_="edge" if edge.tensors else "edge fine",
            data_from=self.prefix + edge.source,
            data_to=self.prefix + edge.target,
        )

    def _box(self, box: Box, rect: Rect) -> Html:
        left = rect.x + PADDING
        aside = tag("tspan", f" {box.aside}", class_="aside") if box.aside else None
        lines = [
            tag("text", line, x=f"{left:g}", y=_number(rect.y + 14 + (index + 1) * ROW), class_="line")
            for index, line in enumerate(box.lines)
        ]
        drawn = tag(
            "g",
            tag("title", words.facts_text(box.facts)) if box.facts else None,
            _rectangle(rect, 5),
            tag("text", box.head, aside, x=f"{left:g}", y=_number(rect.y + 14), class_="head"),
            self._place(box, rect),
            lines,
            class_=f"box {box.family}",
            id=self.prefix + box.key,
        )
        return self.wrap(box, drawn)

    def _place(self, box: Box, rect: Rect) -> Html | None:
        """The source line, at the right end of the first line."""
        text = words.line(box.place)
        if not text:
            return None
        x = rect.right - PADDING - columns(text) * COLUMN
        written = tag("text", text, x=_number(x), y=_number(rect.y + 14), class_="place")
        href = self.link(box.place)
        return tag("a", written, href=href, class_="place") if href else written


def _rectangle(rect: Rect, radius: int) -> Html:
    sides = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height}
    return tag("rect", rx=radius, **{name: f"{number:g}" for name, number in sides.items()})


def _path(route: Route) -> str:
    """
    >>> _path(((0.0, 0.0), (0.0, 1.5), (2.0, 1.5), (2.0, 3.0), (2.0, 4.0), (2.0, 5.0), (2.0, 6.0)))
    'M0 0C0 1.5 2 1.5 2 3V6'
    """
    curves = (route[index : index + 4] for index in range(0, len(route) - 1, 3))
    return f"M{_points(route[:1])}{''.join(map(_curve, curves))}"


def _curve(points: Route) -> str:
    """A curve from where the one before it ended, or the straight line that it is."""
    straight = len({x for x, _ in points}) == 1
    return f"V{_number(points[-1][1])}" if straight else f"C{_points(points[1:])}"


def _points(points: Route) -> str:
    return " ".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _number(number: float) -> str:
    return f"{round(number, 1):g}"
