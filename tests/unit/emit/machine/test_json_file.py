"""The JSON document: complete, and the same bytes wherever the project lies."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from captured import make_captures
from outcomes import make_outcome, mended_outcome

from pdt_annotate.emit.files import deliver
from pdt_annotate.emit.machine import json_file
from pdt_annotate.values.outcome import Overlaid


def test_writes_to_a_file_or_stdout(tmp_path: Path) -> None:
    content, stdout = json_file.render(make_outcome(tmp_path)), io.BytesIO()
    deliver(content, str(tmp_path / "out.json"), stdout)
    assert stdout.getvalue() == b""
    deliver(content, "-", stdout)
    assert stdout.getvalue() == (tmp_path / "out.json").read_bytes() == content


def test_an_overlay_names_the_functions_that_are_mended_alone(tmp_path: Path) -> None:
    outcome = mended_outcome(tmp_path)
    outcome = replace(outcome, changes=(), overlaid=(Overlaid("model", outcome.changes[0]),))
    assert json_file.document(outcome)["overlaid"][0]["functions"] == ["Block.forward", "halve"]


def test_it_is_written_to_a_file_or_to_stdout(tmp_path: Path) -> None:
    found, stdout = make_captures(tmp_path), io.BytesIO()
    json_file.emit_captures(found, str(tmp_path / "out.json"), stdout)
    assert stdout.getvalue() == b""
    json_file.emit_captures(found, "-", stdout)
    assert (tmp_path / "out.json").read_bytes() == stdout.getvalue()
