"""HTML by construction: whatever is not markup already is escaped, so that no text of the user's can be markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

_CODE = re.compile(r"`([^`]+)`")

LONG = 24
"""Letters of a name that stays whole on a line."""

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


def escape(text: str) -> Html:
    """
    >>> print(escape("<b> & 'c'"))
    &lt;b&gt; &amp; &#39;c&#39;
    """
    seen = _UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)
    return Html(seen.translate(_ESCAPES))


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


def prose(text: str) -> Html:
    """A sentence with its `code` marked up; an option is not broken at its hyphens."""
    pieces = _CODE.split(text)
    return join(*(_code(piece) if index % 2 else piece for index, piece in enumerate(pieces)))


def _code(text: str) -> Html:
    is_option = text.startswith("-") and " " not in text and len(text) <= LONG
    return tag("code", text, class_="whole" if is_option else None)


def path(text: str) -> Html:
    """A path, which may break behind its slashes where a line is short, and in a long name behind underscores.

    >>> print(path("net/model.py"), path("net/model_of_everything_there_is.py"))
    net/<wbr>model.py net/<wbr>model_<wbr>of_<wbr>everything_<wbr>there_<wbr>is.py
    """
    pieces = (re.split("(?<=_)(?=[^_])", name) if len(name) > LONG else [name] for name in re.split("(?<=/)", text))
    first, *others = chain.from_iterable(pieces)
    return join(first, *((tag("wbr"), each) for each in others))


def command(words: Iterable[str]) -> Html:
    """A command line, which breaks between its words, and in one only where that is longer than a line."""
    spaced = ((" " if index else "", tag("span", word, class_="word")) for index, word in enumerate(words))
    return tag("pre", *spaced, aria_label="The command")


def unordered(items: Iterable[Child], **attributes: str | bool | int | None) -> Html | None:
    """A list; nothing where it has no items."""
    entries = [tag("li", item) for item in items]
    return tag("ul", entries, **attributes) if entries else None
