"""GitHub's workflow commands: a step prints them to mark lines of a pull request.

Their form and escapes are the same as in `actions/toolkit`.
"""

from collections.abc import Mapping

from pdt_annotate.emit.machine.invocation import Invocation, path_below, relative_to
from pdt_annotate.emit.messages import Message, Messages
from pdt_annotate.findings import catalogue
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.printable import printable
from pdt_annotate.values.slots import Severity

COMMANDS: Mapping[Severity, str] = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """A command for each message. GitHub shows the first ten errors and the first ten warnings of a step."""
    lines = (command(message, invocation.base) for message in Messages(outcome, invocation).all())
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def command(message: Message, base: str) -> str:
    """One message as a command. A file outside the base is not in the repository, so the message names it."""
    file = message.place.file
    is_ours, name = path_below(base, file), relative_to(base, file)
    where = f"{message.place.named(name)}: " if name and not is_ours else ""
    said = "\n".join((where + message.text, *message.steps))
    (line, column), (end_line, end_column) = (message.place.line, message.place.column), message.end
    region = {"file": name, "line": line, "endLine": end_line, "col": column, "endColumn": end_column}
    title = f"{message.code} {catalogue.entry(message.code).title}"
    properties = {**(region if is_ours else {}), "title": title}
    given = ",".join(f"{key}={printable(str(each)).translate(_PROPERTY)}" for key, each in properties.items() if each)
    return f"::{COMMANDS[message.severity]} {given}::{printable(said).translate(_DATA)}"
