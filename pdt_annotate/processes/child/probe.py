"""The task that draws calls beside the examples and compares what they answer, eager and scripted."""

from __future__ import annotations

from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.further import Counterexample, Trap
from pdt_annotate.values.runs import Candidate


def probe(
    prepared: Prepared, candidate: Candidate, traps: tuple[Trap, ...], seconds: float
) -> tuple[Counterexample, ...]:
    """Calls like the examples, and unlike them, on which a target that verifies answers otherwise when scripted."""
    return ()
