from __future__ import annotations

import pytest

from pdt_annotate.values.printable import disarm, one_line, printable

PLAIN = ["", "plain", "a\tb\nc", "ä é 漢字 👩‍👩‍👧", "x::y", " f'{a::b}'", "a:::b", "# ## [x]", "\u00ad\ue000"]


@pytest.mark.parametrize("text", PLAIN)
def test_what_does_nothing_stays(text: str) -> None:
    assert disarm(text) == printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb", r"a\rb"),
        ("a\r\nb", "a\nb"),
        ("\x07\x08\x0b\x0c\x7f\x00", r"\x07\x08\x0b\x0c\x7f\x00"),
        ("a\u202eb\u2066", r"a\u202eb\u2066"),
        ("\u2028", r"\u2028"),
        ("\udce9.py", r"\udce9.py"),
    ],
)
def test_what_acts_is_spelled(text: str, shown: str) -> None:
    assert printable(text) == disarm(text) == shown


def test_a_name_stays_on_one_line() -> None:
    assert one_line("a\tb\n::error::c.py") == r"a\tb\n::error::c.py"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::no", r"\x3a:error::no"),
        ("ok\n \t::add-mask::no", "ok\n \t" + r"\x3a:add-mask::no"),
        ("x ##[error]no", r"x #\x23[error]no"),
        ("\x1b::error::", r"\x1b::error::"),
    ],
)
def test_github_obeys_nothing(text: str, shown: str) -> None:
    assert disarm(text) == shown
