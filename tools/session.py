"""docs/session.svg: a real run of the tool in a terminal, drawn by rich.

    python tools/session.py [--check]

records the run. With --check it writes nothing, and exits with 1 if the picture is stale.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

import golden
from rich.console import Console
from rich.text import Text

FILE = Path(__file__).resolve().parent.parent / "docs" / "session.svg"
FIXTURE = "lstm_namedtuple"
COLUMNS, LINES = 110, 60
UP, WIPE = "\x1b[1A", "\x1b[2K"
CONTROL = re.compile(r"\x1b\[\?25[lh]|\r|\x1b\[1A")


def record() -> str:
    """The session as SVG."""
    with tempfile.TemporaryDirectory() as parent:
        folder = golden.copy(FIXTURE, Path(parent))
        target = (folder / "target").read_text().strip()
        command = ["pdt-annotate", target, "-i", golden.spec_of(folder), "--diff"]
        shown = run_in_terminal([sys.executable, "-m", "pdt_annotate", *command[1:], "--root", "."], folder)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "bold"), " ".join(command)))
    console.print(Text.from_ansi(shown))
    return console.export_svg(title="pdt-annotate", unique_id="session")


def run_in_terminal(command: list[str], folder: Path) -> str:
    """The text that a terminal shows at the end of a command, without lines that were overwritten."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    env |= {"TERM": "xterm-256color", "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                read = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not read:
                break
            shown += read
    os.close(ours)
    assert process.returncode == 0, shown.decode()
    return without_status(shown.decode())


def without_status(text: str) -> str:
    """Remove the lines of the spinner, which it erases, or overwrites when it ends."""
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        for _ in range(line.count(UP)):
            lines.pop()
        lines.append(CONTROL.sub("", line.rpartition(WIPE)[2]))
    return "\n".join(lines)


def main() -> int:
    made = record()
    if sys.argv[1:] == ["--check"]:
        return 0 if FILE.exists() and FILE.read_text() == made else 1
    FILE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
