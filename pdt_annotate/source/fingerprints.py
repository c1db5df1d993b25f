"""What a finding is known by while lines move: its code, file and function, and the parameter or the line's text.

Annotations change the text of headers, so of a header only the name of the parameter counts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.source.survey import surveys


@dataclass(frozen=True)
class Matter:
    """What is to be known again.

    Args:
        code: the finding's.
        file: "" where it has no place.
        line: where it stands in the file.
        name: of the slot that it is about, "" for none.
        message: what it is known by where it has no place, or one in a file that is not Python.
    """

    code: str
    file: str
    line: int
    name: str = ""
    message: str = ""


class Fingerprints:
    """Reads each file once: `contents` has the bytes of files that are not as on disk."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._survey = surveys(contents)

    def of(self, matters: Iterable[Matter], name: Callable[[str], str]) -> Iterator[str]:
        """A fingerprint for each, in order; equal matters are numbered. `name` names a file the same everywhere."""
        seen: Counter[tuple[str, ...]] = Counter()
        for matter in matters:
            traits = (matter.code, name(matter.file) if matter.file else "", *self._about(matter))
            seen[traits] += 1
            yield f"{hashlib.sha256(chr(0).join(traits).encode(errors='replace')).hexdigest()[:16]}:{seen[traits]}"

    def _about(self, matter: Matter) -> tuple[str, ...]:
        found = self._survey(matter.file) if matter.file else None
        if found is None:
            return "", matter.message
        line = matter.line
        around = next((e for e in reversed(found.by_line.values()) if e.owner.line <= line <= e.end), None)
        function = around.owner.qualname if around else ""
        in_header = around is not None and (line <= around.node.lineno or line < around.node.body[0].lineno)
        if matter.name or in_header:
            return function, matter.name
        lines = found.text.lines
        return function, lines[line - 1].strip() if 0 < line <= len(lines) else ""
