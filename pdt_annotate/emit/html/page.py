"""The whole page: its landmarks in one document."""

from __future__ import annotations

from pdt_annotate.emit.html.advice import advice
from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.markup import Html, tag
from pdt_annotate.emit.html.mends import mends
from pdt_annotate.emit.html.modules import modules
from pdt_annotate.emit.html.sheets import contents, sheets, third_party
from pdt_annotate.emit.html.shell import asset, shell
from pdt_annotate.emit.html.summary import banner, summary


def page(book: Book) -> Html:
    """The document."""
    title = ", ".join(book.said(target.text) for target in book.outcome.targets) or "profile"
    return shell(title, asset("style.css"), asset("script.js"), *_body(book, title))


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
