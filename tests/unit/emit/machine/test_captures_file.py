"""Captures as JSON: all that was found, and nothing of this machine."""

from __future__ import annotations

import io
import json
from pathlib import Path

from captured import make_captures

from pdt_annotate.emit.machine import captures_file


def test_all_that_was_found_is_there(tmp_path: Path) -> None:
    document = captures_file.document(make_captures(tmp_path))
    assert [way["name"] for way in document["ways"]] == ["script", "trace", "fx", "compile-breaks", "lazy"]
    (target,) = document["targets"]
    as_it_is, annotated = target["versions"]
    assert (as_it_is["version"], annotated["version"]) == ("as it is", "annotated")
    fates = [each["fate"] for each in annotated["captures"]]
    assert fates == ["same", "differs", "refused", "same", "absent"]
    trace = annotated["captures"][1]
    assert (trace["graphs"], trace["whole"], trace["relative"], trace["per_call"]) == (1, True, 98.4, 0.84)
    assert [call["held_back"] for call in trace["calls"]] == [False, False, True]
    assert [each["code"] for each in trace["findings"]] == ["PDT030"]
    assert [each["met"] for each in annotated["required"]] == [True, False]


def test_paths_are_relative_wherever_they_stand(tmp_path: Path) -> None:
    text = json.dumps(captures_file.document(make_captures(tmp_path)))
    assert str(tmp_path) not in text
    assert '"file": "model.py"' in text and 'File \\"model.py\\", line 3' in text


def test_it_is_written_to_a_file_or_to_stdout(tmp_path: Path) -> None:
    found, stdout = make_captures(tmp_path), io.BytesIO()
    captures_file.emit(found, str(tmp_path / "out.json"), stdout)
    assert stdout.getvalue() == b""
    captures_file.emit(found, "-", stdout)
    assert (tmp_path / "out.json").read_bytes() == stdout.getvalue()
