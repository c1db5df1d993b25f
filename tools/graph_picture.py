"""docs/graph.svg: the graph of a fixture, drawn by the tool.

    python tools/graph_picture.py [--check]

draws the picture. With --check it writes nothing, and exits with 1 if the picture is stale.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import golden

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "graph.svg"
FIXTURE = "streaming_conv"


def draw() -> str:
    with tempfile.TemporaryDirectory() as parent:
        folder = golden.copy(FIXTURE, Path(parent))
        target = (folder / "target").read_text().strip()
        asked = [target, "-i", golden.spec_of(folder), "--depth", "1", "--root", ".", "-o", "graph.svg"]
        env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-m", "pdt_annotate", "graph", *asked], cwd=folder, env=env, check=True)
        return (folder / "graph.svg").read_text()


def main() -> int:
    drawn = draw()
    if sys.argv[1:] == ["--check"]:
        return 0 if FILE.exists() and FILE.read_text() == drawn else 1
    FILE.write_text(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
