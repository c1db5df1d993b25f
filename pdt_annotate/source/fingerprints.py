"""The identity of a finding, which stays when lines move: its code, file, function, and parameter or text of the line.

Annotations change the text of headers, so in a header only the name of the parameter counts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.source.module import modules_of


@dataclass(frozen=True)
class Matter:
    """The parts of a finding that identify it.

    Args:
        file: "" if it has no place.
        name: the name of its slot, "" if it has no slot.
        message: identifies a finding without a place, or in a file that is not Python.
    """

    code: str
    file: str
    line: int
    name: str = ""
    message: str = ""


class Fingerprints:
    """Reads each file once: `contents` has the bytes of files that differ from those on disk."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._module = modules_of(contents)

    def of(self, matters: Iterable[Matter], name: Callable[[str], str]) -> Iterator[str]:
        """A fingerprint for each, in order; equal matters are numbered. `name` names a file the same everywhere."""
        seen: Counter[tuple[str, ...]] = Counter()
        for matter in matters:
            traits = (matter.code, name(matter.file) if matter.file else "", *self._about(matter))
            seen[traits] += 1
            yield f"{hashlib.sha256(chr(0).join(traits).encode(errors='replace')).hexdigest()[:16]}:{seen[traits]}"

    def _about(self, matter: Matter) -> tuple[str, ...]:
        found = self._module(matter.file) if matter.file else None
        if found is None:
            return "", matter.message
        line = matter.line
        around = next(reversed(found.around(line)), None)
        function = around.owner.qualname if around else ""
        in_header = around is not None and (line <= around.node.lineno or line < around.node.body[0].lineno)
        if matter.name or in_header:
            return function, matter.name
        lines = found.text.lines
        return function, lines[line - 1].strip() if 0 < line <= len(lines) else ""
