"""What people read, as a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended_outcomes import advised_outcome
from outcomes import make_outcome

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.terminal.text_file import render
from pdt_annotate.settings.options import WriteBack


@pytest.fixture(autouse=True)
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORCE_COLOR", "1")


@pytest.mark.parametrize(("write_back", "place"), [(WriteBack.IN_PLACE, "7:34"), (WriteBack.DIFF, "5:26")])
def test_places_are_those_in_the_files_as_they_are_left(write_back: WriteBack, place: str, tmp_path: Path) -> None:
    text = render(make_outcome(tmp_path), Invocation(str(tmp_path), write_back)).decode()
    assert text.startswith(f"model.py:{place}: PDT030 ")
    assert text.endswith("\nthe scripted model answers like eager on 3 calls (1 held back)\n")


def test_what_would_have_helped_is_told_once(tmp_path: Path) -> None:
    text = render(advised_outcome(tmp_path), Invocation(str(tmp_path), WriteBack.DIFF)).decode()
    assert text.count("with `--mend all` it would script") == 1
    assert "\x1b" not in text and "  → the same command with --mend all\n" in text
