"""Text never becomes markup, however it is joined."""

from __future__ import annotations

import pytest

from pdt_annotate.emit.html.markup import escape, join, tag

HOSTILE = "</script><img src=x onerror='a'>&\"amp;"


def test_plain_text_stays() -> None:
    assert escape("f(x: List[int]) -> é 漢\t\n") == "f(x: List[int]) -&gt; é 漢\t\n"


@pytest.mark.parametrize("text", [HOSTILE, "&lt;", "'", '"', "<!--", "]]>"])
def test_text_is_escaped_once_wherever_it_stands(text: str) -> None:
    escaped = escape(text)
    assert not {"<", ">", '"', "'"} & set(escaped)
    assert join(text) == join(escaped) == join([text]) == escaped
    assert tag("p", text) == f"<p>{escaped}</p>"
    assert tag("p", title=text) == f'<p title="{escaped}"></p>'


def test_what_is_made_of_markup_and_text_is_text() -> None:
    b = tag("b", "x")
    assert join(f"{b}") == join(b + "") == "&lt;b&gt;x&lt;/b&gt;"
    assert join(b, [b, None, "<"]) == "<b>x</b><b>x</b>&lt;"


def test_attributes() -> None:
    assert tag("a", class_="no", aria_label="l", tabindex=-1) == '<a class="no" aria-label="l" tabindex="-1"></a>'
    assert tag("details", open=True, hidden=False, title=None) == "<details open></details>"
    assert tag("meta", name="viewport", content="") == '<meta name="viewport" content="">'


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x0c", "\x85", "\u202e", "\u2066", "\u200b", "\ufeff", "\ud800"])
def test_what_cannot_be_seen_is_shown_by_its_number(character: str) -> None:
    shown = escape(f"a{character}b")
    assert shown == f"a⟨U+{ord(character):04X}⟩b"
    shown.encode()
