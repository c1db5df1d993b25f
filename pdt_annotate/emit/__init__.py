"""Emitters: each writes or prints one kind of output, and says in a few words what it did.

To add one, write `emit/<what>.py` and its line in `EMITTERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import BinaryIO

from pdt_annotate.emit.files import diff, in_place
from pdt_annotate.emit.words import tally
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.outcome import Outcome

Emitter = Callable[[Outcome, Options, BinaryIO], str]
"""(outcome, options, stdout) → what was done, as the beginning of a sentence."""


def check(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """`--check`: nothing is written; the exit code says whether annotations are missing."""
    annotations, files = tally(outcome)
    return f"{annotations} missing in {files}, nothing written (the same command without --check writes them)"


def write_stubs(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """`--stubs`."""
    from pdt_annotate.emit.stubs import stub  # noqa: PLC0415  (libcst, which nothing else needs, takes a second)

    return stub.emit(outcome, options, stdout)


EMITTERS: Mapping[WriteBack, Emitter] = {
    WriteBack.IN_PLACE: in_place.emit,
    WriteBack.DIFF: diff.emit,
    WriteBack.CHECK: check,
    WriteBack.STUBS: write_stubs,
}
