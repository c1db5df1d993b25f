"""Workflow commands, read back by a parser that follows GitHub's runner and not the writer."""

from __future__ import annotations

from pathlib import Path

import pytest
from outcomes import make_outcome
from workflow_command import parse

from pdt_annotate.emit.machine import github
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.messages import Message
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Severity


def test_files_are_named_from_the_top_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    rendered = github.render(make_outcome(tmp_path / "pkg"), Invocation(str(tmp_path), WriteBack.CHECK))
    commands = [parse(line) for line in rendered.decode().splitlines()]
    assert {properties["file"] for _, properties, _ in commands} == {"pkg/model.py"}


@pytest.mark.parametrize("text", ["100%", "%0A", "%250A", "a:b, c=d", "::error::x", "line\nother\n", "größe 🦆", "="])
def test_any_text_arrives_as_it_was(text: str, tmp_path: Path) -> None:
    message = Message(Severity.NOTE, "PDT004", text, Place(str(tmp_path / text.strip()), 3), advice=("do",))
    line = github.command(message, str(tmp_path))
    assert "\n" not in line and "\r" not in line
    assert parse(line) == (
        "notice",
        {"file": text.strip(), "line": "3", "title": "PDT004 construct that TorchScript cannot compile"},
        f"{text}\ndo",
    )
