"""What a layout is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pdt_annotate.graphs.drawing import Point


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

    def moved(self, x: float, y: float) -> Rect:
        return Rect(self.x + x, self.y + y, self.width, self.height)


Route = tuple[Point, ...]
"""Cubic Bézier curves end to end: a start, then two control points and an end for each."""


@dataclass(frozen=True)
class Layout:
    """Where everything stands.

    Args:
        size: width and height of the whole.
        boxes: of boxes, by key.
        frames: of frames, by key, the root left out.
        routes: of the edges that are shown, by their ends.
    """

    size: Point
    boxes: Mapping[str, Rect]
    frames: Mapping[str, Rect]
    routes: Mapping[tuple[str, str], Route]
