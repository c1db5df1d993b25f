"""The formats of machine output, by the name that the command line gives them. People read `report`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pdt_annotate.emit.machine import github, json_file, junit, sarif
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.values.outcome import Outcome

FORMATS: Mapping[str, Callable[[Outcome, Invocation], bytes]] = {
    "json": lambda outcome, _: json_file.render(outcome),
    "github": github.render,
    "sarif": sarif.render,
    "junit": junit.render,
}
"""(outcome, invocation) → one whole document."""
