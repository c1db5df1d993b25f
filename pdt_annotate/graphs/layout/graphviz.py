"""A layout by Graphviz: `dot` places what `graphs.dot` writes."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from pdt_annotate.graphs import dot
from pdt_annotate.graphs.drawing import Drawing, Point
from pdt_annotate.graphs.layout.values import Layout, Rect, Route

PATIENCE = 10
"""Seconds. `dot` takes minutes for what has a thousand nodes in frames."""

MOST = 500
"""Boxes above which it is not even asked."""

Json = Mapping[str, Any]


def lay_out(drawing: Drawing) -> Layout | None:
    """The layout of a drawing; None where there is no `dot`, or it does not come to an end in time."""
    found = shutil.which("dot")
    if not found or sum(1 for _ in drawing.root.boxes()) > MOST:
        return None
    try:
        done = subprocess.run(
            [found, "-Tjson"], input=dot.render(drawing), capture_output=True, check=True, timeout=PATIENCE
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _read(drawing, json.loads(done.stdout))


def _read(drawing: Drawing, told: Json) -> Layout | None:
    """What `dot` says, with y from the top down; None where it lost an edge, as it does at times."""
    _, _, width, height = _numbers(told["bb"])
    objects = told.get("objects", [])
    names = {each["_gvid"]: each["name"] for each in objects}
    boxes = {each["name"]: _box(each, height) for each in objects if "pos" in each}
    frames = {each["name"].removeprefix("cluster_"): _frame(each, height) for each in objects if "bb" in each}
    routes = {
        (names[each["tail"]], names[each["head"]]): _route(each["pos"], height)
        for each in told.get("edges", [])
        if "pos" in each
    }
    shown = {(edge.source, edge.target) for edge in drawing.edges if edge.values}
    if shown - set(routes):
        return None
    return Layout((width, height), boxes, frames, {ends: routes[ends] for ends in routes if ends in shown})


def _numbers(text: str) -> list[float]:
    return [float(each) for each in text.split(",")]


def _box(told: Json, whole: float) -> Rect:
    x, y = _numbers(told["pos"])
    width, height = (float(told[side]) * dot.POINTS for side in ("width", "height"))
    return _rounded(x - width / 2, whole - y - height / 2, width, height)


def _frame(told: Json, whole: float) -> Rect:
    left, lower, right, upper = _numbers(told["bb"])
    return _rounded(left, whole - upper, right - left, upper - lower)


def _rounded(*sides: float) -> Rect:
    return Rect(*(round(side, 1) for side in sides))


def _route(told: str, whole: float) -> Route:
    """The curves, on to the tip of the arrow."""
    points = [each for each in told.split(" ") if not each.startswith(("e,", "s,"))]
    tips = [each[2:] for each in told.split(" ") if each.startswith("e,")]
    route = [_point(each, whole) for each in points]
    for tip in tips:
        route += _straight(route[-1], _point(tip, whole))
    return tuple(route)


def _straight(start: Point, end: Point) -> Iterator[Point]:
    yield from (start, end, end)


def _point(text: str, whole: float) -> Point:
    x, y = _numbers(text)
    return round(x, 1), round(whole - y, 1)
