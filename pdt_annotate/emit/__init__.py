"""Emitters: each writes or prints one kind of output, and says in a few words what it did.

To add one, write `emit/<what>.py` and its line in `EMITTERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import BinaryIO

from pdt_annotate.emit.files import check, diff, in_place
from pdt_annotate.emit.stubs import stub
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.outcome import Outcome

Emitter = Callable[[Outcome, Options, BinaryIO], str]
"""(outcome, options, stdout) → what was done, as the beginning of a sentence."""

EMITTERS: Mapping[WriteBack, Emitter] = {
    WriteBack.IN_PLACE: in_place.emit,
    WriteBack.DIFF: diff.emit,
    WriteBack.CHECK: check.emit,
    WriteBack.STUBS: stub.emit,
}
