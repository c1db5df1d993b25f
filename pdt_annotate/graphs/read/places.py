"""Where a node of a graph comes from, read from what torch keeps of it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator

from pdt_annotate.values.installed import is_own
from pdt_annotate.values.places import NO_PLACE, Place

FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)|^(?P<traced>.+)\((?P<at>\d+)\): ', re.MULTILINE)
"""A frame as the compiler tells of it, and as the tracer does."""


def place_of(ranges: Iterable[str], root: str) -> Place:
    """The innermost line of a file below the root; the innermost of all where there is none.

    Args:
        ranges: source ranges as torch prints them, the innermost first; the tracer's hold a stack each, in this order.
    """
    places = [place for each in ranges for place in _frames(each) if not place.file.startswith("<")]
    return next((place for place in places if is_own(place.file, root)), next(iter(places), NO_PLACE))


def place_in_stack(stack_trace: str, root: str) -> Place:
    """The same from a Python stack trace, as nodes of `torch.fx` carry it: the innermost comes last."""
    return place_of(reversed([f'File "{place.file}", line {place.line}' for place in _frames(stack_trace)]), root)


@functools.lru_cache(maxsize=4096)
def _frames(text: str) -> tuple[Place, ...]:
    return tuple(_read(text))


def _read(text: str) -> Iterator[Place]:
    for frame in FRAME.finditer(text):
        yield Place(frame["file"] or frame["traced"], int(frame["line"] or frame["at"]))
