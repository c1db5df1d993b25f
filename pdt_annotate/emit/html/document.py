"""What every page of ours is: one file that asks nothing of the network, with a head, a policy and landmarks."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

from pdt_annotate.emit.html.markup import Child, Html, join, tag

NO_ICON = "data:,"
"""Without an icon browsers ask the server for one."""


@dataclass(frozen=True)
class PageSection:
    """A part of a page under a heading.

    Args:
        key: its id, which links lead to.
        within: what the list of contents has below its name.
    """

    key: str
    name: str
    content: Child
    within: Html | None = None


def document(title: str, body: Child, *, style: str = "", script: str = "") -> Html:
    """The whole page, in the look that all pages have.

    Args:
        title: what the browser's tab says, beside the tool's name.
        body: all that is inside the element of that name; `landmarks` makes one.
        style: rules of this page alone, behind those of all pages.
        script: the same for code; what needs it is to be hidden until it runs.
    """
    styles, scripts = ([asset(name), Html(more)] for name, more in (("style.css", style), ("script.js", script)))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(styles, scripts)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} · pdt-annotate"),
        tag("link", rel="icon", href=NO_ICON),
        [tag("style", each) for each in styles if each],
    )
    whole = tag("body", body, [tag("script", each) for each in scripts if each])
    return join(Html("<!DOCTYPE html>\n"), tag("html", head, "\n", whole, lang="en"), "\n")


def landmarks(heading: str, banner: Child, sections: Sequence[PageSection]) -> Html:
    """A body: the heading with what is to be said first, the list of contents, and the sections."""
    links = [tag("li", tag("a", each.name, href=f"#{each.key}"), each.within) for each in sections]
    return join(
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag("header", tag("p", "pdt-annotate", class_="tool"), tag("h1", heading), banner),
        tag("nav", tag("ul", links), aria_label="Contents"),
        tag("main", map(_section, sections), id="content", tabindex=-1),
    )


def _section(section: PageSection) -> Html:
    heading = tag("h2", section.name, id=f"{section.key}-title")
    return tag("section", heading, section.content, id=section.key, aria_labelledby=f"{section.key}-title")


def asset(name: str, package: str = __package__) -> Html:
    """A style or script among the files of a package of ours, which holds no end tag."""
    return Html(resources.files(package).joinpath(name).read_text("utf-8"))


def policy(styles: Iterable[str], scripts: Iterable[str]) -> str:
    """Nothing may be loaded, and nothing run or applied but what is in the page."""
    allowed = {"style-src": styles, "script-src": scripts}
    sources = [" ".join((name, *(f"'{_digest(each)}'" for each in texts if each))) for name, texts in allowed.items()]
    return "; ".join(["default-src 'none'", *sources, "img-src data:", "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
