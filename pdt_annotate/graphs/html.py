"""Drawings of one graph as a page: to look at from near and far, to search, each node with its source line.

Without a script it scrolls, tells of the node that is pressed and shows one depth or another; the script zooms, drags,
searches and follows edges.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.emit.html.document import Html, asset, document
from pdt_annotate.emit.html.source import Highlighted, highlight
from pdt_annotate.graphs import words
from pdt_annotate.graphs.drawing import Box, Drawing
from pdt_annotate.graphs.svg import picture, style, template
from pdt_annotate.values.places import Place

AROUND = 3
"""Lines of source above and below that of a node."""

MOST_DEPTHS = 6
"""Pictures for which the style sheet has rules."""

Pieces = list[tuple[str, str]]
"""A line of source: each piece of text after its class of the style sheet, "" for plain text."""


@dataclass(frozen=True)
class Depth:
    """A drawing of the graph down to one depth of modules, as the page names it."""

    name: str
    drawing: Drawing


def render(title: str, said: str, depths: Sequence[Depth], chosen: int = 0) -> bytes:
    """The page.

    Args:
        title: the target.
        said: what graph it is.
        depths: one at least, `MOST_DEPTHS` at most.
        chosen: which of them is seen first.
    """
    ids: dict[str, str] = {}
    articles: dict[str, Box] = {}
    pictures = []
    for index, depth in enumerate(depths):
        leads = {}
        for box in depth.drawing.root.boxes():
            # Boxes of several depths that say the same share an article.
            leads[box.key] = key = ids.setdefault(repr(replace(box, key="", aside="", node=None)), f"x{len(ids) + 1}")
            articles.setdefault(key, box)
        pictures.append(picture(depth.drawing, lambda place: "", prefix=f"d{index}-", articles=leads))
    used = dict.fromkeys(box.family for depth in depths for box in depth.drawing.root.boxes())
    body = template("page.html").render(
        title=title,
        said=said,
        depths=depths,
        chosen=chosen,
        pictures=pictures,
        legend=[family for family in used if family in words.FAMILIES],
        articles=articles,
        source=_Sources().around,
    )
    rules = style() + asset("page.css", __package__)
    return document(title, Html(body), style=rules, script=asset("page.js", __package__)).encode()


class _Sources:
    """The lines of source files, coloured; each file is read once."""

    def __init__(self) -> None:
        self.painted: dict[str, dict[int, list[Highlighted]]] = {}

    def around(self, place: Place) -> list[tuple[int, Pieces]]:
        """The lines around a place by number; none if the file has no such line."""
        lines = linecache.getlines(place.file) if place.file else []
        if not 0 < place.line <= len(lines):
            return []
        if place.file not in self.painted:
            self.painted[place.file] = highlight("".join(lines))
        spans = self.painted[place.file]
        numbers = range(max(1, place.line - AROUND), min(len(lines), place.line + AROUND) + 1)
        return [(n, list(_pieces(lines[n - 1].rstrip("\n"), spans.get(n, ())))) for n in numbers]


def _pieces(text: str, spans: Sequence[Highlighted]) -> Iterator[tuple[str, str]]:
    done = 0
    for span in spans:
        yield "", text[done : span.start]
        yield span.kind, text[span.start : span.end]
        done = span.end
    yield "", text[done:]
