"""The task that looks for traps: what in the compiled target is known to differ from Python, example or none."""

from __future__ import annotations

from pdt_annotate.observers import make_code_filter
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.further import Trap
from pdt_annotate.values.runs import Candidate
from pdt_annotate.verify import traps
from pdt_annotate.verify.judges.scripts import Compilation
from pdt_annotate.verify.traps.view import look_at


def find_traps(prepared: Prepared, candidate: Candidate) -> tuple[Trap, ...]:
    """The traps in what the compiler reads of a target that scripts with a candidate's annotations."""
    apply(candidate)
    compilation = Compilation(quick=True)
    compilation.run(prepared.built, prepared.methods)
    if not compilation.verdict.ok:
        return ()
    is_ours = make_code_filter(prepared.root, prepared.third_party)
    return traps.find(look_at(prepared.built, compilation, is_ours, {"forward", *prepared.methods}))
