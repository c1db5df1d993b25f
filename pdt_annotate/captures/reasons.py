"""Why a way could not capture, and where in the user's files: read from what torch raised."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pdt_annotate.findings.messages.refused import refusal
from pdt_annotate.findings.messages.said import read_failure, read_places
from pdt_annotate.observers import make_file_filter
from pdt_annotate.values.live import function_of
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.user_code import frames_of
from pdt_annotate.values.verdicts import Failure

TOOL = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "")
"""Where this tool is installed, which may be below the user's root."""

QUOTED_STACK = re.compile(
    r"from user code:|The following call raised this error:|User Stack \(most recent call last\):"
)
"""What stands in messages before a stack of the user's, outermost first."""

TRACED_FRAME = re.compile(r"^\s*(.+)\((\d+)\): ", re.MULTILINE)
"""A line of the Python stack that the tracer tells of a node, the innermost first."""


def reason_of(error: BaseException, root: str, callee: Any = None) -> Failure:
    """The first reason, in one sentence; the text has all of it.

    Args:
        root: the directory whose files are the user's.
        callee: what was to be captured, whose definition is the place where the error names none of the user's.
    """
    failure = read_failure(error)
    is_users = make_file_filter(root)

    def is_own(place: Place) -> bool:
        return is_users(place.file) and not place.file.startswith(TOOL)

    place = next(filter(is_own, _places(error, failure)), None) or definition_of(callee)
    chain = tuple(filter(is_own, failure.chain))
    return replace(failure, message=refusal(failure), place=place, chain=chain)


def definition_of(callee: Any) -> Place:
    """Where the function is defined that a callee runs; nowhere where nobody wrote it in Python."""
    function = function_of(callee) or function_of(getattr(type(callee), "forward", None))
    return Place(function.__code__.co_filename, function.__code__.co_firstlineno) if function else NO_PLACE


def _places(error: BaseException, failure: Failure) -> Iterator[Place]:
    """Where it may have gone wrong, the most telling first."""
    yield from _of_stack(getattr(error, "real_stack", None) or ())
    for quoted in QUOTED_STACK.split(failure.text)[1:]:
        yield from reversed(list(read_places(quoted)))
    yield from filter(lambda place: bool(place.file), (failure.place, *failure.chain))
    yield from (Place(file, int(line)) for file, line in TRACED_FRAME.findall(failure.text))
    yield from _of_stack(frames_of(error))


def _of_stack(frames: Any) -> Iterator[Place]:
    return (Place(frame.filename, frame.lineno or 0) for frame in reversed(frames))
