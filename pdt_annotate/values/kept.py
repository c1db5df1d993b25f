"""Results that could not be written where they were asked for: the run that found them may have taken an hour."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

from pdt_annotate.values.errors import UserError


def kept_elsewhere(error: UserError, file: str, write: Callable[[str], object]) -> UserError:
    """The error of a file that could not be written, with a hint where its content is instead.

    Args:
        file: as it was asked for.
        write: writes the content to a file.
    """
    try:
        kept = os.path.join(tempfile.mkdtemp(prefix="pdt-annotate-"), os.path.basename(file))
        write(kept)
    except (OSError, UserError):
        return error
    return UserError(error.message, place=error.place, hint=f"what it was to hold is in {kept}")
