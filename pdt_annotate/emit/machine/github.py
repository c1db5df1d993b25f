"""GitHub's workflow commands: what a step prints to have lines of a pull request marked.

The form and the escapes are those that `actions/toolkit` writes and the runner reads.
"""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.machine.notices import Level, Notice, advice_of, find_notices, place_of
from pdt_annotate.emit.machine.paths import is_below, relative_to
from pdt_annotate.findings import catalogue
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.printable import printable

COMMANDS: Mapping[Level, str] = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """A command for each notice. GitHub shows the first ten errors and the first ten warnings of a step."""
    lines = (command(notice, invocation.base) for notice in find_notices(outcome, invocation))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def command(notice: Notice, base: str) -> str:
    """One notice as a command. A file outside the base is none of the repository's, and is named in the message."""
    is_ours = is_below(base, notice.file)
    name = relative_to(base, notice.file)
    place = f"{place_of(notice, base)}: " if name and not is_ours else ""
    message = "\n".join((place + notice.message, *advice_of(notice)))
    properties = {
        **(_location(name, notice) if is_ours else {}),
        "title": f"{notice.code} {catalogue.entry(notice.code).title}",
    }
    given = ",".join(
        f"{key}={printable(str(value)).translate(_PROPERTY)}" for key, value in properties.items() if value
    )
    return f"::{COMMANDS[notice.level]} {given}::{printable(message).translate(_DATA)}"


def _location(name: str, notice: Notice) -> dict[str, str | int]:
    span = notice.span
    columns = {"col": span.column, "endColumn": span.end_column}
    return {"file": name, "line": span.line, "endLine": span.end_line, **columns}
