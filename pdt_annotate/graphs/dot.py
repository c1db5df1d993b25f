"""A drawing as DOT text, for Graphviz and what else reads its language: frames are clusters."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.graphs import words
from pdt_annotate.graphs.drawing import Box, Drawing, Edge, Frame, Link

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

POINTS = 72
"""To an inch, in which DOT gives widths and heights."""

HEAD = """\
  graph [newrank=true, ranksep=0.35, nodesep=0.25, fontname="monospace", fontsize=11, labeljust=l]
  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11, fixedsize=true]
  edge [arrowsize=0.6, color="#6b7480"]"""


def render(drawing: Drawing, link: Link = lambda place: "") -> bytes:
    """The text, the same for the same drawing."""
    name = f"digraph {quoted(drawing.root.title)} {{"
    return "\n".join([name, HEAD, *_members(drawing.root, link, "  "), *_edges(drawing), "}", ""]).encode()


def _members(frame: Frame, link: Link, indent: str) -> Iterator[str]:
    for member in frame.members:
        if isinstance(member, Box):
            yield indent + _node(member, link)
        else:
            yield f"{indent}subgraph {quoted(f'cluster_{member.key}')} {{"
            yield f"{indent}  {_cluster(member)}"
            yield from _members(member, link, f"{indent}  ")
            yield f"{indent}}}"


def _cluster(frame: Frame) -> str:
    dashed = ", style=dashed" if frame.family == "region" else ""
    told = f", tooltip={quoted(words.facts_text(frame.facts))}" if frame.facts else ""
    return f'graph [label={quoted(frame.title)}, color="#b3bac4"{dashed}{told}]'


def _node(box: Box, link: Link) -> str:
    width, height = (f"{side / POINTS:.3f}" for side in box.size)
    top = "  ".join(filter(None, (box.head, box.aside, words.line(box.place))))
    label = "".join(f"{_escaped(line)}\\l" for line in (top, *box.lines))
    attributes = {
        "label": f'"{label}"',
        "width": width,
        "height": height,
        "fillcolor": quoted(FILLS.get(box.family, "#f1f3f5")),
        "tooltip": quoted(words.facts_text(box.facts) or box.head),
        "URL": quoted(link(box.place)) if link(box.place) else "",
    }
    given = ", ".join(f"{name}={text}" for name, text in attributes.items() if text)
    return f"{quoted(box.key)} [{given}]"


def _edges(drawing: Drawing) -> Iterator[str]:
    return (f"  {quoted(edge.source)} -> {quoted(edge.target)} [{_edge(edge)}]" for edge in drawing.edges)


def _edge(edge: Edge) -> str:
    if not edge.values:
        return "style=invis"
    return f"tooltip={quoted(edge.facts)}{'' if edge.tensors else ', style=dashed'}"


def quoted(text: str) -> str:
    r"""
    >>> print(quoted('say "x\\y"'))
    "say \"x\\y\""
    """
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Text as it is shown: Graphviz would read a backslash as its own."""
    lines = (words.flat(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    return "\\n".join(lines)
