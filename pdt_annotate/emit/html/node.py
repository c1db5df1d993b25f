"""An entry of a tree on the page, coloured by verdict and foldable."""

from __future__ import annotations

from collections.abc import Sequence

from pdt_annotate.emit.html.markup import Child, Html, join, tag

SIGNS = {"ok": "✓", "idle": "○", "bad": "✗", "review": "!"}
"""By the tone of an entry, a class of the style sheet, so that colour is not all there is."""


def paint_node(
    tone: str, title: Child, said: Child, details: Sequence[Child], children: Sequence[Html], *, opened: bool
) -> Html:
    """One entry; one that has something inside can be folded.

    Args:
        tone: a key of `SIGNS`.
        title: what it is.
        said: what was found of it.
        details: more of that.
        children: the entries below it.
        opened: whether what is inside shows at first.
    """
    sign = tag("span", SIGNS[tone], class_="sign", aria_hidden="true")
    line = join(sign, " ", title, " ", tag("span", said, class_="verdict"))
    inside = join(*details, tag("ul", children) if children else None)
    entry = tag("details", tag("summary", line), inside, open=opened) if inside else tag("div", line, class_="leaf")
    return tag("li", entry, class_=tone)
