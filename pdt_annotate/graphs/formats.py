"""The formats of `graph`, by the name that the command line gives them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from pdt_annotate.emit.machine.invocation import is_below
from pdt_annotate.emit.words import plural
from pdt_annotate.graphs import dot, html, text
from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.collapse import collapse
from pdt_annotate.graphs.drawing import Drawing
from pdt_annotate.graphs.to_json import to_json
from pdt_annotate.graphs.to_python import to_python
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.places import Place

TEXT = "text"
SUFFIXES = {
    ".txt": TEXT,
    ".json": "json",
    ".dot": "dot",
    ".gv": "dot",
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".py": "python",
}

WIDTH = 120  # of a listing that goes to a file
MOST_BOXES = 150  # a page that would first show more shows the modules of a lesser depth first


LESS = 0.9  # a depth with hardly fewer boxes than there are in all is not worth a choice


@dataclass(frozen=True)
class GraphView:
    """How a graph is to be seen.

    Args:
        depth: modules that lie deeper are one node each; 0 for all.
        root: the directory whose files are the user's; links lead to them from `directory`.
    """

    depth: int = 0
    root: str = ""
    directory: str = ""

    def of(self, graph: Graph) -> Graph:
        return collapse(graph, self.depth)

    def link(self, place: Place) -> str:
        """A source line of the user's, as a relative address; "" for others, which are elsewhere on other machines."""
        if not (place.file and self.root and is_below(self.root, place.file)):
            return ""
        relative = named_from(os.path.realpath(place.file), os.path.realpath(self.directory))
        return f"{quote(relative)}#L{place.line}"


def _page(graph: Graph, view: GraphView) -> bytes:
    depths = dict(_depths(graph, view))
    small = [index for index, each in enumerate(depths.values()) if _size(each) <= MOST_BOXES]
    named = [index for index, name in enumerate(depths) if name == str(view.depth)]
    said = f"{graph.of}, {plural(sum(1 for _ in graph.walk()), 'node')}"
    return html.render(graph.target, said, depths, (named or small or [0])[-1])


def _depths(graph: Graph, view: GraphView) -> Iterator[tuple[str, Drawing]]:
    """Drawings down to every depth, of many the first ones and the one asked for; the whole of it last."""
    deepest = max((node.module.count(".") + 1 for node in graph.walk() if node.module), default=0)
    shown = list(range(1, min(deepest, html.MOST_DEPTHS - 1) + 1))
    if 0 < view.depth <= deepest and view.depth not in shown:
        shown[-1] = view.depth
    whole = arrange(graph)
    for depth in shown:
        drawn = arrange(collapse(graph, depth))
        if _size(drawn) <= LESS * _size(whole) or depth == view.depth:
            yield str(depth), drawn
    yield "all", whole


def _size(drawing: Drawing) -> int:
    return sum(1 for _ in drawing.root.boxes())


FORMATS: Mapping[str, Callable[[Graph, GraphView], bytes]] = {
    TEXT: lambda graph, view: text.render(view.of(graph), WIDTH).encode(),
    "json": lambda graph, view: to_json(view.of(graph), view.root).encode(),
    "dot": lambda graph, view: dot.render(arrange(view.of(graph)), view.link),
    "svg": lambda graph, view: html.render_svg(arrange(view.of(graph)), view.link),
    "html": _page,
    "python": lambda graph, view: to_python(graph).encode(),
}
"""(graph, view) → one whole document."""


def format_of(name: str, file: str) -> str:
    """The format that is named, or for "auto" the one that the name of the file ends with.

    Raises:
        UserError: it ends with nothing that is known.
    """
    if name != "auto":
        return name
    if file in ("", "-"):
        return TEXT
    suffix = os.path.splitext(file)[1].lower()
    if suffix not in SUFFIXES:
        known = f"{', '.join(SUFFIXES)} are known; --format names the format of any other"
        wrong = f"no graph is written as {suffix}" if suffix else "the name ends with nothing that tells the format"
        raise UserError(wrong, file=file, hint=known)
    return SUFFIXES[suffix]
