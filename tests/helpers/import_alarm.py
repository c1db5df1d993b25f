"""An environment that notes when a process imports what is heavy."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from repository import ROOT

ALARM = """\
import os
import sys


def note(event, args):
    if event == "import" and args[0] in ("click", "libcst", "rich", "torch"):
        with open(os.environ["HEARD"], "a") as file:
            file.write(f"{args[0]} ")


sys.addaudithook(note)
"""


def set_up(directory: Path) -> dict[str, str]:
    """The variables of an environment with the tool's command in it."""
    for name in ("alarm", "caches"):
        (directory / name).mkdir()
    (directory / "alarm" / "sitecustomize.py").write_text(ALARM)
    return {
        "PATH": os.pathsep.join((str(make_command(directory / "bin", sys.executable)), os.environ["PATH"])),
        "PYTHONPATH": os.pathsep.join((str(directory / "alarm"), str(ROOT))),
        "HEARD": str(directory / "heard"),
        "XDG_CACHE_HOME": str(directory / "caches"),
    }


def make_command(directory: Path, python: str) -> Path:
    """A directory with the command in it, as an installation writes it."""
    directory.mkdir(exist_ok=True)
    command = directory / "pdt-annotate"
    command.write_text(f"#!{python}\nimport sys\nfrom pdt_annotate.__main__ import main\nsys.exit(main())\n")
    command.chmod(0o755)
    return directory


def heard(environment: Mapping[str, str]) -> set[str]:
    """What of click, libcst, rich and torch any process has imported since this was last asked."""
    file = Path(environment["HEARD"])
    names = set(file.read_text().split()) if file.exists() else set()
    file.unlink(missing_ok=True)
    return names
