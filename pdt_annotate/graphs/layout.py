"""A layout of a drawing: by Graphviz where `dot` is installed, by `layered` elsewhere."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

from pdt_annotate.graphs import dot, layered
from pdt_annotate.graphs.drawing import Drawing, Layout, Point, Rect, Route

PATIENCE = 10
"""Seconds. `dot` takes minutes for a thousand nodes in frames."""

MOST = 500
"""Boxes above which `dot` is not even asked."""


def lay_out(drawing: Drawing) -> Layout:
    """The layout of a drawing: the same for the same drawing on the same machine."""
    return by_graphviz(drawing) or layered.lay_out(drawing)


def by_graphviz(drawing: Drawing) -> Layout | None:
    """The layout that `dot` makes; None if there is no `dot`, it fails, or it takes too long."""
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


def _read(drawing: Drawing, made: Mapping[str, Any]) -> Layout | None:
    """Dot's answer, with y from the top down; None if it lost an edge, as it sometimes does."""
    _, _, width, height = _numbers(made["bb"])
    boxes, frames, names = {}, {}, {}
    for each in made.get("objects", []):
        names[each["_gvid"]] = each["name"]
        if "pos" in each:
            (x, y), wide, high = _numbers(each["pos"]), *(float(each[s]) * dot.POINTS for s in ("width", "height"))
            boxes[each["name"]] = _rect(x - wide / 2, height - y - high / 2, wide, high)
        if "bb" in each:
            left, lower, right, upper = _numbers(each["bb"])
            frames[each["name"].removeprefix("cluster_")] = _rect(left, height - upper, right - left, upper - lower)
    shown = {edge.ends for edge in drawing.edges if edge.values}
    routes = {
        ends: _route(each["pos"], height)
        for each in made.get("edges", [])
        if "pos" in each and (ends := (names[each["tail"]], names[each["head"]])) in shown
    }
    return Layout((width, height), boxes, frames, routes) if shown <= set(routes) else None


def _numbers(text: str) -> list[float]:
    return [float(each) for each in text.split(",")]


def _rect(*sides: float) -> Rect:
    return Rect(*(round(side, 1) for side in sides))


def _route(text: str, height: float) -> Route:
    """The curves of an edge, then straight on to the tip of its arrow."""
    pieces = text.split(" ")
    route = [_point(each, height) for each in pieces if not each.startswith(("e,", "s,"))]
    for tip in (_point(each[2:], height) for each in pieces if each.startswith("e,")):
        route += [route[-1], tip, tip]
    return tuple(route)


def _point(text: str, height: float) -> Point:
    x, y = _numbers(text)
    return round(x, 1), round(height - y, 1)
