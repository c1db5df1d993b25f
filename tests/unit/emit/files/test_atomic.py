"""What is told ahead of files that cannot be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pdt_annotate.emit.files.atomic import assert_writable
from pdt_annotate.values.errors import UserError


def test_what_can_be_written_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("as it was")
    assert_writable([str(tmp_path / "old"), str(tmp_path / "new"), str(tmp_path / "deep" / "down" / "new")])
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "as it was"


@pytest.mark.parametrize(("place", "reason"), [(".", "Is a directory"), ("old/new", "Not a directory")])
def test_what_cannot_is_told_with_the_reason(place: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "old").touch()
    with pytest.raises(UserError, match=f"cannot write the file: {reason}") as raised:
        assert_writable([str(tmp_path / place)])
    assert raised.value.file == str(tmp_path / place)
