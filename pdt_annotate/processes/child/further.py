"""The task that looks for what the examples do not show of a target that verifies."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from pdt_annotate.observers import make_code_filter
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.child.probe import probe
from pdt_annotate.values.further import NOTHING_FURTHER, Further
from pdt_annotate.values.runs import Candidate
from pdt_annotate.verify import traps
from pdt_annotate.verify.judges.scripts import Compilation
from pdt_annotate.verify.traps import border
from pdt_annotate.verify.traps.view import look_at


def look_further(prepared: Prepared, candidate: Candidate, seconds: float) -> Further:
    apply(candidate)
    compilation = Compilation(quick=True)
    methods = prepared.methods
    compilation.run(prepared.built, methods)
    if not compilation.verdict.ok:
        return NOTHING_FURTHER
    is_ours = make_code_filter(prepared.root, prepared.third_party)

    def find_traps() -> Further:
        return Further(traps.find(look_at(prepared.built, compilation, is_ours, {"forward", *methods})))

    further = _or_unseen("traps", find_traps)
    if seconds:
        met = tuple(trap for trap in further.traps if trap.code != border.CODE)  # no call is drawn that is converted
        further |= _or_unseen("drawn calls", lambda: probe(prepared, compilation, met, seconds))
    return further


def _or_unseen(what: str, look: Callable[[], Further]) -> Further:
    """What a look finds. One that stumbles over a target takes nothing from what was verified of it, and says so."""
    try:
        return look()
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Further(unseen=(f"{what}: {type(error).__name__} at {last.name}, line {last.lineno}",))
