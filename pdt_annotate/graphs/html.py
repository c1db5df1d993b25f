"""Drawings of one graph as a page: to look at from near and far, to search, each node with its source line.

Without a script it scrolls, tells of the node that is pressed and shows one depth or another; the script zooms, drags,
searches and follows edges.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.emit.html.document import asset, document
from pdt_annotate.emit.html.highlight import Highlighted, highlight
from pdt_annotate.emit.html.markup import Html, escape, join, tag
from pdt_annotate.graphs import words
from pdt_annotate.graphs.drawing import Box, Drawing
from pdt_annotate.graphs.layout import lay_out
from pdt_annotate.graphs.svg import Picture, style
from pdt_annotate.values.places import Place

AROUND = 3
"""Lines of source above and below that of a node."""

MOST_DEPTHS = 6
"""Pictures for which the style sheet has rules."""

ZOOMS = (("in", "+", "Zoom in"), ("out", "\N{MINUS SIGN}", "Zoom out"), ("fit", "fit", "Show all"))
"""By name for the script: what stands on the button, and what it does."""

KEYS = (("/", "search"), ("+ -", "zoom"), ("0", "all of it"), ("↓ ↑", "along the edges"), ("Esc", "close"))


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
    return _Page(title, said, depths, chosen).whole().encode()


class _Page:
    def __init__(self, title: str, said: str, depths: Sequence[Depth], chosen: int) -> None:
        self.title, self.said, self.depths, self.chosen = title, said, depths, chosen
        self.articles: dict[Html, str] = {}
        self.painted: dict[str, dict[int, list[Highlighted]]] = {}

    def whole(self) -> Html:
        pictures = [self._picture(index, depth) for index, depth in enumerate(self.depths)]
        body = tag(
            "div",
            tag("header", tag("p", "pdt-annotate graph", class_="tool"), tag("h1", self.title), tag("p", self.said)),
            self._radios(),
            self._tools(),
            tag("main", pictures, class_="stage", tabindex=0, aria_label="Graph", role="region"),
            tag("aside", self._hint(), self._articles(), aria_label="Node", aria_live="polite"),
            class_="graph-page",
        )
        mine = join(style(), asset("page.css", __package__))
        return document(self.title, body, style=mine, script=asset("page.js", __package__))

    def _radios(self) -> Html:
        """Which depth is shown: radio buttons that the style sheet heeds, and so before what they show."""
        buttons = [
            tag(
                "label",
                tag("input", type="radio", name="depth", id=f"depth-{index}", checked=index == self.chosen),
                depth.name,
            )
            for index, depth in enumerate(self.depths)
        ]
        return tag("fieldset", tag("legend", "Modules"), buttons, class_="depths", hidden=len(self.depths) == 1)

    def _tools(self) -> Html:
        """What works with the page's script, and is hidden without it."""
        find = tag("input", type="search", placeholder="operator, module, line", aria_label="Search the nodes")
        zoom = [tag("button", sign, type="button", data_zoom=name, aria_label=label) for name, sign, label in ZOOMS]
        return tag("div", find, tag("output"), zoom, class_="graph-tools", role="search", hidden=True)

    def _picture(self, index: int, depth: Depth) -> Html:
        drawn = Picture(depth.drawing, lay_out(depth.drawing), lambda place: "", f"d{index}-", self._linked).draw()
        return tag("div", drawn, class_="picture", id=f"picture-{index}")

    def _linked(self, box: Box, drawn: Html) -> Html:
        key = self.articles.setdefault(self._article(box), f"x{len(self.articles) + 1}")
        return tag("a", drawn, href=f"#{key}", class_="node")

    def _articles(self) -> list[Html]:
        return [tag("article", article, id=key) for article, key in self.articles.items()]

    def _article(self, box: Box) -> Html:
        """All that is known of a box, with the source around its line."""
        facts = {name: text for name, text in box.facts.items() if name not in ("source", "line")}
        rows = [join(tag("dt", name), tag("dd", tag("code", text))) for name, text in facts.items()]
        heading = tag("h2", tag("span", class_=f"swatch {box.family}"), box.head)
        return join(heading, tag("dl", rows) if rows else tag("p", ", ".join(box.lines)), self._source(box.place))

    def _source(self, place: Place) -> Html | None:
        lines = linecache.getlines(place.file) if place.file else []
        if not 0 < place.line <= len(lines):
            return tag("p", words.line(place), class_="place") if place.file else None
        spans = self.painted.setdefault(place.file, {})
        if not spans:
            spans.update(highlight("".join(lines)))
        numbers = range(max(1, place.line - AROUND), min(len(lines), place.line + AROUND) + 1)
        rows = [_row(n, lines[n - 1].rstrip("\n"), spans.get(n, ()), n == place.line) for n in numbers]
        return join(tag("h3", words.line(place)), tag("div", rows, class_="code"))

    def _hint(self) -> Html:
        used = dict.fromkeys(box.family for depth in self.depths for box in depth.drawing.root.boxes())
        legend = [tag("li", tag("span", class_=f"swatch {each}"), each) for each in used if each in words.FAMILIES]
        keys = [join(tag("dt", tag("kbd", key)), tag("dd", does)) for key, does in KEYS]
        return tag(
            "div",
            tag("p", "Press a node to see its arguments, its module and its source line."),
            tag("ul", legend, class_="legend") if legend else None,
            tag("dl", keys, class_="keys", hidden=True),
            class_="hint",
        )


def _row(number: int, text: str, spans: Sequence[Highlighted], here: bool) -> Html:
    return tag(
        "div",
        tag("span", str(number), class_="no"),
        tag("span", class_="sign"),
        tag("div", *_colours(text, spans), "\n", class_="text"),
        class_="row here" if here else "row",
        aria_current="true" if here else None,
    )


def _colours(text: str, spans: Sequence[Highlighted]) -> Iterator[Html]:
    """A line of source, each span of a kind in an element."""
    done = 0
    for span in spans:
        yield escape(text[done : span.start])
        yield tag("span", text[span.start : span.end], class_=span.kind)
        done = span.end
    yield escape(text[done:])
