"""Saves results elsewhere if their file cannot be written: the run that found them may have taken an hour."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

from pdt_annotate.values.errors import UserError


def kept_elsewhere(error: UserError, file: str, write: Callable[[str], object]) -> UserError:
    """The error for a file that could not be written; its hint names the file that now has its content."""
    try:
        kept = os.path.join(tempfile.mkdtemp(prefix="pdt-annotate-"), os.path.basename(file))
        write(kept)
    except (OSError, UserError):
        return error
    return UserError(error.message, place=error.place, hint=f"what it was to hold is in {kept}")
