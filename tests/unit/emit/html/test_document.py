"""Templates: what they show of a text is the text."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from pdt_annotate.emit.html.document import Html, environment, page, show_unseen

HOSTILE = "</script><img src=x onerror='a'>&\"amp;"


def macro(name: str, *arguments: object) -> str:
    return str(getattr(environment().get_template("macros.html").module, name)(*arguments))


def test_code_in_a_sentence() -> None:
    assert macro("prose", "use `List[int]`, not `<b>`") == "use <code>List[int]</code>, not <code>&lt;b&gt;</code>"
    assert macro("prose", "with `--diff`") == 'with <code class="whole">--diff</code>'
    assert macro("prose", "one ` alone") == "one ` alone"


def test_a_path_may_break_behind_slashes_and_a_long_name_behind_underscores() -> None:
    assert macro("path", "net/<b>.py") == "net/<wbr>&lt;b&gt;.py"
    assert macro("path", "model_of_everything_there_is.py").count("<wbr>") == 4


def test_text_is_escaped_and_markup_is_not() -> None:
    assert "<title>&lt;/script&gt;" in page("page.html", HOSTILE, {"body": HOSTILE})
    assert "<p>" not in page("page.html", "", {"body": "<p>"})
    assert "<p>" in page("page.html", "", {"body": Html("<p>")})


def test_a_template_without_what_it_shows_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        page("page.html", "", {})


@pytest.mark.parametrize("name", environment().list_templates())
def test_every_template_is_one(name: str) -> None:
    environment().get_template(name)


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x0c", "\x85", "\u202e", "\u2066", "\u200b", "\ufeff", "\ud800"])
def test_what_cannot_be_seen_is_shown_by_its_number(character: str) -> None:
    shown = show_unseen(f"a{character}b")
    assert shown == f"a⟨U+{ord(character):04X}⟩b"
    shown.encode()
