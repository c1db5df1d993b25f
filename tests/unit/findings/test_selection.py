"""What a word selects among the codes, and what is wrong with one that selects nothing."""

from __future__ import annotations

import pytest

from pdt_annotate.findings.catalogue import entries
from pdt_annotate.findings.selection import read_selectors, selects, what_is_wrong


@pytest.mark.parametrize(("selector", "code", "is_selected"), [("PDT10", "PDT100", True), ("PDT10", "PDT010", False)])
def test_a_code_is_selected_by_how_it_begins(selector: str, code: str, is_selected: bool) -> None:
    assert selects(selector, code) is is_selected


def test_nothing_is_wrong_with_a_code_and_its_beginnings() -> None:
    for code in (code for code, entry in entries().items() if not entry.never_ignored):
        assert what_is_wrong([code, code[:5], code[:4], "PDT"]) == ("", "")


@pytest.mark.parametrize("word", ["PDT37", "E501", "PDT0370"])
def test_what_selects_nothing_is_named(word: str) -> None:
    assert what_is_wrong(["PDT037", word])[0] == f"no code begins with {word}"


def test_what_the_exit_code_stands_for_cannot_be_ignored() -> None:
    assert what_is_wrong(["PDT090"])[0] == "PDT090 cannot be ignored"


def test_words_stand_between_commas_or_blanks() -> None:
    assert read_selectors(" pdt037,PDT10  PDT1 ") == ("PDT037", "PDT10", "PDT1")
    assert read_selectors("") == ()
