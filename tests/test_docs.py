"""The programs in docs/ run and print what the pages say."""

from __future__ import annotations

from pathlib import Path

import programs
import pytest


@pytest.mark.parametrize("page", programs.pages(), ids=lambda page: page.name)
def test_programs_print_what_the_page_says(page: Path) -> None:
    assert programs.fill(page.read_text()) == page.read_text(), "run `make docs`"


def test_there_are_such_pages() -> None:
    assert "library.md" in {page.name for page in programs.pages()}
