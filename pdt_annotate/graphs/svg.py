"""A drawing as SVG: one file that asks nothing of the network, with light and dark colours of its own."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from pdt_annotate.emit.html.document import Html, asset, escape
from pdt_annotate.graphs import words
from pdt_annotate.graphs.drawing import COLUMN, PADDING, ROW, Drawing, Link, Route, columns
from pdt_annotate.graphs.layout import lay_out

MARGIN = 16.0

LINE = 14.0
"""From the top of a box or a frame to where its first line of text is written."""


def render(drawing: Drawing, link: Link) -> bytes:
    """The whole file."""
    drawn = picture(drawing, link, style=style())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn}\n'.encode()


def style() -> Html:
    """The style sheet of a picture."""
    return asset("graph.css", __package__)


def picture(
    drawing: Drawing, link: Link, style: Html | None = None, prefix: str = "", articles: Mapping[str, str] | None = None
) -> Html:
    """The element that shows a drawing.

    Args:
        style: rules that the picture brings along.
        prefix: what ids begin with, if several pictures are in one page.
        articles: by the key of a box, the id of what the box leads to.
    """
    shown = {"style": style, "prefix": prefix, "articles": articles or {}}
    return Html(template("picture.svg").render(drawing=drawing, layout=lay_out(drawing), link=link, **shown))


def template(name: str) -> Template:
    """One of our templates, in which every text is escaped."""
    return _environment().get_template(name)


@functools.cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        # Beyond what jinja escapes: characters that cannot be seen are shown by their numbers.
        finalize=lambda shown: escape(shown) if type(shown) is str else shown,
    )
    made.filters.update(number=number, path=path)
    made.globals.update(MARGIN=MARGIN, LINE=LINE, COLUMN=COLUMN, PADDING=PADDING, ROW=ROW)
    made.globals.update(columns=columns, line=words.line, facts_text=words.facts_text)
    return made


def path(route: Route) -> str:
    """
    >>> path(((0.0, 0.0), (0.0, 1.5), (2.0, 1.5), (2.0, 3.0), (2.0, 4.0), (2.0, 5.0), (2.0, 6.0)))
    'M0 0C0 1.5 2 1.5 2 3V6'
    """
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
