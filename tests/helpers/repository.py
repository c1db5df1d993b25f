"""Where things lie in this repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HELPERS = ROOT / "tests" / "helpers"
DATA = HELPERS / "data"
