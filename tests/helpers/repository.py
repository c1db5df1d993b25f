"""The paths of folders in this repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HELPERS = ROOT / "tests" / "helpers"
DATA = HELPERS / "data"
