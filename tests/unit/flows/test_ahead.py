"""What is told before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pdt_annotate.flows.ahead import check_outputs
from pdt_annotate.settings.load import make_options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import Target

WRITTEN = ("json", "html", "stubs", "overlay", "save-profile", "output", "output-file")


def check(name: str, place: str, root: Path) -> None:
    value = ((f"json:{place}",) if place else ()) if name == "output-file" else place
    given: dict[str, Any] = {"arg": ("3",), name.replace("-", "_"): value}
    check_outputs(make_options([Target("m:f", "m", "", "f")], str(root), **given))


@pytest.mark.parametrize("name", WRITTEN)
def test_what_can_be_written_is_left_alone(name: str, tmp_path: Path) -> None:
    for value in ("", str(tmp_path / "new"), str(tmp_path / "deep" / "new")):
        check(name, value, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", WRITTEN)
def test_what_cannot_is_told_by_its_option(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=f"--{name} cannot be written: Not a directory") as raised:
        check(name, str(tmp_path / "file" / "new"), tmp_path)
    assert raised.value.hint == f"{tmp_path / 'file'} is a file"


def test_stdout_is_no_file(tmp_path: Path) -> None:
    check("json", "-", tmp_path)
