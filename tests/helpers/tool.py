"""Run the command in a folder, as a user does, and write the files of the folder."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from repository import ROOT

from pdt_annotate import cli
from pdt_annotate.cli.group import DEFAULT_COMMAND

SHOWN_OTHERWISE = ("COLUMNS", "NO_COLOR", "FORCE_COLOR")


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command until it ends, with any exit code."""
    kept = {name: value for name, value in os.environ.items() if name not in SHOWN_OTHERWISE}
    return subprocess.run(
        [sys.executable, "-m", "pdt_annotate", *words],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def accept(words: list[str]) -> None:
    """Parse a command line as the tool does, without a run."""
    name = words[0] if words and words[0] in cli.main_group.commands else DEFAULT_COMMAND
    cli.main_group.commands[name].make_context(name, words[words[:1] == [name] :])


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, by path, and return the folder."""
    for name, source in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source).lstrip("\n"))
    return folder
