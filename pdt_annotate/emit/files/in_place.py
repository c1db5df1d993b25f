"""The default: write the annotated source over the old one, all files or none."""

from __future__ import annotations

import os
from typing import BinaryIO

from pdt_annotate.emit.files.atomic import write_all
from pdt_annotate.emit.files.within import assert_within
from pdt_annotate.emit.words import tally
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome


def emit(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """Write every change.

    Raises:
        UserError: a file is no longer what was read and annotated, or cannot be written. Every file is then as it was.
    """
    assert_within((change.file for change in outcome.changes), outcome.root)
    for change in outcome.changes:
        _assert_unchanged(change)
    write_all({change.file: change.after for change in outcome.changes})
    annotations, files = tally(outcome)
    return f"wrote {annotations} into {files}"


def _assert_unchanged(change: FileChange) -> None:
    try:
        with open(change.file, "rb") as stream:
            now = stream.read()
    except OSError as error:
        raise UserError(f"cannot read the file again: {error.strerror}", file=change.file) from error
    if now != change.before:
        raise UserError(
            "the file changed on disk while it was being annotated; nothing was written",
            file=change.file,
            hint=f"run pdt-annotate again to annotate what {os.path.basename(change.file)} holds now",
        )
