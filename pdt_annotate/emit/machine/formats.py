"""The file formats of a result, by their names on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pdt_annotate.emit import html
from pdt_annotate.emit.machine import github, json_file, junit, sarif
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.terminal import report
from pdt_annotate.values.outcome import Outcome

FORMATS: Mapping[str, Callable[[Outcome, Invocation], bytes]] = {
    "json": lambda outcome, _: json_file.render(outcome),
    "github": github.render,
    "sarif": sarif.render,
    "junit": junit.render,
    "html": html.render,
    "text": report.render,
}
"""(outcome, invocation) → one whole document."""
