"""A drawing as SVG, and drawings of one graph as a page; neither uses the network.

Without a script the page scrolls, shows the facts of the node that is pressed, and one depth or another; the script
zooms, drags, searches and follows edges.
"""

import functools
import linecache
from collections.abc import Mapping
from dataclasses import replace

from jinja2 import Template

from pdt_annotate.emit.html.document import Html, asset, environment, page, show_unseen
from pdt_annotate.emit.html.source import coloured, highlight
from pdt_annotate.graphs import node_names
from pdt_annotate.graphs.drawing import COLUMN, PADDING, ROW, Box, Drawing, Link, Route, columns
from pdt_annotate.graphs.layered import lay_out
from pdt_annotate.values.slots import Place

MARGIN = 16.0
LINE = 14.0  # from the top of a box or a frame to its first line of text
AROUND = 3  # lines of source above and below that of a node
MOST_DEPTHS = 6  # pictures for which the style sheet has rules
_painted = functools.lru_cache(maxsize=8)(highlight)


def render_svg(drawing: Drawing, link: Link) -> bytes:
    drawn = picture(drawing, link, style=asset("graph.css", __package__))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn}\n'.encode()


def picture(
    drawing: Drawing, link: Link, style: Html | None = None, prefix: str = "", articles: Mapping[str, str] | None = None
) -> Html:
    """The element that shows a drawing; `articles` are the ids of the articles of boxes, by the keys of the boxes."""
    shown = {"style": style, "prefix": prefix, "articles": articles or {}}
    drawn = template("picture.svg").render(drawing=drawing, layout=lay_out(drawing), link=link, **shown)
    return Html(show_unseen(drawn))


@functools.cache
def template(name: str) -> Template:
    made = environment(__package__)
    made.filters.update(number=number, path=path)
    made.globals.update(MARGIN=MARGIN, LINE=LINE, COLUMN=COLUMN, PADDING=PADDING, ROW=ROW)
    made.globals.update(columns=columns, line=node_names.line, facts_text=node_names.facts_text)
    return made.get_template(name)


def path(route: Route) -> str:
    """The `d` of a path: "M0 0C0 1.5 2 1.5 2 3V6"; a curve that runs straight down is a line."""
    written = "M" + " ".join(map(number, route[0]))
    for start in range(0, len(route) - 1, 3):
        curve = route[start : start + 4]
        if len({x for x, _ in curve}) == 1:
            written += f"V{number(curve[-1][1])}"
        else:
            written += "C" + " ".join(number(side) for point in curve[1:] for side in point)
    return written


def number(side: float) -> str:
    return f"{round(side, 1):.10g}"


def render(title: str, said: str, depths: Mapping[str, Drawing], chosen: int = 0) -> bytes:
    """The page of one drawing at least and `MOST_DEPTHS` at most, by depth; the chosen one is seen first."""
    ids: dict[str, str] = {}
    articles: dict[str, Box] = {}
    pictures = []
    for index, drawing in enumerate(depths.values()):
        leads = {}
        for box in drawing.root.boxes():
            # Boxes of several depths with the same text share an article.
            leads[box.key] = key = ids.setdefault(repr(replace(box, key="", aside="", node=None)), f"x{len(ids) + 1}")
            articles.setdefault(key, box)
        pictures.append(picture(drawing, lambda place: "", prefix=f"d{index}-", articles=leads))
    used = dict.fromkeys(box.family for drawing in depths.values() for box in drawing.root.boxes())
    shown = {"title": title, "said": said, "depths": depths, "chosen": chosen, "pictures": pictures}
    legend = [family for family in used if family in node_names.FAMILIES]
    body = template("page.html").render(**shown, legend=legend, articles=articles, source=source_around)
    rules = asset("graph.css", __package__) + asset("page.css", __package__)
    return page("page.html", title, {"body": Html(body)}, style=rules, script=asset("page.js", __package__)).encode()


def source_around(place: Place) -> list[tuple[int, list[tuple[str, str]]]]:
    """The lines around a place by number, in coloured pieces; empty if the file has no such line."""
    lines = linecache.getlines(place.file) if place.file else []
    if not 0 < place.line <= len(lines):
        return []
    spans = _painted("".join(lines))
    numbers = range(max(1, place.line - AROUND), min(len(lines), place.line + AROUND) + 1)
    return [(n, list(coloured(lines[n - 1].rstrip("\n"), spans.get(n, ())))) for n in numbers]
