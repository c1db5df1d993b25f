"""The formats of machine output, by the name that the command line gives them. People read `report`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import BinaryIO

from pdt_annotate.emit.machine import github, json_file, junit, sarif
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.machine.stream import write
from pdt_annotate.values.outcome import Outcome

MachineFormat = Callable[[Outcome, Invocation, BinaryIO], None]
"""(outcome, invocation, stdout): writes one whole document."""


def _emit_json(outcome: Outcome, invocation: Invocation, stdout: BinaryIO) -> None:
    write(stdout, json_file.render(outcome))


FORMATS: Mapping[str, MachineFormat] = {
    "json": _emit_json,
    "github": github.emit,
    "sarif": sarif.emit,
    "junit": junit.emit,
}
