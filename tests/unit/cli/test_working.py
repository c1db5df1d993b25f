"""What a command says of the torch that runs the user's code."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pdt_annotate.cli.working import tell_of_torch
from pdt_annotate.settings.options import Options
from pdt_annotate.values.runs import SpecSource, Target

OPTIONS = Options((Target("model.py:Net", "", "", "Net"),), SpecSource(), ".")


def environment(folder: Path, torch: str) -> str:
    """An environment of this Python's, in which a torch seems to be installed."""
    libraries = folder / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    for name in ("torch", f"torch-{torch}.dist-info"):
        (libraries / name).mkdir(parents=True)
    (libraries / "torch" / "__init__.py").touch()
    (libraries / f"torch-{torch}.dist-info" / "METADATA").write_text(f"Name: torch\nVersion: {torch}\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\n")
    return str(folder)


@pytest.mark.parametrize(("torch", "quiet", "said"), [("2.6.0", 0, 0), ("3.1.0", -1, 0), ("3.0.0", 0, 1)])
def test_a_note_once_a_run(
    torch: str, quiet: int, said: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = replace(OPTIONS, python=environment(tmp_path, torch), verbosity=quiet)
    for _ in range(2):
        tell_of_torch([options, options])
    assert capsys.readouterr().err.count("note: torch 3.") == said
