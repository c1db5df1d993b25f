"""Why a way could not capture, and where in the user's files: read from what torch raised."""

from __future__ import annotations

import traceback

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Failure


def reason_of(error: Exception, root: str) -> Failure:
    """The first reason; its place is the innermost line of a file below the root."""
    failure = read_failure(error)
    if failure.place.file:
        return failure
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(f"{root}/")]
    place = Place(own[-1].filename, own[-1].lineno or 0) if own else Place()
    return Failure(failure.message, failure.kind, place=place, text=failure.text)
