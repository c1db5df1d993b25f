"""Makes a page: fills its template, under a policy that lets no other content in."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, Any

from pdt_annotate.emit import words
from pdt_annotate.findings import catalogue
from pdt_annotate.findings.messages import code_of
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.settings.make_options import versions
from pdt_annotate.values import shell

if TYPE_CHECKING:
    from jinja2 import Environment

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Characters that HTML or UTF-8 cannot hold, or that reorder or hide text. The page shows their numbers."""


class Html(str):
    """Markup, which templates show unescaped; joined with text by `+` or formatting it becomes text to escape."""

    def __html__(self) -> str:
        return str(self)


def show_unseen(text: str) -> str:
    return _UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


LONG = 24  # the most letters of a name that is never broken
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class PageSection:
    """A part of a page under a heading. Links lead to its key, which also names the template if `template` is empty."""

    key: str
    name: str
    template: str = ""
    about: Any = None


@cache
def environment(package: str = __package__) -> Environment:
    """The templates: every text is escaped, and a missing name is an error."""
    # Only users who ask for a page pay for this import.
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415

    loader = PackageLoader(package)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    called = (*filter(callable, vars(words).values()), catalogue.entry, code_of, telling_line, versions)
    made.globals.update({each.__name__: each for each in called}, TIMES=words.TIMES, quote=shell.join)
    made.filters.update(code_pieces=code_pieces, path_pieces=path_pieces)
    return made


def page(template: str, title: str, shown: Mapping[str, Any], *, style: str = "", script: str = "") -> str:
    """A whole page in the look that all pages share; `style` and `script` are for this page alone."""
    styles = [Html(each) for each in (asset("style.css"), style) if each]
    scripts = [Html(each) for each in (asset("script.js"), script) if each]
    sources = ["default-src 'none'"]
    for name, texts in {"style-src": styles, "script-src": scripts}.items():
        digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in texts]
        sources.append(" ".join((name, *(f"'sha256-{each}'" for each in digests))))
    policy = "; ".join([*sources, "img-src data:", "base-uri 'none'", "form-action 'none'"])
    common = {"title": title, "styles": styles, "scripts": scripts, "policy": policy}
    return show_unseen(environment().get_template(template).render(common, **shown)) + "\n"


def asset(name: str, package: str = __package__) -> Html:
    """A style or script from one of our packages; it contains no end tag."""
    return Html(resources.files(package).joinpath(name).read_text("utf-8"))


def code_pieces(text: str) -> list[tuple[str, str]]:
    """The pieces of a sentence with `code` in it, each with its kind: an option is not broken at its hyphens."""
    pieces = _CODE.split(text)
    is_option = [each.startswith("-") and " " not in each and len(each) <= LONG for each in pieces]
    kinds = [("option" if is_option[index] else "code") if index % 2 else "" for index in range(len(pieces))]
    return list(zip(kinds, pieces, strict=True))


def path_pieces(text: str) -> list[str]:
    """The pieces of a path between which a line may break: after slashes, and in a long name after underscores."""
    names = re.split("(?<=/)", text)
    return list(chain.from_iterable(re.split("(?<=_)(?=[^_])", name) if len(name) > LONG else [name] for name in names))
