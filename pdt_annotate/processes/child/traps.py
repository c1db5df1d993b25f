"""The task that looks for traps: what in the compiled target is known to differ from Python, example or none."""

from __future__ import annotations

from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.further import Trap
from pdt_annotate.values.runs import Candidate


def find_traps(prepared: Prepared, candidate: Candidate) -> tuple[Trap, ...]:
    """The traps in what the compiler reads of a target that scripts with a candidate's annotations."""
    return ()
