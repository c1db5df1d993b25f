"""Functions by themselves: which of them script, and answer like eager on the calls that the examples make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from pdt_annotate.blame.places import owner_of
from pdt_annotate.blame.record import Recorded, compare_call, record_functions, with_answers
from pdt_annotate.inputs import specs
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.parts import in_fork
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Part
from pdt_annotate.verify.judges.scripts import Compilation

Name = tuple[str, str]
"""The file and the qualified name of a function at the top of its module."""

Task = tuple[Any, Owner, Sequence[Recorded], specs.Settings]


def judge_functions(prepared: Prepared, candidate: Candidate, names: Sequence[Name]) -> tuple[Part, ...]:
    """Functions, each compiled by itself and compared on its recorded calls."""
    apply(candidate)
    functions = {name: function for name in names if isinstance(function := _look_up(name), FunctionType)}
    owners = {name: owner_of(function) for name, function in functions.items()}
    recorded = record_functions(prepared, owners.values())
    tasks = ((functions[name], owner, recorded[owner], prepared.spec.settings) for name, owner in owners.items())
    parts = (in_fork(_judge, task) for task in tasks)
    return tuple(part for part in parts if part is not None)


def _look_up(name: Name) -> Any:
    file, qualname = name
    return look_up(module_of(file), qualname)


def _judge(task: Task) -> Part:
    function, owner, calls, settings = task
    compilation = Compilation()
    compilation.run(function)
    part = Part(owner.qualname, owner.qualname, owner.file, owner.line, is_function=True)
    if not compilation.verdict.ok:
        return part
    compared = [compare_call(settings, function, compilation.scripted, call, i) for i, call in enumerate(calls)]
    return with_answers(replace(part, scripts=True, compiled=tuple(compilation.compiled)), compared)
