"""Findings as lines `path:line:column: PDTnnn message`, as linters and compilers write them.

Terminals and editors make links of them, and a problem matcher takes them apart with
`^(.+?):(\\d+):(\\d+): (PDT\\d{3}) (.*)$`: keep it so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from pdt_annotate.emit.machine.notices import MENDED, MISSING, NOTHING_TO_MEND
from pdt_annotate.emit.words import first_line, shown
from pdt_annotate.findings import catalogue
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding

CHANGE_ANSWERS = ("PDT032", "PDT042", "PDT064")
"""Codes of findings that may be why answers differ, though annotations alone were added."""

TRAPS = "PDT100"
"""From this code on, findings are of what TorchScript silently does otherwise than Python."""

MOST = 5
"""Findings of a code that are shown where not all are asked for."""

LACKING = frozenset({MISSING, MENDED})
"""Codes of what a check is asked for: more of them are shown, and the last line of a check says what to do."""

MOST_LACKING = 20
"""How many of those."""


def located(place: Place, code: str, message: str) -> Iterator[Text]:
    """A finding at its place; where a file is known and no line, that is the first. More lines stand below."""
    first, *more = message.strip().splitlines() or [""]
    where = shown(Place(place.file, place.line or 1, place.column or 1))
    yield Text.assemble((f"{where}: " if where else "", "bold"), (code, "yellow"), f" {first}")
    yield from (Text(f"    {line}") for line in more)


def finding_lines(found: Sequence[Finding], *, in_full: bool = False) -> Iterator[Text]:
    """The findings by severity and code, and below each code what to do."""
    in_order = sorted(found, key=lambda finding: (_severity(finding.code), finding.code, finding.place))
    for code, group in groupby(in_order, key=lambda finding: finding.code):
        alike = list(dict.fromkeys((each.place, each.message) for each in group))
        most = len(alike) if in_full else MOST_LACKING if code in LACKING else MOST
        for place, message in alike[:most]:
            yield from located(place, code, message)
        yield from more_lines(len(alike) - most, f"of {code}")
        if code not in LACKING:
            yield advised(first_line(catalogue.entry(code).advice))


def _severity(code: str) -> int:
    """0 for what fails a check, 1 for what may change an answer, 3 for what asks for nothing."""
    if code in LACKING:
        return 0
    return 3 if code in NOTHING_TO_MEND else 1 if code in CHANGE_ANSWERS or code >= TRAPS else 2


def advised(advice: str) -> Text:
    """What to do."""
    return Text(f"  → {advice}", style="dim")


def more_lines(left: int, what: str) -> Iterator[Text]:
    """How many are not shown."""
    if left > 0:
        yield Text(f"  … and {left} more {what}: -v shows all", style="dim")
