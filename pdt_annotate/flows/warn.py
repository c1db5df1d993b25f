"""Findings of `script()` as Python warnings at the user's lines."""

import linecache
import warnings
from collections.abc import Iterable, Iterator
from itertools import groupby

from pdt_annotate.findings import catalogue
from pdt_annotate.observers.classes import module_of
from pdt_annotate.processes.child.apply import restore
from pdt_annotate.values.errors import PdtWarning
from pdt_annotate.values.installed import is_installed
from pdt_annotate.values.slots import Finding, Place

UNSAID = frozenset({"PDT057", "PDT066"})  # one matters only for source, the other is on purpose

# In the code of installed packages the user cannot change these.
GUESSES = frozenset({"PDT030", "PDT031", "PDT037", "PDT038"})
TRAPS = "PDT100"
EVERY_TIME = ("always", "error")  # the actions of Python's filters for which a warning may repeat

SHOWN = 3

_warned: set[tuple[Place, str]] = set()
"""The lines and codes that this process has warned of. Python's own registries are cleared whenever a filter changes,
which happens around every compilation.
"""


def warn_of(findings: Iterable[Finding], default: Place) -> None:
    """Warn of findings, at `default` if they have no place, once per line and code, or every time if a filter asks."""
    lines = dict(linecache.cache)
    try:
        for place, message in _by_line(findings, default):
            module = getattr(module_of(place.file), "__name__", place.file)
            actions = (
                action
                for action, text, category, name, number in warnings.filters
                if issubclass(PdtWarning, category) and number in (0, place.line)
                if (text is None or text.match(str(message))) and (name is None or name.match(module))
            )
            if (place, message.code) in _warned and next(actions, "default") not in EVERY_TIME:
                continue
            warnings.warn_explicit(message, PdtWarning, place.file, place.line, module)
            _warned.add((place, message.code))
    finally:
        restore(linecache.cache, lines)  # showing a warning caches its line


def _by_line(findings: Iterable[Finding], default: Place) -> Iterator[tuple[Place, PdtWarning]]:
    """Yield one warning for all findings of a code in a line."""

    def key(finding: Finding) -> tuple[Place, str]:
        return (finding.place if finding.place.file else default).whole_line, finding.code

    guessed = (each for each in findings if each.code not in GUESSES or not is_installed(each.place.file))
    said = sorted((each for each in guessed if each.code not in UNSAID), key=key)
    for (place, code), group in groupby(said, key):
        messages = list(dict.fromkeys(finding.message for finding in group))
        more = [f"and {len(messages) - SHOWN} more"] if len(messages) > SHOWN else []
        advice = "" if code >= TRAPS else f" {catalogue.entry(code).advice}"  # a trap's message has its own advice
        yield place, PdtWarning(f"{code} {'; '.join(messages[:SHOWN] + more)}.{advice}", code)
