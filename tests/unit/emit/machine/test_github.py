"""Workflow commands, read back by a parser that follows GitHub's runner and not the writer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import fail, make_outcome
from workflow_command import parse

from pdt_annotate.emit.machine import github
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.messages import Message
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Severity


def commands(
    outcome: Outcome, write_back: WriteBack = WriteBack.CHECK, base: str = ""
) -> list[tuple[str, dict[str, str], str]]:
    rendered = github.render(outcome, Invocation(base or outcome.root, write_back))
    return [parse(line) for line in rendered.decode().split("\n")[:-1]]


def test_nothing_to_say_is_no_output(tmp_path: Path) -> None:
    assert commands(Outcome((), str(tmp_path), verified=True)) == []


def test_what_is_written_is_not_missing(tmp_path: Path) -> None:
    assert [name for name, _, _ in commands(make_outcome(tmp_path), WriteBack.IN_PLACE)] == ["warning"]


def test_a_check_marks_the_function_and_says_what_to_run(tmp_path: Path) -> None:
    (name, properties, message), (finding, _, _) = commands(make_outcome(tmp_path))
    assert (name, finding) == ("error", "warning")
    assert properties == {
        "file": "model.py",
        "line": "5",
        "endLine": "5",
        "col": "9",
        "endColumn": "16",
        "title": "PDT090 annotations are missing",
    }
    assert message.startswith("Net.forward lacks x: Tensor, mask: Optional[Tensor]\n")
    assert "without `--check`" in message


def test_a_dry_run_warns(tmp_path: Path) -> None:
    assert [name for name, _, _ in commands(make_outcome(tmp_path), WriteBack.DIFF)] == ["warning", "warning"]


def test_a_failure_is_an_error(tmp_path: Path) -> None:
    (name, properties, message), _ = commands(fail(make_outcome(tmp_path), "100% wrong:\r\nx, y"))
    assert (name, properties["file"]) == ("error", "model.py")
    assert (properties["line"], properties["col"]) == ("6", "39")
    assert "100% wrong:\nx, y" in message


def test_files_are_named_from_the_top_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    found = commands(make_outcome(tmp_path / "pkg"), base=str(tmp_path))
    assert {properties["file"] for _, properties, _ in found} == {"pkg/model.py"}


def test_a_file_outside_the_repository_is_named_in_the_message(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    outcome = make_outcome(tmp_path / "root")
    finding = replace(outcome.findings[0], place=Place(str(tmp_path / "lib.py"), 7, 3))
    (found,) = commands(replace(outcome, findings=(finding,), changes=()))
    assert "file" not in found[1] and found[2].startswith("lib.py:7:3: only None")


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
