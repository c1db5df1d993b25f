"""Functions by themselves: which of them script, and answer like eager on the calls that the examples make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import FunctionType

from pdt_annotate.blame.compare import attempt_recorded, with_trial
from pdt_annotate.blame.record import record_functions
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.fork import in_fork
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Part


def judge_functions(prepared: Prepared, candidate: Candidate, names: Sequence[tuple[str, str]]) -> tuple[Part, ...]:
    """Functions by file and qualified name, each compiled by itself and compared on its recorded calls."""
    apply(candidate)
    functions = [
        function for file, name in names if isinstance(function := look_up(module_of(file), name), FunctionType)
    ]
    recorded = record_functions(prepared, [Owner.of(function.__code__) for function in functions])
    parts = (in_fork(partial(_judge, prepared, recorded), function) for function in functions)
    return tuple(part for part in parts if part is not None)


def _judge(prepared: Prepared, recorded: Mapping[Owner, Sequence[Call]], function: FunctionType) -> Part:
    owner = Owner.of(function.__code__)
    trial = attempt_recorded(prepared, function, function, recorded[owner])
    return with_trial(Part(owner.qualname, owner.qualname, owner.file, owner.line, is_function=True), trial)
