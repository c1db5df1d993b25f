"""The whole page: its head, its policy, its landmarks, in one file that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from pdt_annotate.emit.html.advice import advice
from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.markup import Html, join, tag
from pdt_annotate.emit.html.mends import mends
from pdt_annotate.emit.html.modules import modules
from pdt_annotate.emit.html.sheets import contents, sheets, third_party
from pdt_annotate.emit.html.summary import banner, summary

NO_ICON = "data:,"
"""Without an icon browsers ask the server for one."""


def page(book: Book) -> Html:
    """The document."""
    style, script = (_asset(name) for name in ("style.css", "script.js"))
    title = ", ".join(book.said(target.text) for target in book.outcome.targets) or "profile"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} · pdt-annotate"),
        tag("link", rel="icon", href=NO_ICON),
        tag("style", style),
    )
    body = tag("body", *_body(book, title), tag("script", script))
    return join(Html("<!DOCTYPE html>\n"), tag("html", head, "\n", body, lang="en"), "\n")


def _body(book: Book, title: str) -> list[Html]:
    outcome = book.outcome
    sections = {
        "summary": ("Summary", summary(book)),
        "modules": ("Modules" if outcome.blame else "Functions", modules(book)),
        **({"mends": ("Changes of code", mends(book))} if outcome.mends or outcome.advised else {}),
        "findings": ("Findings", advice(book)),
        **({"third-party": ("Third-party files", third_party(book))} if outcome.overlaid else {}),
        "files": ("Files", sheets(book)),
    }
    links = [
        tag("li", tag("a", name, href=f"#{key}"), contents(book) if key == "files" else None)
        for key, (name, _) in sections.items()
    ]
    return [
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag("header", tag("p", "pdt-annotate", class_="tool"), tag("h1", title), banner(outcome)),
        tag("nav", tag("ul", links), aria_label="Contents"),
        tag("main", [_section(key, *section) for key, section in sections.items()], id="content", tabindex=-1),
    ]


def _section(key: str, name: str, content: Html) -> Html:
    return tag("section", tag("h2", name, id=f"{key}-title"), content, id=key, aria_labelledby=f"{key}-title")


def _asset(name: str) -> Html:
    """A file of this package, which is ours and holds no end tag."""
    return Html(resources.files(__package__).joinpath(name).read_text("utf-8"))


def _policy(style: str, script: str) -> str:
    """Nothing may be loaded, and nothing run or applied but what is in the page."""
    allowed = {"style-src": style, "script-src": script}
    sources = [f"{name} '{_digest(text)}'" for name, text in allowed.items()]
    return "; ".join(["default-src 'none'", *sources, "img-src data:", "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
