"""The default: write the annotated source over the old one, all files or none."""

from __future__ import annotations

from typing import BinaryIO

from pdt_annotate.emit.files.atomic import write_all
from pdt_annotate.emit.files.within import assert_within
from pdt_annotate.emit.words import tally
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome


def emit(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """Write every change.

    Raises:
        UserError: a file is no longer what was read and annotated, or cannot be written. Every file is then as it was.
    """
    assert_within((change.file for change in outcome.changes), outcome.root)
    after = {change.file: change.after for change in outcome.changes}
    before = {change.file: change.before for change in outcome.changes}
    write_all(after, before, outcome.root)
    annotations, files = tally(outcome)
    return f"wrote {annotations} into {files}"
