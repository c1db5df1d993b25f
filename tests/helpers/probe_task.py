"""A task that generates calls of a target, for its traps."""

from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.child.probe import probe
from pdt_annotate.values.verdicts import Further, Trap
from pdt_annotate.verify.judges.scripts import Compilation


def probe_compiled(prepared: Prepared, traps: tuple[Trap, ...], seconds: float) -> Further:
    """Compile the unchanged target, and generate calls of it."""
    compilation = Compilation(quick=True)
    compilation.run(prepared.built, prepared.methods)
    return probe(prepared, compilation, traps, seconds)
