"""The programs in the pages of docs/, and their output.

    python tools/programs.py

runs the programs and writes their output into the pages. A program is between `<!-- begin program: FILE -->` and
`<!-- end program -->`, and its output is between `<!-- begin output: FILE -->` and `<!-- end output -->`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PROGRAM = re.compile(r"<!-- begin program: (\S+) -->\n```python\n(.*?)```\n<!-- end program -->", re.DOTALL)
OUTPUT = re.compile(r"(<!-- begin output: (\S+) -->\n```\n)(.*?)(```\n<!-- end output -->)", re.DOTALL)


def pages() -> list[Path]:
    """The pages that contain programs."""
    return sorted(page for page in DOCS.glob("*.md") if PROGRAM.search(page.read_text()))


def fill(text: str) -> str:
    """The text of a page, with the current output of every program. All programs of a page run in one folder.

    Raises:
        AssertionError: a program fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        for file, source in PROGRAM.findall(text):
            Path(folder, file).write_text(source)
        return OUTPUT.sub(lambda match: match[1] + run(folder, match[2]) + match[4], text)


def run(folder: str, file: str) -> str:
    env = os.environ | {"PYTHONPATH": str(DOCS.parent)}
    command = [sys.executable, "-B", file]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.rstrip().splitlines())


if __name__ == "__main__":
    for page in pages():
        page.write_text(fill(page.read_text()))
