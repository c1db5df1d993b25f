"""What every page is in: its head and its policy, in one file that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from pdt_annotate.emit.html.markup import Child, Html, join, tag

NO_ICON = "data:,"
"""Without an icon browsers ask the server for one."""


def shell(title: str, style: Html, script: Html, *body: Child, class_: str | None = None) -> Html:
    """The document.

    Args:
        style, script: all that there is of them; nothing else in the page may style it or run.
    """
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
    whole = tag("html", head, "\n", tag("body", *body, tag("script", script), class_=class_), lang="en")
    return join(Html("<!DOCTYPE html>\n"), whole, "\n")


def asset(name: str, package: str = "pdt_annotate.emit.html") -> Html:
    """A file of ours, which holds no end tag."""
    return Html(resources.files(package).joinpath(name).read_text("utf-8"))


def _policy(style: str, script: str) -> str:
    """Nothing may be loaded, and nothing run or applied but what is in the page."""
    allowed = {"style-src": style, "script-src": script}
    sources = [f"{name} '{_digest(text)}'" for name, text in allowed.items()]
    return "; ".join(["default-src 'none'", *sources, "img-src data:", "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
