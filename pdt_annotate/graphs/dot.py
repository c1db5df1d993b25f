"""A drawing as DOT text, in which frames are clusters; and its layout, by Graphviz or by `layered`."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from pdt_annotate.graphs import layered, node_names
from pdt_annotate.graphs.drawing import Box, Drawing, Ends, Frame, Layout, Link, Point, Rect, Route, rounded

FILLS = {
    "convolution": "#dcebff",
    "matrix": "#e3e0ff",
    "norm": "#e0f4f1",
    "activation": "#e4f6df",
    "pool": "#d9f2fa",
    "shape": "#f3efe6",
    "arithmetic": "#fdeee0",
    "control": "#fff2c9",
    "module": "#f2e6fa",
    "input": "#fbe3ec",
    "output": "#fbe3ec",
    "carry": "#fffaf0",
}
"""By family; others are grey."""

POINTS = 72  # to an inch, the unit of widths and heights in DOT
HEAD = """\
  graph [newrank=true, ranksep=0.35, nodesep=0.25, fontname="monospace", fontsize=11, labeljust=l]
  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11, fixedsize=true]
  edge [arrowsize=0.6, color="#6b7480"]"""


def render(drawing: Drawing, link: Link = lambda place: "") -> bytes:
    lines = [f"digraph {quoted(drawing.root.title)} {{", HEAD, *_members(drawing.root, link, "  ")]
    for edge in drawing.edges:
        shown = f"tooltip={quoted(edge.facts)}{'' if edge.tensors else ', style=dashed'}"
        lines.append(f"  {quoted(edge.source)} -> {quoted(edge.target)} [{shown if edge.values else 'style=invis'}]")
    return "\n".join([*lines, "}", ""]).encode()


def _members(frame: Frame, link: Link, indent: str) -> Iterator[str]:
    for member in frame.members:
        if isinstance(member, Box):
            width, height = (f"{side / POINTS:.3f}" for side in member.size)
            top = "  ".join(filter(None, (member.head, member.aside, node_names.line(member.place))))
            label = "".join(f"{_escaped(line)}\\l" for line in (top, *member.lines))
            attributes = {
                "label": f'"{label}"',
                "width": width,
                "height": height,
                "fillcolor": quoted(FILLS.get(member.family, "#f1f3f5")),
                "tooltip": quoted(node_names.facts_text(member.facts) or member.head),
                "URL": quoted(link(member.place)) if link(member.place) else "",
            }
            given = ", ".join(f"{name}={text}" for name, text in attributes.items() if text)
            yield f"{indent}{quoted(member.key)} [{given}]"
        else:
            dashed = ", style=dashed" if member.family == "region" else ""
            hover = f", tooltip={quoted(node_names.facts_text(member.facts))}" if member.facts else ""
            yield f"{indent}subgraph {quoted(f'cluster_{member.key}')} {{"
            yield f'{indent}  graph [label={quoted(member.title)}, color="#b3bac4"{dashed}{hover}]'
            yield from _members(member, link, f"{indent}  ")
            yield f"{indent}}}"


def quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Text for a label: Graphviz would interpret a backslash."""
    lines = (node_names.flat(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    return "\\n".join(lines)


PATIENCE = 10  # seconds. `dot` takes minutes for a thousand nodes in frames.
MOST = 500  # with more boxes `dot` is not even run


def lay_out(drawing: Drawing) -> Layout:
    return by_graphviz(drawing) or layered.lay_out(drawing)


def by_graphviz(drawing: Drawing) -> Layout | None:
    """The layout that `dot` makes; None if there is no `dot`, it fails, or it takes too long."""
    found = shutil.which("dot")
    if not found or sum(1 for _ in drawing.root.boxes()) > MOST:
        return None
    try:
        done = subprocess.run(
            [found, "-Tjson"], input=render(drawing), capture_output=True, check=True, timeout=PATIENCE
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _read(drawing, json.loads(done.stdout))


def _read(drawing: Drawing, made: Mapping[str, Any]) -> Layout | None:
    """Dot's result, with y from the top down; None if it lost an edge, as it sometimes does."""
    _, _, width, height = map(float, made["bb"].split(","))
    boxes, frames, names = {}, {}, {}
    for each in made.get("objects", []):
        names[each["_gvid"]] = each["name"]
        if "pos" in each:
            x, y = map(float, each["pos"].split(","))
            wide, high = (float(each[side]) * POINTS for side in ("width", "height"))
            boxes[each["name"]] = Rect(x - wide / 2, height - y - high / 2, wide, high).rounded
        if "bb" in each:
            left, lower, right, upper = map(float, each["bb"].split(","))
            frame = Rect(left, height - upper, right - left, upper - lower)
            frames[each["name"].removeprefix("cluster_")] = frame.rounded
    shown = {edge.ends for edge in drawing.edges if edge.values}
    routes: dict[Ends, Route] = {}
    for each in made.get("edges", []):
        if "pos" in each and (ends := (names[each["tail"]], names[each["head"]])) in shown:
            # The curves of an edge, then straight on to the tip of its arrow.
            points: list[Point] = []
            tips: list[Point] = []
            for text in each["pos"].split(" "):
                if not text.startswith("s,"):
                    x, y = map(float, text.removeprefix("e,").split(","))
                    (tips if text.startswith("e,") else points).append((rounded(x), rounded(height - y)))
            for tip in tips:
                points += [points[-1], tip, tip]
            routes[ends] = tuple(points)
    return Layout((width, height), boxes, frames, routes) if shown <= set(routes) else None
