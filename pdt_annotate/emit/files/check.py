"""`--check`: nothing is written; the exit code says whether annotations are missing."""

from __future__ import annotations

from typing import BinaryIO

from pdt_annotate.emit.words import tally
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome


def emit(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """Say what is missing, and what to run."""
    annotations, files = tally(outcome)
    return f"{annotations} missing in {files}, nothing written (the same command without --check writes them)"
