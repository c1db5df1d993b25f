"""The programs in docs/ run and print what the pages say, and the recorded session and the picture of a graph are
what the tool shows."""

from __future__ import annotations

from pathlib import Path

import graph_picture
import programs
import pytest
import session


@pytest.mark.parametrize("page", programs.pages(), ids=lambda page: page.name)
def test_programs_print_what_the_page_says(page: Path) -> None:
    assert programs.fill(page.read_text()) == page.read_text(), "run `make docs`"


def test_there_are_such_pages() -> None:
    assert "library.md" in {page.name for page in programs.pages()}


def test_the_recorded_session_is_what_a_terminal_shows() -> None:
    assert session.FILE.read_text() == session.record(), "run `make docs`"


def test_the_picture_of_a_graph_is_what_is_drawn() -> None:
    assert graph_picture.FILE.read_text() == graph_picture.draw(), "run `make docs`"
