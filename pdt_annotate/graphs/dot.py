"""A drawing as DOT text, in which frames are clusters."""

from collections.abc import Iterator

from pdt_annotate.graphs import node_names
from pdt_annotate.graphs.drawing import Box, Drawing, Frame, Link

FILLS = {  # by family; others are grey
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
