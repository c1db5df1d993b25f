"""The identity of a finding, which stays when lines move: its code, file, function, and parameter or text of the line.

Annotations change the text of headers, so in a header only the name of the parameter counts.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.source.module import modules_of


@dataclass(frozen=True)
class Matter:
    """The parts of a finding that identify it."""

    code: str
    file: str  # "" if it has no place
    line: int
    name: str = ""  # the name of its slot, "" if it has no slot
    message: str = ""  # identifies a finding without a place, or in a file that is not Python


def make_fingerprints(
    matters: Iterable[Matter], name: Callable[[str], str], contents: Mapping[str, bytes]
) -> Iterator[str]:
    """A fingerprint for each, in order; equal matters are numbered.

    `name` names a file the same everywhere; `contents` has the bytes of files that differ on disk.
    """
    modules = modules_of(contents)
    seen: Counter[tuple[str, ...]] = Counter()
    for matter in matters:
        file, line = matter.file, matter.line
        found = modules(file) if file else None
        function, text = "", matter.message
        if found is not None:
            around = next(reversed(found.around(line)), None)
            function = around.owner.qualname if around else ""
            in_header = around is not None and (line <= around.node.lineno or line < around.node.body[0].lineno)
            lines = () if matter.name or in_header else found.text.lines
            text = lines[line - 1].strip() if 0 < line <= len(lines) else matter.name
        traits = (matter.code, name(file) if file else "", function, text)
        seen[traits] += 1
        yield f"{hashlib.sha256(chr(0).join(traits).encode(errors='replace')).hexdigest()[:16]}:{seen[traits]}"
