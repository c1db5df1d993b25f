"""An error of the compiler or the interpreter → the message, and where it points."""

from __future__ import annotations

import re

from pdt_annotate.values.verdicts import Failure

LOCATION = re.compile(r'File "([^"]+)", line (\d+)')
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
QUOTED_ERROR = "The error stack is reproduced here:"
INTERPRETED = "most recent call last"


def read_failure(error: BaseException) -> Failure:
    """The message of a compiler or run-time error, and where it points.

    The compiler names the faulty line first and then its callers, the interpreter the other way round.
    """
    # A method that failed to compile is quoted with its own error, which is the one to read.
    # An address is another in every process.
    text = ADDRESS.sub("", str(error).rpartition(QUOTED_ERROR)[2])
    head, _, _ = text.partition('  File "')
    message = head.strip().removesuffix(":").rstrip() or type(error).__name__
    places = [(file, int(line)) for file, line in LOCATION.findall(text)]
    if INTERPRETED in head:
        places.reverse()
    file, line = places[0] if places else ("", 0)
    return Failure(message, type(error).__name__, file, line, tuple(places[1:]), text=text)
