"""HTML by construction, for drawings: whatever is not markup already is escaped, so that no text can be markup.

Pages are templates (`document`), which show such markup as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

VOID = frozenset({"input", "link", "meta", "wbr"})

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""What HTML or UTF-8 cannot hold, and what reorders or hides the text around it: a reader is shown its number."""


class Html(str):
    """Markup. Joining it with text by `+` or formatting gives text, which is escaped again: never the other way."""

    def __html__(self) -> str:
        """What a template shows of it."""
        return str(self)


Child = str | Iterable["Child"] | None
"""Markup, text to be escaped, or several of them; None is left out."""


def join(*children: Child) -> Html:
    """The children one after the other."""
    return Html("".join(_pieces(children)))


def _pieces(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if isinstance(child, Html):
            yield child
        elif isinstance(child, str):
            yield escape(child)
        elif child is not None:
            yield from _pieces(child)


def show_unseen(text: str) -> str:
    """The text with the numbers of characters that cannot be seen in their place."""
    return _UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def escape(text: str) -> Html:
    """
    >>> print(escape("<b> & 'c'"))
    &lt;b&gt; &amp; &#39;c&#39;
    """
    return Html(show_unseen(text).translate(_ESCAPES))


def tag(name: str, /, *children: Child, **attributes: str | bool | int | None) -> Html:
    """An element. `class_` is the attribute class, `aria_label` aria-label; True stands alone, None and False nowhere.

    >>> print(tag("a", "x < y", href="#l1", class_="no", hidden=True, title=None))
    <a href="#l1" class="no" hidden>x &lt; y</a>
    """
    opening = "".join((name, *(_attribute(key, value) for key, value in attributes.items())))
    return Html(f"<{opening}>" if name in VOID else f"<{opening}>{join(*children)}</{name}>")


def _attribute(key: str, value: str | bool | int | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
